#include "read/sequence.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <numeric>

#include "base/format.h"
#include "read/file.h"
#include "read/gltf.h"
#include "read/text.h"

namespace sightline::read {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostDigits = 18;  // a number of this many digits fits 64 bits

struct Numbered {
  std::optional<std::uint64_t> number;
  fs::path path;
};

/// prefix, number of digits at least, suffix.
struct Pattern {
  std::string prefix, suffix;
  std::size_t digits = 0;

  std::string operator()(std::uint64_t number) const { return formatted("{}{:0{}}{}", prefix, number, digits, suffix); }
  std::optional<std::uint64_t> match(const std::string& name) const {
    if (name.size() <= prefix.size() + suffix.size() || !name.starts_with(prefix) || !name.ends_with(suffix))
      return std::nullopt;
    const std::string middle = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
    if (middle.size() > kMostDigits || middle.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
    const std::uint64_t number = std::stoull(middle);
    if (formatted("{:0{}}", number, digits) != middle) return std::nullopt;  // 07 is not what %d gives
    return number;
  }
};

/// Nothing if the name has no %.
std::optional<Pattern> parse_pattern(const fs::path& path) {
  const std::string name = path.filename().string();
  if (name.find('%') == std::string::npos) return std::nullopt;
  const auto bad = [&](const std::string& why) {
    return Error(formatted("{}: {}; a sequence is written like frame_%04d.obj", path.string(), why));
  };
  Pattern pattern{"", "", 0};
  bool found = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    std::string& text = found ? pattern.suffix : pattern.prefix;
    const bool doubled = name.compare(i, 2, "%%") == 0;  // %% stands for one %
    if (name[i] != '%' || doubled) {
      text += name[i];
      i += doubled;
      continue;
    }
    std::size_t end = i + 1;
    while (end < name.size() && is_digit(name[end])) ++end;
    const std::string width = name.substr(i + 1, end - i - 1);
    if (end >= name.size() || name[end] != 'd' || (!width.empty() && (width[0] != '0' || width.size() > 3)))
      throw bad(formatted("there is no such file, and '{}' is no number", name.substr(i, end + 1 - i)));
    if (found) throw bad("two numbers in one name");
    found = true;
    pattern.digits = width.empty() ? 1 : std::clamp<std::size_t>(std::stoul(width), 1, kMostDigits);
    i = end;
  }
  if (!found) return std::nullopt;
  return pattern;
}

std::vector<fs::path> files_of(const fs::path& folder, const fs::path& named) {
  std::error_code error;
  std::vector<fs::path> files;
  fs::directory_iterator at(folder.empty() ? fs::path(".") : folder, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    // A broken link is taken, too: the error is reported when it is read.
    std::error_code ignored;
    const fs::file_status status = at->status(ignored);
    if (fs::is_regular_file(status) || !fs::status_known(status) || status.type() == fs::file_type::not_found)
      files.push_back(folder / at->path().filename());
  }
  if (error) throw Error(formatted("{}: cannot read the folder: {}", named.string(), error.message()));
  return files;
}

/// The frames by number, and the frames that are missing between them. `list` is sorted by number; files without a
/// number keep their place.
void add_with_gaps(Sequence& sequence, const std::vector<Numbered>& list, const Pattern& pattern) {
  std::uint64_t step = 0;
  const Numbered* before = nullptr;
  for (const Numbered& file : list) {
    if (!file.number) continue;
    if (before != nullptr) step = std::gcd(step, *file.number - *before->number);
    before = &file;
  }
  before = nullptr;
  for (const Numbered& file : list) {
    if (file.number && before != nullptr && *file.number - *before->number > step) {
      const std::uint64_t first = *before->number + step, last = *file.number - step, count = (last - first) / step + 1;
      const fs::path folder = file.path.parent_path();
      const auto missing = [&](const std::string& label) {
        return formatted("{}: missing from the sequence", (folder / label).string());
      };
      if (count <= kMostNamed) {
        for (std::uint64_t i = 0; i < count; ++i) {
          const std::string name = pattern(first + i * step);
          sequence.frames.push_back({name, folder / name, 0, missing(name)});
        }
      } else {
        const std::string label = formatted("{} to {} ({} frames)", pattern(first), pattern(last), count);
        sequence.frames.push_back({label, folder.empty() ? fs::path(".") : folder, 0, missing(label), count});
      }
    }
    sequence.frames.push_back({file.path.filename().string(), file.path});
    if (file.number) before = &file;
  }
  if (step > 1)
    sequence.notes.push_back(
        formatted("the numbers are {} apart; what would lie between them is not taken for missing", step));
}

Sequence numbered_files(const fs::path& path, const Pattern& pattern) {
  std::vector<Numbered> list;
  for (const fs::path& file : files_of(path.parent_path(), path))
    if (const auto number = pattern.match(file.filename().string())) list.push_back({*number, file});
  if (list.empty()) throw Error(formatted("{}: no file fits this pattern", path.string()));
  std::sort(list.begin(), list.end(), [](const Numbered& a, const Numbered& b) { return a.number < b.number; });
  Sequence sequence{path.string(), {}};
  add_with_gaps(sequence, list, pattern);
  return sequence;
}

Format format_of_name(const fs::path& path) { return detect({}, path.extension().string()); }

/// Compares numbers in names as numbers: a2 before a10. Names that are equal by this rule are compared byte by byte.
bool natural_less(const std::string& a, const std::string& b) {
  std::size_t i = 0, k = 0;
  const auto digit = [](const std::string& s, std::size_t at) { return at < s.size() && is_digit(s[at]); };
  while (i < a.size() && k < b.size()) {
    if (digit(a, i) && digit(b, k)) {
      const auto run = [&](const std::string& s, std::size_t& at) {
        while (at + 1 < s.size() && s[at] == '0' && digit(s, at + 1)) ++at;
        const std::size_t begin = at;
        while (digit(s, at)) ++at;
        return s.substr(begin, at - begin);
      };
      const std::string x = run(a, i), y = run(b, k);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else {
      if (a[i] != b[k]) return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[k]);
      ++i, ++k;
    }
  }
  if (i < a.size() || k < b.size()) return k < b.size();
  return a < b;
}

/// The pattern that more than half of the names follow in their last number, if there is one.
std::optional<Pattern> common_pattern(const std::vector<fs::path>& files) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> groups;  // names by what is around the number
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    std::size_t end = name.size() - file.extension().string().size();
    while (end > 0 && !is_digit(name[end - 1])) --end;
    std::size_t begin = end;
    while (begin > 0 && is_digit(name[begin - 1])) --begin;
    if (begin < end) groups[{name.substr(0, begin), name.substr(end)}].push_back(name);
  }
  for (const auto& [around, names] : groups) {
    const auto& [prefix, suffix] = around;
    // The shortest name has the fewest digits, be it padded or not.
    const std::size_t shortest =
        std::ranges::min_element(names, {}, [](const std::string& name) { return name.size(); })->size();
    for (const std::size_t digits : {shortest - prefix.size() - suffix.size(), std::size_t{1}}) {
      const Pattern pattern{prefix, suffix, digits};
      const auto fit =
          std::ranges::count_if(names, [&](const std::string& name) { return pattern.match(name).has_value(); });
      if (2 * static_cast<std::size_t>(fit) > files.size()) return pattern;
    }
  }
  return std::nullopt;
}

