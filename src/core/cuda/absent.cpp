// The CUDA device in a build without CUDA: every use throws an Error with the reason.
#include "cuda/device.h"
#include "cuda/scene_query.h"
#include "sightline/cuda.h"

namespace sightline::cuda {

const std::string& missing() {
  static const std::string words = "built without CUDA";
  return words;
}
int count() { return 0; }
std::vector<std::pair<std::string, std::string>> facts(int) { return {}; }
namespace {
[[noreturn]] void refuse() { throw Error("cuda: " + missing()); }
}  // namespace

struct SceneQuery::Impl {};
SceneQuery::SceneQuery(const Device&) { refuse(); }
SceneQuery::~SceneQuery() = default;
void SceneQuery::run(std::span<const QueryObject>, const Settings&, Report&) { refuse(); }

struct Query::Impl {};
Query::Query() { refuse(); }
Query::Query(int) { refuse(); }
Query::~Query() = default;
Query::Query(Query&&) noexcept = default;
Query& Query::operator=(Query&&) noexcept = default;
DeviceContacts Query::run(const Triangles&, const RunOptions&) { refuse(); }
int gpu_of(const void*, const std::string&) { refuse(); }

}  // namespace sightline::cuda
