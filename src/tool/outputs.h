// The output files of a run. They are opened before the work, so that a bad path is reported at once, and kept only if
// the run succeeds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "picture/picture.h"
#include "report/document.h"
#include "tool/options.h"
#include "tool/progress.h"

namespace sightline::tool {

/// Files that the command line requests are not null.
class Outputs {
 public:
  using File = std::unique_ptr<report::Output>;
  /// Throws Error if a file cannot be created, is named twice, or is an input.
  explicit Outputs(const Settings& settings) : Outputs(settings, settings.inputs) {}
  /// The same with the files that are read in fact.
  Outputs(const Settings& settings, std::vector<std::filesystem::path> inputs);

  File json;
  File csv, csv_parts, csv_pairs, csv_curves;
  File ply, ply_segments;
  File obj, obj_segments, obj_materials;
  File image;
  File report;
  File bcf;

  bool geometry() const { return ply || obj; }
  /// The requested PLY and OBJ files.
  void write_geometry(const report::Contacts& contacts, const report::WriteOptions& options);
  /// The picture, if requested, as kDrawSteps items of the progress; `file` names the format whose upward axis is
  /// taken.
  void write_image(const Settings& settings, const report::Contacts& contacts, const std::string& file,
                   const picture::Notes& notes, Progress& progress);
  /// This file will not be written.
  void drop(File& file);
  /// All files get their final names.
  void commit();
  /// Opens what --open requests, after commit().
  void show(const Settings& settings) const;
  /// "wrote a, b and c in 12 ms", or nothing.
  std::string summary() const;

  double milliseconds = 0;  ///< spent on writing, as the caller counts it

 private:
  void open(File& file, const std::filesystem::path& path);
  std::vector<File*> files();

  std::vector<std::filesystem::path> inputs_;
  std::vector<std::filesystem::path> paths_;
};

/// `progress` may be null. It must outlive the result.
report::WriteOptions write_options(const Settings& settings, Progress* progress = nullptr);
/// About as many items as the writers of these contacts and parts report to WriteOptions::progress.
std::uint64_t items_of(const report::Contacts& contacts, bool with_meshes);
/// For the page: contacts that are left out of it.
std::string ignored_note(const Settings& settings, std::uint64_t count);
/// Throws Error for a path of --image with the extension of another format.
void check_image_name(const std::filesystem::path& path);
/// The axis that points up, for pictures and pages: that of --image-up, or of the format, or the most likely one.
int up_axis(const Settings& settings, const std::string& file, std::span<const report::Part> parts);

}  // namespace sightline::tool
