#include "tool/drive.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tool/summary.h"

namespace sightline::tool {

void check_drive(const scenes::PaperScene& scene, const MethodSettings& method) {
  const auto refuse = [&](const std::string& reason) {
    throw Error(fmt::format("--drive {}: {}", to_string(method.method), reason));
  };
  const scenes::Response& response = scene.response;
  if (!response.any)
    refuse(fmt::format("nothing in the scene '{}' responds to contacts; --method {} only finds them", scene.name,
                       to_string(method.method)));
  const bool culls = method.method == MethodName::velocity;
  if ((culls ? method.paper.then : method.method) == MethodName::self_cullide && !response.self)
    refuse(fmt::format("self-cullide is for contacts of a surface with itself; those in '{}' are between objects",
                       scene.name));
  if (method.method == MethodName::cinder && response.self)
    refuse(fmt::format("it finds no contacts of an object with itself, and the scene '{}' has such", scene.name));
  if (method.method == MethodName::cinder && method.paper.one_per_pixel && response.open)
    refuse(fmt::format("its published passes need closed objects, and some objects of the scene '{}' are open",
                       scene.name));
  if (culls && response.deforming)
    refuse(fmt::format("it needs rigid motions, and some objects of the scene '{}' deform", scene.name));
}

void Missed::add(const sightline::Report& exact_report, const sightline::Report& found) {
  std::vector<Contact> lost;
  std::ranges::set_difference(exact_report.contacts, found.contacts, std::back_inserter(lost));
  *this += {.queries = 1, .exact = exact_report.contacts.size(), .missed = lost.size()};
}

Missed& Missed::operator+=(const Missed& other) {
  queries += other.queries;
  exact += other.exact;
  missed += other.missed;
  return *this;
}

scenes::Detector Driver::detector() {
  return [this](Scene& scene, std::span<const Motion> motions, Report& found) { detect(scene, motions, found); };
}

void Driver::detect(Scene& scene, std::span<const Motion> motions, Report& found) {
  papers::method::MethodSettings options = query_options(settings_, progress_);
  options.paper.motions.assign(motions.begin(), motions.end());
  found = papers::method::run(scene, options);
  Stopwatch watch;
  scene.collide(exact_, {.threads = settings_.threads, .cancel = options.cancel});
  exact_milliseconds_ += watch.lap();
  if (found.cancelled || exact_.cancelled) throw Interrupted{};
  missed_.add(exact_, found);
}

}  // namespace sightline::tool
