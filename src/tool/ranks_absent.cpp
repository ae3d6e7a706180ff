#include "sightline/mesh.h"
#include "tool/console.h"
#include "tool/ranks.h"

namespace sightline::tool {

namespace {

[[noreturn]] void refuse() {
  throw Error(
      fmt::format("an MPI launcher started {} processes, but this sightline was built without MPI", launched_ranks()));
}

}  // namespace

RankSession::RankSession() = default;
RankSession::~RankSession() = default;
std::optional<int> RankSession::agreed(std::optional<int> end) const {
  release_text(true);
  return end;
}

int check_ranks(const Settings&) { refuse(); }
int clash_ranks(const Settings&) { refuse(); }
HugeReport contacts_over_ranks(const Settings&, std::span<const report::Part>) { refuse(); }
Clashes relations_over_ranks(const Settings&, std::span<const report::Part>, PartSource&, const ClashOptions&) {
  refuse();
}

}  // namespace sightline::tool
