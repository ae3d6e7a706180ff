#include "tool/method_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>

#include "sightline/mesh.h"
#include "tool/choices.h"

namespace sightline::tool {
namespace {

constexpr const char* kMethod = "Method (docs/methods.md)";

/// Numbers separated by commas; false unless there are `least` to `most` and all are finite.
bool parse_numbers(std::string_view text, std::size_t least, std::size_t most, std::vector<double>& numbers) {
  numbers.clear();
  for (;;) {
    const std::size_t comma = std::min(text.find(','), text.size());
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + comma, value);
    if (error != std::errc() || end != text.data() + comma || !std::isfinite(value)) return false;
    numbers.push_back(value);
    if (comma == text.size()) break;
    text.remove_prefix(comma + 1);
  }
  return least <= numbers.size() && numbers.size() <= most;
}

/// x, y, z, DX,DY,DZ or DX,DY,DZ@EX,EY,EZ,DEGREES.
bool parse_view(const std::string& text, View& view) {
  if (text.size() == 1 && text[0] >= 'x' && text[0] <= 'z') {
    view.direction = {0, 0, 0};
    view.direction[text[0] - 'x'] = -1;
    return true;
  }
  const std::size_t at = text.find('@');
  std::vector<double> numbers;
  if (!parse_numbers(std::string_view(text).substr(0, at), 3, 3, numbers)) return false;
  view.direction = {numbers[0], numbers[1], numbers[2]};
  if (at == std::string::npos) return true;
  if (!parse_numbers(std::string_view(text).substr(at + 1), 4, 4, numbers)) return false;
  view.eye = {numbers[0], numbers[1], numbers[2]};
  view.field_of_view = numbers[3];
  return view.field_of_view > 0;
}

std::string check_view(std::string& text) {
  View view;
  return parse_view(text, view) ? "" : "'" + text + "' is not x, y, z, DX,DY,DZ or DX,DY,DZ@EX,EY,EZ,DEGREES";
}

std::string check_whole(std::string& text) {
  const bool digits = !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string::npos;
  return digits ? "" : "'" + text + "' is not a whole number of at least 0";
}

std::string check_number(std::string& text) {
  std::vector<double> numbers;
  return parse_numbers(text, 1, 1, numbers) ? "" : "'" + text + "' is not a finite number";
}

double number_of(const std::string& text) {  // checked by check_number
  std::vector<double> numbers;
  parse_numbers(text, 1, 1, numbers);
  return numbers.at(0);
}

template <typename Value>
using Names = std::vector<std::pair<std::string, Value>>;

template <typename Value, typename Take>
void add_choice(CLI::App& app, const char* option, const Names<Value>& names, const char* text, const Take& take) {
  std::vector<std::string> words;
  for (const auto& [word, value] : names) words.push_back(word);
  const auto choose = [take, names](const std::string& chosen) {
    for (const auto& [word, value] : names)
      if (word == chosen) take(value);
  };
  app.add_option_function<std::string>(option, choose, fmt::format("{}: {}", text, fmt::join(words, ", ")))
      ->check(one_of(words))
      ->type_name("NAME")
      ->group(kMethod);
}

Names<MethodName> names_of(std::initializer_list<MethodName> methods) {
  Names<MethodName> names;
  for (const MethodName method : methods) names.emplace_back(to_string(method), method);
  return names;
}

void add_image_options(CLI::App& app, MethodOptions& paper) {
  add_choice<Precision>(app, "--precision", {{"image", Precision::image}, {"conservative", Precision::conservative}},
                        "Pixel centres, as published, or every cell touched",
                        [&paper](Precision p) { paper.precision = p; });
  app.add_option_function<std::vector<std::string>>(
         "--view",
         [&paper](const std::vector<std::string>& texts) {
           paper.views.clear();  // those of a preset
           for (const std::string& text : texts) parse_view(text, paper.views.emplace_back());
         },
         "Direction: x, y, z or DX,DY,DZ[@EX,EY,EZ,DEGREES]; once for each view")
      ->allow_extra_args(false)
      ->check(CLI::Validator(check_view, ""))
      ->type_name("VIEW")
      ->group(kMethod);
  app.add_option_function<std::string>(
         "--resolution",
         [&paper](const std::string& text) { paper.resolution = static_cast<unsigned>(std::stoul(text)); },
         "Pixels a side, 1 to 16384")
      ->check(CLI::Validator(check_whole, ""))
      ->type_name("N")
      ->group(kMethod);
  add_choice<DepthBits>(app, "--depth-bits",
                        {{"16", DepthBits::fixed16},
                         {"24", DepthBits::fixed24},
                         {"32", DepthBits::fixed32},
                         {"float", DepthBits::float32}},
                        "Depth buffer", [&paper](DepthBits bits) { paper.depth = bits; });
}

void add_own_options(CLI::App& app, MethodOptions& paper, bool with_motions) {
  const auto flag = [&app](const char* name, bool& target, bool value, const char* text) {
    app.add_flag_callback(
           name, [&target, value] { target = value; }, text)
        ->group(kMethod);
  };
  flag("--random-hierarchy", paper.random_hierarchy, true, "cullide, quick-cullide, self-cullide: groups at random");
  flag("--object-level", paper.object_level, true, "cullide, quick-cullide: whole objects first, as published");
  flag("--no-patches", paper.patches, false,
       "cullide, quick-cullide: no patches of objects and no boxes of theirs first");
  app.add_option_function<std::string>(
         "--rounds", [&paper](const std::string& text) { paper.rounds = static_cast<unsigned>(std::stoul(text)); },
         "cullide, quick-cullide: rounds of the views over triangles (0: until nothing more leaves)")
      ->check(CLI::Validator(check_whole, ""))
      ->type_name("N")
      ->group(kMethod);
  flag("--input-order", paper.back_to_front, false, "cullide, quick-cullide: draw in input order, not back to front");
  flag("--no-hand-over", paper.hand_over, false, "self-cullide: prune to the end, whatever it costs");
  flag("--triangle-leaves", paper.pixel_leaves, false, "self-cullide: leaves are single triangles");
  flag("--no-protection", paper.protect_steep, false, "self-cullide: steep triangles can leave in any view");
  flag("--axis-views", paper.choose_views, false, "self-cullide: look along the axes, both ways");
  app.add_option_function<std::string>(
         "--epsilon", [&paper](const std::string& text) { paper.epsilon = number_of(text); },
         "peel: pair layers that are closer than this")
      ->check(CLI::Validator(check_number, ""))
      ->type_name("D")
      ->group(kMethod);
  flag("--unique-ids", paper.unique_ids, true, "peel: an id for each triangle, not for several around a vertex");
  flag("--last-vertex-ids", paper.greedy_ids, false, "peel: ids by the last vertex of a triangle, as published");
  flag("--from-farther", paper.from_both, false, "peel: peel from the farther object only, as published");
  if (!with_motions) return;
  app.add_option_function<std::string>(
         "--mip-map", [&paper](const std::string& text) { paper.mip_levels = static_cast<unsigned>(std::stoul(text)); },
         "cinder: with --one-per-pixel, number of lossy stages, as published (0: compact without loss)")
      ->check(CLI::Validator(check_whole, ""))
      ->type_name("N")
      ->group(kMethod);
  flag("--filter-self", paper.filter_self, true,
       "cinder: with --one-per-pixel, filter self-interferences instead of preventing them");
  flag("--one-per-pixel", paper.one_per_pixel, true, "cinder: the published passes, one collision a pixel");
  app.add_option_function<std::string>(
         "--edge-offset", [&paper](const std::string& text) { paper.edge_offset = number_of(text); },
         "cinder: with --one-per-pixel, draw edges this far out of their solid")
      ->check(CLI::Validator(check_number, ""))
      ->type_name("D")
      ->group(kMethod);
  app.add_option_function<std::string>(
         "--time-step", [&paper](const std::string& text) { paper.time_step = number_of(text); },
         "velocity: drop a face only if it cannot be hit first within this time")
      ->check(CLI::Validator(check_number, ""))
      ->type_name("T")
      ->group(kMethod);
  flag("--no-spheres", paper.bounding_spheres, false, "velocity: without bounding spheres");
  flag("--face-by-face", paper.face_by_face, true, "velocity: test each face on its own, as published");
}

// Without --method (or --drive: check_drive_options) these options would be silently ignored.
void need_method(CLI::App& app) {
  if (app.get_option_no_throw("--drive") != nullptr) return;
  for (CLI::Option* option : app.get_options())
    if (option->get_group() == kMethod && option->get_name() != "--method") option->needs("--method");
}

void check_drive_options(const CLI::App& app) {
  if (app.get_option_no_throw("--drive") == nullptr) return;
  if (app.count("--drive") > 0 && app.count("--method") > 0) throw CLI::ExcludesError("--drive", "--method");
  if (app.count("--drive") + app.count("--method") > 0) return;
  for (const CLI::Option* option : app.get_options())
    if (option->get_group() == kMethod && option->count() > 0)
      throw CLI::RequiresError(option->get_name(), "--method or --drive");
}

const Names<MethodName>& all_methods() {
  static const Names<MethodName> kAll =
      names_of({MethodName::exact, MethodName::cullide, MethodName::quick_cullide, MethodName::self_cullide,
                MethodName::peel, MethodName::cinder, MethodName::velocity});
  return kAll;
}

void add_methods(CLI::App& app, MethodSettings& settings, bool with_motions) {
  const auto take = [&settings](MethodName method) { settings.method = method; };
  if (with_motions)
    add_choice<MethodName>(app, "--method", all_methods(), "Method", take);
  else  // the methods that find contacts of a mesh with itself
    add_choice<MethodName>(app, "--method",
                           names_of({MethodName::exact, MethodName::cullide, MethodName::quick_cullide,
                                     MethodName::self_cullide, MethodName::peel}),
                           "Method", take);
  // Callbacks run in the order of these definitions: the preset comes before the options that change it.
  app.add_flag_callback(
         "--as-published", [&settings] { settings.paper = papers::method::as_published(settings.method); },
         "The preset of the method's paper, with nothing of ours; options beside it change the preset")
      ->group(kMethod);
  add_image_options(app, settings.paper);
  add_own_options(app, settings.paper, with_motions);
  if (!with_motions) return;
  app.add_option("--motion", settings.motions, "velocity: PART:VX,VY,VZ[,WX,WY,WZ]; once for each part")
      ->allow_extra_args(false)
      ->type_name("MOTION")
      ->group(kMethod);
  app.add_option("--rigid", settings.rigid, "peel: PART does not deform; once for each part")
      ->allow_extra_args(false)
      ->type_name("PART")
      ->group(kMethod);
  add_choice<MethodName>(app, "--then",
                         names_of({MethodName::exact, MethodName::cullide, MethodName::quick_cullide,
                                   MethodName::self_cullide, MethodName::peel}),
                         "velocity: method for the faces that are left",
                         [&settings](MethodName method) { settings.paper.then = method; });
}

}  // namespace

