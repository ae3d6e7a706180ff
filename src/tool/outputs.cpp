#include "tool/outputs.h"

#include <algorithm>
#include <cctype>

#include "picture/up.h"
#include "read/sequence.h"
#include "report/geometry.h"
#include "report/ignore.h"
#include "tool/console.h"
#include "tool/open_file.h"
#include "tool/progress.h"
#include "tool/summary.h"
#include "viewer/shell.h"

namespace sightline::tool {
namespace {

bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error) && !error) return true;
  const std::filesystem::path whole_a = std::filesystem::weakly_canonical(a, error);
  const std::filesystem::path whole_b = std::filesystem::weakly_canonical(b, error);
  return !error && whole_a == whole_b;
}

bool is_device(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_character_file(path, error);
}

}  // namespace

report::WriteOptions write_options(const Settings& settings, Progress* progress) {
  report::WriteOptions options{.threads = settings.threads, .cancel = [] { return interrupt_signal() != 0; }};
  if (progress != nullptr) options.progress = [progress](std::uint64_t items) { progress->advance(items); };
  return options;
}

std::uint64_t items_of(const report::Contacts& contacts, bool with_meshes) {
  std::uint64_t items = contacts.list.size();
  for (const report::Part& part : contacts.parts)
    items += with_meshes ? part.mesh.positions.size() + part.mesh.triangles.size() : 1;
  return items;
}

std::string ignored_note(const Settings& settings, std::uint64_t count) {
  std::vector<std::string> names;
  for (const std::string& argument : settings.ignore)
    names.push_back(report::IgnoreList::is_patterns(argument) ? argument
                                                              : std::filesystem::path(argument).filename().string());
  return fmt::format("{} ignored, by {}.", counted(count, "contact"), listed(names));
}

int up_axis(const Settings& settings, const std::string& file, std::span<const report::Part> parts) {
  return settings.image_up.empty() ? picture::up_of(file, parts) : settings.image_up[0] - 'x';
}

void check_image_name(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (extension.empty() || extension == ".png" || extension == ".apng") return;
  throw Error(fmt::format("--image {}: pictures are written as PNG; give a name that ends in .png, such as {}",
                          report::printable(path.string()),
                          report::printable(std::filesystem::path(path).replace_extension(".png").string())));
}

Outputs::Outputs(const Settings& settings, std::vector<std::filesystem::path> inputs) : inputs_(std::move(inputs)) {
  bool any = false;
  for (const auto& path :
       {settings.json, settings.csv, settings.image, settings.report, settings.bcf, settings.ply, settings.obj})
    any |= !path.empty();
  for (std::size_t i = 0, given = any ? inputs_.size() : 0; i < given; ++i)
    for (std::filesystem::path& beside : read::files_beside(inputs_[i])) inputs_.push_back(std::move(beside));
  for (const std::string& argument : settings.ignore)
    if (!report::IgnoreList::is_patterns(argument)) inputs_.emplace_back(argument);
  if (!settings.json.empty()) open(json, settings.json);
  if (!settings.baseline.empty()) inputs_.push_back(settings.baseline);  // only --json may renew it
  if (!settings.csv.empty()) {
    open(csv, settings.csv);
    open(csv_parts, report::beside(settings.csv, "_parts"));
    if (settings.command == Command::clash && !settings.pairs) open(csv_pairs, report::beside(settings.csv, "_pairs"));
    if (settings.details) open(csv_curves, report::beside(settings.csv, "_curves"));
  }
  if (!settings.image.empty()) open(image, settings.image);
  check_image_name(settings.image);
  if (!settings.bcf.empty()) open(bcf, settings.bcf);
  if (!settings.report.empty()) {
    if (viewer::shell() == nullptr)
      throw Error("--report: this sightline was built without the viewer (its build needs Node.js and npm)");
    open(report, settings.report);
  }
  if (!settings.ply.empty()) {
    open(ply, settings.ply);
    open(ply_segments, report::beside(settings.ply, "_segments"));
  }
  if (!settings.obj.empty()) {
    open(obj, settings.obj);
    open(obj_segments, report::beside(settings.obj, "_segments"));
    open(obj_materials, std::filesystem::path(settings.obj).replace_extension(".mtl"));
  }
}

void Outputs::open(File& file, const std::filesystem::path& path) {
  const std::string name = report::printable(path.string());
  if (path == "-" && &file != &json) throw Error("only --json can write to standard output ('-')");
  for (const std::filesystem::path& input : inputs_)
    if (same_file(path, input)) throw Error(fmt::format("{}: is an input; it would be overwritten", name));
  for (const std::filesystem::path& other : paths_)
    if (same_file(path, other) && !is_device(path))
      throw Error(fmt::format("{}: two outputs would be written to this file", name));
  file = std::make_unique<report::Output>(path);
  paths_.push_back(path);
}

std::vector<Outputs::File*> Outputs::files() {
  std::vector<File*> all = {&json, &csv,          &csv_parts,     &csv_pairs, &csv_curves, &ply, &ply_segments,
                            &obj,  &obj_segments, &obj_materials, &image,     &report,     &bcf};
  std::erase_if(all, [](const File* file) { return *file == nullptr; });
  return all;
}

void Outputs::write_geometry(const report::Contacts& contacts, const report::WriteOptions& options) {
  if (ply) {
    report::write_ply_mesh(*ply, contacts, options);
    report::write_ply_segments(*ply_segments, contacts, options);
  }
  if (obj) {
    report::write_obj_mesh(*obj, obj_materials->path(), contacts, options);
    report::write_obj_segments(*obj_segments, obj_materials->path(), contacts, options);
    report::write_mtl(*obj_materials);
  }
}

void Outputs::write_image(const Settings& settings, const report::Contacts& contacts, const std::string& file,
                          const picture::Notes& notes, Progress& progress) {
  if (!image) return;
  picture::write_png(*image, picture::draw(contacts,
                                           {.width = settings.image_width,
                                            .height = settings.image_height,
                                            .up = up_axis(settings, file, contacts.parts),
                                            .simd = settings.simd,
                                            .run = write_options(settings, &progress)},
                                           notes));
}

void Outputs::drop(File& file) {
  std::erase(paths_, file->path());
  file.reset();
}

void Outputs::commit() {
  for (File* file : files()) (*file)->commit();
}

void Outputs::show(const Settings& settings) const {
  if (settings.open && (report || image)) open_file((report ? report : image)->path());
}

std::string Outputs::summary() const {
  if (paths_.empty()) return "";
  std::vector<std::string> names;
  for (const std::filesystem::path& path : paths_) names.push_back(report::printable(path.string()));
  return fmt::format("wrote {} in {}\n", listed(names), duration(milliseconds));
}

}  // namespace sightline::tool
