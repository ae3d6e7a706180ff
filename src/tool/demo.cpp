// `sightline demo`: the papers' scenes, live; with --drive, moved by what a paper's method finds.
#include <algorithm>
#include <deque>
#include <optional>
#include <string_view>
#include <utility>

#include "page/page.h"
#include "picture/picture.h"
#include "scenes/papers/papers.h"
#include "tool/commands.h"
#include "tool/console.h"
#include "tool/drive.h"
#include "tool/open_file.h"
#include "tool/outputs.h"
#include "tool/pruning.h"
#include "tool/steering.h"
#include "tool/suggest.h"
#include "tool/summary.h"
#include "viewer/shell.h"

namespace sightline::tool {
namespace {

using scenes::AnimatedObject;
using scenes::Animation;
using scenes::PaperScene;
using scenes::Placement;

constexpr std::size_t kMostFrames = 100'000;
// The papers' sizes make pages of gigabytes; --triangles selects them.
constexpr std::size_t kUsual = 20'000;

// A picture keeps all frames until the end, since its window must hold all of them.
constexpr std::size_t kMostDrawn = 1000;

// Short names for the first tries.
constexpr std::pair<std::string_view, std::string_view> kAliases[] = {
    {"bunny", "deformed-bunny"}, {"cows", "two-cows"},   {"dragon", "bunny-dragon"}, {"cloth", "cloth-on-table"},
    {"walker", "billiard"},      {"torn", "torn-cloth"}, {"tori", "two-tori"}};

std::string_view alias_of(std::string_view scene) {
  for (const auto& [alias, name] : kAliases)
    if (name == scene) return alias;
  return "";
}

const PaperScene& chosen(const std::string& name) {
  if (const PaperScene* scene = scenes::find_paper_scene(name)) return *scene;
  for (const auto& [alias, full] : kAliases)
    if (alias == name) return *scenes::find_paper_scene(full);
  std::vector<std::string> names;
  for (const PaperScene& known : scenes::paper_scenes()) names.emplace_back(known.name);
  throw Error(not_there("scene", name, demo_names(), "there are " + listed(names)));
}

std::unique_ptr<Animation> made(const PaperScene& scene, std::size_t triangles, unsigned threads) {
  // The scenes of the experiments are those of the papers; in the demo, bodies respond to each other.
  const unsigned workers = threads == 0 ? 2 : threads;
  if (scene.name == "cloth-on-table") return scenes::resting_cloth(triangles, workers);
  if (scene.name == "breaking") return scenes::breaking_on_ground(triangles, workers);
  if (scene.name == "two-tori") return scenes::pushing_tori(triangles, workers);
  return scene.make(triangles);
}

/// The places of the body that a user moves, or nothing if it moves by itself.
class Steering {
 public:
  Steering(const Settings& settings, const PaperScene& scene) {
    if (!settings.body_path.empty() && !scene.steered)
      throw Error(fmt::format("--path: the scene '{}' has no body that a user moves; take moving-body", scene.name));
    if (!scene.steered) return;
    if (!settings.body_path.empty())
      path_ = read_path(settings.body_path);
    else if (Keys::available())
      keys_.emplace();
  }

  bool by_keys() const { return keys_.has_value(); }
  /// How many frames there are if the command line does not set a number.
  std::size_t frames(const PaperScene& scene) const {
    return by_keys() ? kMostFrames : path_.empty() ? scene.frames : path_.size();
  }
  /// The place in this frame, or nothing at the end. Each frame once, in order.
  std::optional<Placement> next(std::size_t frame) {
    if (!keys_) return path_[std::min(frame, path_.size() - 1)];
    return frame == 0 ? Placement{} : keys_->next();
  }
  explicit operator bool() const { return by_keys() || !path_.empty(); }