Sequence folder_files(const fs::path& path) {
  std::vector<fs::path> files = files_of(path, path);
  std::erase_if(files, [](const fs::path& file) {
    return format_of_name(file) == Format::unknown || file.filename().string().starts_with(".");
  });
  if (files.empty())
    throw Error(
        formatted("{}: the folder has no mesh files (.stl, .obj, .ply, .off, .gltf, .glb, .3mf)", path.string()));
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    return natural_less(a.filename().string(), b.filename().string());
  });
  Sequence sequence{path.string(), {}};
  const std::optional<Pattern> pattern = files.size() > 1 ? common_pattern(files) : std::nullopt;
  if (!pattern) {
    for (const fs::path& file : files) sequence.frames.push_back({file.filename().string(), file});
    return sequence;
  }
  std::vector<Numbered> list;
  for (const fs::path& file : files) {
    list.push_back({pattern->match(file.filename().string()), file});
    if (!list.back().number)
      sequence.notes.push_back(
          formatted("{} is not numbered like the others; it is a frame all the same", file.filename().string()));
  }
  add_with_gaps(sequence, list, *pattern);
  return sequence;
}

class GltfFile final : public Movie {
 public:
  explicit GltfFile(FileSource file) : file_(std::move(file)), movie_(file_.source) {}
  const GltfAnimations& animations() const { return movie_.animations(); }
  /// The frames that mesh() takes by number.
  const std::vector<GltfFrame>& find_frames(double rate) { return frames_ = animations().frames(rate, kMostFrames); }
  Mesh mesh(std::size_t moment) override {
    return to_mesh(checked(movie_.model(frames_[moment]), file_.source), file_.source);
  }
  Assembly assembly(std::size_t moment) override {
    return to_assembly(checked(movie_.model(frames_[moment]), file_.source), file_.source.stem);
  }