void add_drive_option(CLI::App& app, MethodSettings& settings) {
  using Driver = std::optional<MethodName>;  // none: normals of exact contacts
  Names<Driver> drivers;
  for (const auto& [name, method] : all_methods()) drivers.emplace_back(name, method);
  drivers.emplace_back("normals", std::nullopt);
  add_choice<Driver>(app, "--drive", drivers,
                     "The method whose contacts the scene responds to; the exact engine counts what it misses. Or "
                     "normals: balls or a cloth leave solids along the normals of exact contacts",
                     [&settings](Driver driver) {
                       settings.method = driver.value_or(MethodName::exact);
                       settings.drives = driver.has_value();
                       settings.normals = !driver.has_value();
                     });
}

void add_method_options(CLI::App& app, MethodSettings& settings, bool with_motions) {
  add_methods(app, settings, with_motions);
  need_method(app);
}

void check_method_options(const CLI::App& app, const MethodSettings& settings) {
  using enum MethodName;
  check_drive_options(app);
  struct Use {
    const char* option;
    std::vector<MethodName> methods;
  };
  const std::vector<MethodName> images = {cullide, quick_cullide, self_cullide, peel, cinder};
  const std::vector<Use> uses = {{"--as-published", {cullide, quick_cullide, self_cullide, peel, cinder, velocity}},
                                 {"--precision", images},
                                 {"--view", images},
                                 {"--resolution", images},
                                 {"--depth-bits", images},
                                 {"--random-hierarchy", {cullide, quick_cullide, self_cullide}},
                                 {"--object-level", {cullide, quick_cullide}},
                                 {"--no-patches", {cullide, quick_cullide}},
                                 {"--rounds", {cullide, quick_cullide}},
                                 {"--input-order", {cullide, quick_cullide}},
                                 {"--no-hand-over", {self_cullide}},
                                 {"--triangle-leaves", {self_cullide}},
                                 {"--no-protection", {self_cullide}},
                                 {"--axis-views", {self_cullide}},
                                 {"--epsilon", {peel}},
                                 {"--unique-ids", {peel}},
                                 {"--last-vertex-ids", {peel}},
                                 {"--from-farther", {peel}},
                                 {"--rigid", {peel}},
                                 {"--mip-map", {cinder}},
                                 {"--filter-self", {cinder}},
                                 {"--one-per-pixel", {cinder}},
                                 {"--edge-offset", {cinder}},
                                 {"--motion", {velocity}},
                                 {"--then", {velocity}},
                                 {"--time-step", {velocity}},
                                 {"--no-spheres", {velocity}},
                                 {"--face-by-face", {velocity}}};
  for (const Use& use : uses) {
    const CLI::Option* option = app.get_option_no_throw(use.option);
    if (option == nullptr || option->count() == 0) continue;
    const auto takes = [&](MethodName method) {
      return std::find(use.methods.begin(), use.methods.end(), method) != use.methods.end();
    };
    if (takes(settings.method) || (settings.method == velocity && takes(settings.paper.then))) continue;
    throw CLI::ValidationError(use.option, fmt::format("{} does not use it", to_string(settings.method)));
  }
}

NamedMotion parse_motion(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  std::vector<double> numbers;
  const bool good = colon != std::string::npos && colon > 0 &&
                    parse_numbers(std::string_view(text).substr(colon + 1), 3, 6, numbers) && numbers.size() % 3 == 0;
  if (!good) throw Error(fmt::format("--motion '{}': not PART:VX,VY,VZ or PART:VX,VY,VZ,WX,WY,WZ", text));
  NamedMotion named;
  named.part = text.substr(0, colon);
  named.motion.velocity = {numbers[0], numbers[1], numbers[2]};
  if (numbers.size() == 6) named.motion.angular_velocity = {numbers[3], numbers[4], numbers[5]};
  return named;
}

}  // namespace sightline::tool