 private:
  std::vector<Placement> path_;
  std::optional<Keys> keys_;
};

class Demo {
 public:
  explicit Demo(const Settings& settings)
      : settings_(settings),
        about_(chosen(settings.scene)),
        progress_(settings.prints_summary()),
        driver_(settings, progress_),
        scene_(settings.chosen_device()) {
    if (about_.name == "two-tori") about_.response = {.any = true};  // see made()
    if (settings.method.drives) check_drive(about_, settings.method);
    if (settings.method.normals && !about_.response.normals)
      throw Error(
          fmt::format("--drive normals: the scene '{}' has no response along normals; 'stairs', 'bouncing' and "
                      "'cloth-on-table' have",
                      about_.name));
    steering_.emplace(settings, about_);
    frames_ = settings.demo_frames.value_or(steering_->frames(about_));
    std::filesystem::path path = settings.report;
    if (path.empty() && viewer::shell() != nullptr) path = std::string(about_.name) + ".html";
    for (const std::filesystem::path& output : {path, settings.image}) {
      std::error_code error;
      if (!settings.body_path.empty() && std::filesystem::equivalent(output, settings.body_path, error))
        throw Error(fmt::format("{}: is an input; it would be overwritten", report::printable(output.string())));
    }
    if (!settings.image.empty()) {
      if (frames_ > kMostDrawn)
        throw Error(fmt::format("--image: {} frames; at most {} can be drawn (--frames)", frames_, kMostDrawn));
      if (settings.image == path)
        throw Error(fmt::format("{}: two outputs would be written to this file", report::printable(path.string())));
      check_image_name(settings.image);
      image_.emplace(settings.image);
    }
    if (settings.open && path.empty() && settings.image.empty())
      throw Error("--open: this sightline was built without the viewer, and there is no --image; nothing is written");
    if (!path.empty()) open_page(path);
  }

  int run() {
    const std::size_t triangles =
        settings_.scene_triangles > 0 ? settings_.scene_triangles : std::min(kUsual, about_.triangles);
    print(fmt::format("{}: {} ({}{})\n", ink(Ink::bold, about_.name), about_.what,
                      steering_->by_keys() ? "moved by keys" : counted(frames_, "frame"),
                      settings_.method.normals ? ", driven by normals"
                      : drives()               ? fmt::format(", driven by {}", to_string(settings_.method.method))
                                               : ""));
    if (steering_->by_keys()) print(Keys::help());
    Stopwatch watch;
    const std::unique_ptr<Animation> animation = made(about_, triangles, settings_.threads);
    if (drives()) animation->drive(driver_.detector());
    if (settings_.method.normals) animation->use_normals();
    double simulated = watch.lap();
    for (std::size_t i = 0; i < frames_; ++i) {
      std::optional<Placement> place;
      if (*steering_) {
        progress_.clear();
        place = steering_->next(i);
        if (!place) break;
        animation->steer(*place);
      }
      if (i > 0) {
        progress_.step(fmt::format("moving, frame {}", i));
        watch.lap();
        animation->advance();
        simulated = watch.lap() - driver_.take_exact_time();
      }
      stop_if_interrupted();
      look(animation->frame().objects, i, simulated, place);
    }
    steering_.reset();  // the terminal is as before
    finish();
    return kClean;
  }

 private:
  bool drives() const { return settings_.method.drives; }
  void print(const std::string& text) {
    progress_.clear();
    if (settings_.prints_summary()) print_out(text);
  }

  void open_page(const std::filesystem::path& path) {
    if (viewer::shell() == nullptr)
      throw Error("--report: this sightline was built without the viewer (its build needs Node.js and npm)");
    output_.emplace(path);
    page_.emplace(*output_, *viewer::shell(),
                  report::PageInfo{.title = std::string(about_.name),
                                   .command = "demo",
                                   .version = version(),
                                   .up = kUp,
                                   .expected_frames = steering_->by_keys() ? about_.frames : frames_,
                                   .frames_per_second = 30},
                  write_options(settings_));
  }

  // Objects keep their numbers; new ones come at the end.
  void update(const std::vector<AnimatedObject>& objects) {
    for (std::size_t i = 0; i < objects.size(); ++i) {
      if (i < scene_.size())
        scene_.replace(static_cast<ObjectId>(i), objects[i].mesh);
      else
        scene_.add(objects[i].mesh, {.self = objects[i].self && (!drives() || about_.response.self)});
    }
  }

