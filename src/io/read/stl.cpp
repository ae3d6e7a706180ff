// STL. Binary: 80 bytes of anything, a count, 50 bytes a triangle (normal and attribute are not read). ASCII: solids of
// facets of three vertices. A file is binary if its size agrees with its count, even if it begins with "solid".

#include <atomic>
#include <cstring>

#include "base/format.h"
#include "base/pages.h"
#include "base/parallel.h"
#include "base/poll.h"
#include "read/records.h"
#include "read/text.h"

namespace sightline::read {
namespace {

constexpr std::size_t kHeader = 84, kRecord = 50, kNormal = 12;

std::uint32_t claimed_count(std::span<const std::byte> bytes) {
  std::uint32_t count;
  std::memcpy(&count, bytes.data() + 80, 4);  // little-endian, as every platform we build for
  return count;
}

/// The points are the corners of the triangles from `first` on.
[[noreturn]] void fail_not_finite(const std::string& file, std::span<const Vec3f> points, std::uint64_t first = 0) {
  for (std::size_t i = 0; i < points.size(); ++i)
    for (int axis = 0; axis < 3; ++axis)
      if (!std::isfinite(points[i][axis]))
        throw Error(formatted("{}: triangle {} (byte {}): {} is {}, not a finite number", file, first + i / 3,
                              kHeader + kRecord * (first + i / 3) + kNormal + 12 * (i % 3) + 4 * axis, "xyz"[axis],
                              points[i][axis]));
  throw Error(file + ": a coordinate is not finite");
}

/// Copies the corners of a record. The sum is 0 unless a coordinate is not finite.
float copy_corners(const std::byte* record, Vec3f* to) {
  std::memcpy(to, record + kNormal, 36);
  float sum = 0;
  for (const Vec3f* p = to; p != to + 3; ++p) sum += ((*p)[0] - (*p)[0]) + ((*p)[1] - (*p)[1]) + ((*p)[2] - (*p)[2]);
  return sum;
}

void check_size(const Source& source) {
  const std::size_t size = source.bytes.size();
  if (size < kHeader)
    throw Error(
        formatted("{}: {} bytes are too few for an STL file, which has a header of {}", source.file, size, kHeader));
  const std::uint64_t count = claimed_count(source.bytes), held = (size - kHeader) / kRecord;
  // Less than one record too many is padding; anything else would hide or invent triangles.
  if (count != held)
    throw Error(formatted("{}: byte 80: the header claims {} triangles, but the file holds {} ({} bytes)", source.file,
                          count, held, size));
}

/// The corners of all triangles: read(first, last, visit) calls visit(records) with the bytes of records [first, last),
/// and is called by several threads. It returns false if they cannot be read; then there is no model.
template <typename Read>
std::optional<Model> read_records(const std::string& file, std::size_t count, unsigned threads,
                                  const std::function<bool()>& cancel, const Read& read) {
  if (count > 0xFFFFFFFFu / 3)
    throw Error(formatted("{}: byte 80: {} triangles have more corners than can be numbered", file, count));
  Workers workers(threads, count);
  std::vector<Vec3f> points;
  std::vector<Triangle> triangles;
  reserve_large(points, 3 * count), reserve_large(triangles, count);
  std::atomic<bool> finite{true}, complete{true};
  const auto convert = [&](std::size_t first, std::size_t last) {
    const Poll poll(cancel);
    float sum = 0;  // stays 0 unless a coordinate is not finite
    const auto visit = [&](const std::byte* records) {
      for (std::size_t i = first; i < last; ++i) {
        sum += copy_corners(records + kRecord * (i - first), &points[3 * i]);
        const auto corner = static_cast<std::uint32_t>(3 * i);
        triangles[i] = {corner, corner + 1, corner + 2};
      }
    };
    if (!read(first, last, visit)) complete = false;
    if (sum != 0) finite = false;
  };
  constexpr std::size_t kBlock = 1 << 12;
  if (workers.count() == 1) {
    // Elements become zeros before they become corners: in a cache.
    for (std::size_t first = 0, last; first < count && complete; first = last) {
      last = std::min(count, first + kBlock);
      points.resize(3 * last), triangles.resize(last);
      convert(first, last);
    }
  } else {
    workers.for_each(2, [&](std::size_t i) { i == 0 ? points.resize(3 * count) : triangles.resize(count); });
    workers.for_blocks(count, kBlock, convert);
  }
  if (!complete) return std::nullopt;
  if (!finite) fail_not_finite(file, points);
  return Model{.positions = std::move(points), .triangles = std::move(triangles)};
}

Model read_binary(const Source& source) {
  check_size(source);
  const std::byte* const records = source.bytes.data() + kHeader;
  return *read_records(source.file, claimed_count(source.bytes), source.threads, source.cancel,
                       [records](std::size_t first, std::size_t, const auto& visit) {
                         visit(records + kRecord * first);
                         return true;
                       });
}

class AsciiReader {
 public:
  explicit AsciiReader(const Source& source) : scan_(skip_bom(source.text()), source.file), poll_(source.cancel) {}

