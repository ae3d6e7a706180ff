// What there is of the CUDA device in a build without CUDA: the words that say so.
#include "cuda/device.h"
#include "cuda/scene_query.h"
#include "sightline/cuda.h"

namespace sightline::cuda {

const std::string& missing() {
  static const std::string words = "built without CUDA";
  return words;
}
std::vector<std::pair<std::string, std::string>> facts() { return {}; }
namespace {
[[noreturn]] void refuse() { throw Error("cuda: " + missing()); }
}  // namespace

struct SceneQuery::Impl {};
SceneQuery::SceneQuery() { refuse(); }
SceneQuery::~SceneQuery() = default;
void SceneQuery::run(std::span<const QueryObject>, const Options&, Report&) { refuse(); }

struct Query::Impl {};
Query::Query() { refuse(); }
Query::~Query() = default;
Query::Query(Query&&) noexcept = default;
Query& Query::operator=(Query&&) noexcept = default;
DeviceContacts Query::run(const Triangles&, const RunOptions&) { refuse(); }

}  // namespace sightline::cuda
