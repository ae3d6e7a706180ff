#include "page/bytes.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>

#include "base/parallel.h"
#include "sightline/mesh.h"

namespace sightline::report {
namespace {

constexpr std::size_t kPiece = 1 << 20;
constexpr int kLevel = 6;  // 9 gains one part in a hundred and takes twice the time

// All printable characters but '<', so that nothing in the text ends a script element, and but '&' and '\\'.
constexpr char kDigits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%()*+,-./:;=>?@[]^_`{|}~'\"";
constexpr unsigned kBase = 91;
static_assert(sizeof kDigits == kBase + 1);

// 13 bits in two characters: 8192 of 8281. Base64 is a third larger than the bytes, this 23 in a hundred.
std::string as_text(std::span<const std::uint8_t> bytes) {
  std::string text;
  text.reserve(bytes.size() * 16 / 13 + 4);
  std::uint32_t bits = 0;
  int have = 0;
  const auto put = [&] {
    text += kDigits[(bits & 8191) % kBase];
    text += kDigits[(bits & 8191) / kBase];
  };
  for (const std::uint8_t byte : bytes) {
    bits |= std::uint32_t{byte} << have;
    have += 8;
    if (have < 13) continue;
    put();
    bits >>= 13;
    have -= 13;
  }
  // At most 6 bits of padding, too few to make a byte.
  if (have > 6)
    put();
  else if (have > 0)
    text += kDigits[bits];
  return text + " ";
}

std::string deflated(std::span<const std::uint8_t> bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::vector<std::uint8_t> small(size);
  if (compress2(small.data(), &size, bytes.data(), static_cast<uLong>(bytes.size()), kLevel) != Z_OK)
    throw Error("not enough memory to compress the report page");
  return as_text({small.data(), size});
}

}  // namespace

void PageBytes::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<std::uint8_t>(value | 0x80));
  bytes_.push_back(static_cast<std::uint8_t>(value));
}

void PageBytes::difference(std::uint64_t value, std::uint64_t from) {
  const auto signed_step = static_cast<std::int64_t>(value - from);
  varint((static_cast<std::uint64_t>(signed_step) << 1) ^ static_cast<std::uint64_t>(signed_step >> 63));
}

void PageBytes::f64(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (int i = 0; i < 8; ++i) bytes_.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));
}

void PageBytes::planes(std::span<const std::uint16_t> values) {
  for (int i = 0; i < 2; ++i)
    for (const std::uint16_t value : values) bytes_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

std::vector<std::string> packed(std::span<const std::uint8_t> bytes, const WriteOptions& options) {
  constexpr std::size_t kAtOnce = 64;
  std::vector<std::string> texts((bytes.size() + kPiece - 1) / kPiece);
  Workers workers(options.threads);
  for (std::size_t first = 0; first < texts.size(); first += kAtOnce) {
    if (options.cancel && options.cancel()) throw Cancelled{};
    workers.for_each(std::min(kAtOnce, texts.size() - first), [&](std::size_t i) {
      const std::size_t begin = (first + i) * kPiece;
      texts[first + i] = deflated(bytes.subspan(begin, std::min(kPiece, bytes.size() - begin)));
    });
  }
  return texts;
}

Box append_quantised(PageBytes& bytes, std::span<const Vec3d> positions, const std::vector<bool>& loose) {
  const Box box = finite(sightline::box_of(positions));
  std::vector<std::uint16_t> jumps, steps;
  for (int axis = 0; axis < 3; ++axis) {
    bytes.f64(box.low[axis]);
    bytes.f64(box.high[axis]);
    std::uint16_t before = 0;
    jumps.clear();
    steps.clear();
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const auto at = static_cast<std::uint16_t>(std::llround(share(box, positions[i], axis) * kGridSteps));
      const auto step = static_cast<std::int16_t>(static_cast<std::uint16_t>(at - before));
      (loose[i] ? jumps : steps)
          .push_back(static_cast<std::uint16_t>((static_cast<std::uint16_t>(step) << 1) ^ (step >> 15)));
      before = at;
    }
    bytes.planes(jumps);
    bytes.planes(steps);
  }
  return box;
}

Box box_of(const MeshView& mesh) {
  std::vector<bool> used(mesh.positions.size());
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
    for (const std::uint32_t vertex : mesh.triangles[i]) used[vertex] = true;
  Box box;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i]) box.add(mesh.position(i));
  return box;
}

}  // namespace sightline::report