 private:
  FileSource file_;
  GltfMovie movie_;
  std::vector<GltfFrame> frames_;
};

/// The rate that is used where none is given. Adds a note if not all frames of the usual rate are taken.
double usual_rate(const GltfAnimations& animations, std::vector<std::string>& notes) {
  const double wanted = animations.frames_at(kUsualRate), most = static_cast<double>(kUsualFrames);
  if (wanted <= most) return kUsualRate;
  const double rate = kUsualRate * std::max(most - animations.frames_at(0), 1.0) / wanted;
  notes.push_back(
      formatted("the animations have {:.0f} frames at {} a second; {:.3g} a second are checked, about {:.0f} frames. "
                "--fps {} checks all",
                wanted, kUsualRate, rate, animations.frames_at(rate), kUsualRate));
  return rate;
}

std::optional<Sequence> moving_file(const fs::path& path, double rate, const ReadOptions& options = {}) {
  FileSource file(path, options.threads);
  file.source.part_per_primitive = options.part_per_primitive;
  file.source.warning = options.warning;
  if (detect(file.source.bytes, path.extension().string()) != Format::gltf) return std::nullopt;
  const auto movie = std::make_shared<GltfFile>(std::move(file));
  if (movie->animations().empty()) return std::nullopt;
  Sequence sequence{path.string(), {}, movie};
  sequence.rate = rate > 0 ? rate : usual_rate(movie->animations(), sequence.notes);
  for (const GltfFrame& frame : movie->find_frames(sequence.rate))
    sequence.frames.push_back({frame.label, path, sequence.frames.size()});
  return sequence;
}

/// By its extension or by its first bytes. A pipe is not examined, since its bytes can be read only once.
bool may_be_gltf(const fs::path& path) {
  std::error_code error;
  if (path == kStandardInput) {
    try {
      return detect(load_file(path).span(), "") == Format::gltf;
    } catch (const Error&) {  // it is reported when the file is read
      return false;
    }
  }
  if (!fs::is_regular_file(path, error)) return false;
  if (format_of_name(path) == Format::gltf) return true;
  std::array<char, 256> head = {};
  std::ifstream(path, std::ios::binary).read(head.data(), head.size());
  return detect(std::as_bytes(std::span(head)), "") == Format::gltf;
}

Sequence with_notes(Sequence sequence) {
  for (const SequenceFrame& frame : sequence.frames)
    if (frame.error.empty() && moves(frame.path))
      sequence.notes.push_back(formatted("{} moves; here only its rest pose is checked", frame.label));
  return sequence;
}

}  // namespace

bool moves(const fs::path& path) {
  if (!may_be_gltf(path)) return false;
  try {
    return moving_file(path, 1).has_value();
  } catch (const Error&) {
    return false;
  }
}

std::vector<fs::path> files_beside(const fs::path& path) {
  std::vector<fs::path> files;
  if (!may_be_gltf(path)) return files;
  try {
    const FileSource file(path);
    const fs::path folder = path == kStandardInput ? fs::path() : path.parent_path();
    for (const std::string& name : GltfDocument(file.source).siblings()) files.push_back(folder / name);
  } catch (const Error&) {
    // The error is reported when the file is read.
  }
  return files;
}

std::optional<Sequence> find_sequence(const fs::path& path, double rate, bool rest_only, const ReadOptions& options) {
  std::error_code error;
  if (fs::is_directory(path, error)) return with_notes(folder_files(path));
  if (!fs::exists(path, error)) {
    if (const auto pattern = parse_pattern(path)) return with_notes(numbered_files(path, *pattern));
    return std::nullopt;  // the error is reported when the file is read
  }
  // The file is examined for animations before it is read, and a pipe can be read only once.
  if (format_of_name(path) == Format::gltf && !fs::is_regular_file(path, error))
    throw Error(formatted("{}: is not a regular file; a glTF file must be one", path.string()));
  if (rest_only || !may_be_gltf(path)) return std::nullopt;
  return moving_file(path, rate, options);
}

}  // namespace sightline::read