  void look(const std::vector<AnimatedObject>& objects, std::size_t frame, double simulated,
            const std::optional<Placement>& place) {
    progress_.step(fmt::format("checking frame {}", frame));
    update(objects);
    papers::method::MethodSettings options = query_options(settings_, progress_);
    for (const AnimatedObject& object : objects) options.paper.motions.push_back(object.motion);
    options.paper.record_dropped = page_.has_value() && settings_.method.method != MethodName::exact;
    report_ = papers::method::run(scene_, options);
    if (report_.cancelled) throw Interrupted{};
    ++shown_;
    Missed missed;
    if (drives()) {
      const sightline::Report exact = scene_.collide({.threads = settings_.threads, .cancel = options.cancel});
      if (exact.cancelled) throw Interrupted{};
      missed.add(exact, report_);
    }
    most_ = std::max(most_, report_.found);
    total_ += report_.stats.milliseconds;
    last_ = report_.found;
    const std::string counts = report_.found == 0 ? "no contacts"
                                                  : fmt::format("{}: {}", counted(report_.found, "contact"),
                                                                by_kind(report::count_kinds(report_.contacts)));
    print(fmt::format("  frame {:>4}  {:>8}  simulated in {:>8}  {}{}{}{}\n", frame,
                      duration(report_.stats.milliseconds), duration(simulated), counts,
                      drives() ? missed_text(missed) : "", pcs_text(), place ? place_text(*place) : ""));
    if (image_) keep_for_image(objects);
    if (page_)
      write_page(objects, drives() ? fmt::format("frame {}, {} missed", frame, grouped(missed.missed))
                                   : fmt::format("frame {}", frame));
  }

  /// What the method missed in a frame, and in the queries of the response that led to it.
  std::string missed_text(const Missed& in_frame) {
    const Missed in_response = driver_.take();
    in_frames_ += in_frame;
    in_responses_ += in_response;
    std::string text = fmt::format(", {} missed", grouped(in_frame.missed));
    if (!report_.method.penetrations.empty())
      text += fmt::format("; {}", counted(report_.method.penetrations.size(), "penetration"));
    if (in_response.queries > 0)
      text += fmt::format("; {} of the response, {} of {} missed", counted(in_response.queries, "query", "queries"),
                          grouped(in_response.missed), counted(in_response.exact, "contact"));
    return text;
  }
  static std::string place_text(const Placement& place) {
    return fmt::format("; body at {:g} {:g} {:g}, turned {:g} {:g} {:g}", place.offset[0], place.offset[1],
                       place.offset[2], place.degrees[0], place.degrees[1], place.degrees[2]);
  }

  std::string pcs_text() const {
    const MethodReport& how = report_.method;
    if (how.method == MethodName::exact) return "";
    return fmt::format("; {} of {} triangles left after {}", grouped(how.pcs.size()), grouped(report_.stats.triangles),
                       counted(how.passes.size(), "pass", "passes"));
  }

  report::Part part_of(const Mesh& mesh, std::size_t number) const {
    return {.file = std::string(about_.name),
            .name = mesh.name.empty() ? fmt::format("object {}", number + 1) : mesh.name,
            .mesh = mesh,
            .facts = {}};
  }

  void keep_for_image(const std::vector<AnimatedObject>& objects) {
    Moment& moment = moments_.emplace_back();
    for (const AnimatedObject& object : objects) moment.meshes.push_back(object.mesh);
    for (const Mesh& mesh : moment.meshes) moment.parts.push_back(part_of(mesh, moment.parts.size()));
    moment.contacts = report_.contacts;
  }

  void write_image() {
    progress_.step("drawing");
    std::vector<report::Contacts> moments;
    for (const Moment& moment : moments_) moments.push_back({moment.parts, moment.contacts});
    const std::vector<picture::Picture> pictures =
        picture::draw_moments(moments, {.width = settings_.image_size_given ? settings_.image_width : 640,
                                        .height = settings_.image_size_given ? settings_.image_height : 400,
                                        .up = kUp,
                                        .simd = settings_.simd,
                                        .run = write_options(settings_)});
    image_->write(picture::animated_png_of(pictures, kMillisecondsEach));
    image_->commit();
    print(fmt::format("wrote {}\n", report::printable(image_->path().string())));
  }