  Model read() {
    while (!scan_.at_end()) read_solid();
    // A file with one solid is one part that has no name of its own, whatever name the exporter wrote.
    Model model{.positions = std::move(points_), .triangles = std::move(triangles_)};
    if (parts_.size() < 2) return model;
    model.parts = std::move(parts_);
    model.runs = std::move(runs_);
    return model;
  }

 private:
  void read_solid() {
    expect("solid");
    const auto number = static_cast<std::uint32_t>(parts_.size());
    runs_.push_back({triangles_.size(), number});
    parts_.push_back({std::string(scan_.rest_of_line()), number});
    while (true) {
      const std::string_view word = scan_.needed_word("\"facet\" or \"endsolid\"");
      if (equal_ignoring_case(word, "endsolid")) break;
      if (!equal_ignoring_case(word, "facet")) fail_word(word, "\"facet\" or \"endsolid\"");
      read_facet();
    }
    scan_.skip_line();
  }

  void read_facet() {
    poll_();
    expect("normal");
    for (int i = 0; i < 3; ++i) scan_.needed_word("a normal");  // not used, and nan in many files
    expect("outer");
    expect("loop");
    if (points_.size() > 0xFFFFFFFFu - 3) scan_.fail("more corners than can be numbered");
    const auto first = static_cast<std::uint32_t>(points_.size());
    for (int corner = 0; corner < 3; ++corner) {
      expect("vertex");
      points_.push_back(scan_.point());
    }
    expect("endloop");
    expect("endfacet");
    triangles_.push_back({first, first + 1, first + 2});
  }

  void expect(const char* keyword) {
    const std::string_view word = scan_.needed_word(keyword);
    if (!equal_ignoring_case(word, keyword)) fail_word(word, keyword);
  }
  [[noreturn]] void fail_word(std::string_view word, const char* wanted) {
    scan_.fail(word.data(), formatted("{} where {} should be", quote(word), wanted));
  }

  Scanner scan_;
  Poll poll_;
  std::vector<Vec3d> points_;
  std::vector<Triangle> triangles_;
  std::vector<Part> parts_;
  std::vector<Run> runs_;
};

/// A binary file, read by place.
class StlSource : public TriangleSource {
 public:
  StlSource(std::shared_ptr<const disk::InputFile> input, const Source& source, std::uint64_t count, unsigned threads)
      : input_(std::move(input)), file_(source.file), name_(source.stem), count_(count), workers_(threads, count) {}

  std::string file() const override { return file_; }
  std::string name() const override { return name_; }
  std::uint64_t size() const override { return count_; }
  bool is_double() const override { return false; }
  void read(std::uint64_t, std::span<CornersD>) override { throw Error(file_ + ": has float32 coordinates"); }
  void read(std::uint64_t first, std::span<CornersF> to) override {
    std::atomic<bool> finite{true};
    workers_.for_blocks(to.size(), 4096, [&](std::size_t begin, std::size_t end) {
      thread_local std::vector<std::byte> raw;
      raw.resize(kRecord * (end - begin));
      input_->read(kHeader + kRecord * (first + begin), raw);
      float sum = 0;
      for (std::size_t i = begin; i < end; ++i) sum += copy_corners(raw.data() + kRecord * (i - begin), to[i].data());
      if (sum != 0) finite = false;
    });
    if (!finite) fail_not_finite(file_, std::span(to.data()->data(), 3 * to.size()), first);
  }

 private:
  std::shared_ptr<const disk::InputFile> input_;
  std::string file_, name_;
  std::uint64_t count_;
  Workers workers_;
};

bool is_ascii(const Source& source) {
  const std::string_view text = skip_bom(source.text());
  Scanner start(text, source.file);
  const bool says_solid = equal_ignoring_case(start.word(), "solid");
  const bool has_nul = text.substr(0, 1024).find('\0') != std::string_view::npos;
  return says_solid && !has_nul && !is_binary_stl(source.bytes);
}

}  // namespace

bool is_binary_stl(std::span<const std::byte> bytes) { return is_binary_stl(bytes, bytes.size()); }
bool is_binary_stl(std::span<const std::byte> head, std::uint64_t size) {
  return head.size() >= kHeader && (size - kHeader) / kRecord == claimed_count(head);
}

std::optional<Model> read_stl_by_place(std::uint64_t size, const ReadPlace& read_place, const Source& source) {
  const std::uint64_t count = (size - kHeader) / kRecord;
  return read_records(source.file, static_cast<std::size_t>(count), source.threads, source.cancel,
                      [&](std::size_t first, std::size_t last, const auto& visit) {
                        thread_local std::vector<std::byte> records;
                        records.resize(kRecord * (last - first));
                        if (!read_place(kHeader + kRecord * first, records)) return false;
                        visit(records.data());
                        return true;
                      });
}

Model read_stl(const Source& source) { return is_ascii(source) ? AsciiReader(source).read() : read_binary(source); }

std::unique_ptr<TriangleSource> stream_stl(std::shared_ptr<const disk::InputFile> file, const Source& source,
                                           const StreamSettings& settings) {
  if (is_ascii(source)) throw_not_in_pieces(source, "an STL file in text form");
  check_size(source);
  return std::make_unique<StlSource>(std::move(file), source, claimed_count(source.bytes), settings.threads);
}

}  // namespace sightline::read