  void write_page(const std::vector<AnimatedObject>& objects, std::string label) {
    std::vector<report::Part> parts;
    for (const AnimatedObject& object : objects) parts.push_back(part_of(object.mesh, parts.size()));
    const report::PagePruning pruning = pruning_of(report_.method, parts);
    page_->frame({.label = std::move(label),
                  .parts = parts,
                  .contacts = report_.contacts,
                  .found = report_.found,
                  .complete = report_.complete,
                  .can_miss = report_.method.can_miss,
                  .milliseconds = report_.stats.milliseconds,
                  .pruning = pruning.passes.empty() ? nullptr : &pruning});
  }

  void finish() {
    print(fmt::format("\n{} in {} ({} each); at most {}, {} in the last frame\n", counted(shown_, "frame"),
                      duration(total_), duration(total_ / static_cast<double>(shown_)), counted(most_, "contact"),
                      last_ == 0 ? "none" : grouped(last_)));
    if (drives()) {
      const std::string text = fmt::format(
          "{} missed {} of {} in the frames, and {} of {} in {} of the response", to_string(settings_.method.method),
          grouped(in_frames_.missed), counted(in_frames_.exact, "contact"), grouped(in_responses_.missed),
          grouped(in_responses_.exact), counted(in_responses_.queries, "query", "queries"));
      print(text + "\n");
      if (page_) page_->add_note(text + ".");
    }
    if (image_) write_image();
    if (page_) {
      progress_.step("writing");
      page_->finish();
      output_->commit();
      print(fmt::format("wrote {}\n", report::printable(output_->path().string())));
    }
    progress_.clear();
    if (settings_.open) open_file((page_ ? output_ : image_)->path());
  }

  static constexpr int kUp = 1;
  static constexpr std::uint32_t kMillisecondsEach = 33;

  /// A frame of the picture. The parts hold views of the meshes.
  struct Moment {
    std::vector<Mesh> meshes;
    std::vector<report::Part> parts;
    std::vector<Contact> contacts;
  };

  const Settings& settings_;
  PaperScene about_;
  std::size_t frames_ = 0, shown_ = 0;  ///< at most, so far
  Progress progress_;
  Driver driver_;
  std::optional<Steering> steering_;
  sightline::Scene scene_;
  Report report_;
  std::optional<report::Output> output_;
  std::optional<report::PageWriter> page_;
  std::optional<report::Output> image_;
  std::deque<Moment> moments_;
  std::uint64_t most_ = 0, last_ = 0;
  Missed in_frames_, in_responses_;
  double total_ = 0;
};

}  // namespace

std::vector<std::string> demo_names() {
  std::vector<std::string> names;
  for (const PaperScene& known : scenes::paper_scenes()) names.emplace_back(known.name);
  for (const auto& [alias, full] : kAliases) names.emplace_back(alias);
  return names;
}

std::string demo_list() {
  std::string text = "Scenes:";
  for (const PaperScene& scene : scenes::paper_scenes())
    text += fmt::format("\n  {:<16}{}{}{}", scene.name, scene.what,
                        scene.frames > 1 ? fmt::format(" ({} frames)", scene.frames) : "",
                        alias_of(scene.name).empty() ? "" : fmt::format("; also '{}'", alias_of(scene.name)));
  return text;
}

int demo(const Settings& settings) {
  if (settings.scene.empty()) {
    print_out(demo_list() + "\n\n'sightline demo NAME' runs one of them.\n");
    return kClean;
  }
  if (settings.scene_triangles > 10'000'000)
    throw Error(fmt::format("--triangles {}: at most 10000000", settings.scene_triangles));
  if (settings.demo_frames && (*settings.demo_frames == 0 || *settings.demo_frames > kMostFrames))
    throw Error(fmt::format("--frames {}: 1 to 100000", *settings.demo_frames));
  if (!settings.method.motions.empty()) throw Error("--motion: the scenes of the demo have their own motions");
  if (!settings.method.rigid.empty()) throw Error("--rigid: the demo peels all pairs of objects; take 'clash'");
  return Demo(settings).run();
}

}  // namespace sightline::tool
