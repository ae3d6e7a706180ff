// PNG (ISO/IEC 15948): 8 bits a channel, rows filtered by the rule that gives the least sum of absolute differences.
#include <zlib.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "picture/picture.h"
#include "sightline/mesh.h"

namespace sightline::picture {
namespace {

using Bytes = std::vector<std::uint8_t>;

void put_number(Bytes& bytes, std::uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<std::uint8_t>(value >> shift));
}

void put_chunk(Bytes& file, std::string_view type, const Bytes& data) {
  put_number(file, static_cast<std::uint32_t>(data.size()));
  const std::size_t begin = file.size();
  file.insert(file.end(), type.begin(), type.end());
  file.insert(file.end(), data.begin(), data.end());
  put_number(file, static_cast<std::uint32_t>(crc32(0, file.data() + begin, static_cast<uInt>(file.size() - begin))));
}

int paeth(int left, int above, int corner) {
  const int guess = left + above - corner;
  const int a = std::abs(guess - left), b = std::abs(guess - above), c = std::abs(guess - corner);
  return a <= b && a <= c ? left : b <= c ? above : corner;
}

/// All rows, each with its filter in front.
Bytes filtered(const Picture& picture) {
  constexpr std::size_t kPixel = 3;
  const std::size_t stride = picture.width * kPixel;
  Bytes out;
  out.reserve((stride + 1) * picture.height);
  const Bytes nothing(stride);
  Bytes best, attempt(stride);
  for (std::uint32_t y = 0; y < picture.height; ++y) {
    const std::uint8_t* row = picture.rgb.data() + y * stride;
    const std::uint8_t* up = y > 0 ? row - stride : nothing.data();
    std::uint64_t least = ~std::uint64_t{0};
    std::uint8_t filter = 0;
    for (std::uint8_t kind = 0; kind < 5; ++kind) {
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < stride; ++i) {
        const int left = i >= kPixel ? row[i - kPixel] : 0, corner = i >= kPixel ? up[i - kPixel] : 0;
        const int guess = kind == 0   ? 0
                          : kind == 1 ? left
                          : kind == 2 ? up[i]
                          : kind == 3 ? (left + up[i]) / 2
                                      : paeth(left, up[i], corner);
        attempt[i] = static_cast<std::uint8_t>(row[i] - guess);
        sum += static_cast<std::uint64_t>(std::abs(static_cast<int>(static_cast<std::int8_t>(attempt[i]))));
      }
      if (sum < least) {
        least = sum;
        filter = kind;
        best = attempt;
      }
    }
    out.push_back(filter);
    out.insert(out.end(), best.begin(), best.end());
  }
  return out;
}

}  // namespace

void write_png(report::Output& output, const Picture& picture) {
  Bytes file = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  Bytes head;
  put_number(head, picture.width);
  put_number(head, picture.height);
  head.insert(head.end(), {8, 2, 0, 0, 0});  // 8 bits, RGB
  put_chunk(file, "IHDR", head);
  const Bytes rows = filtered(picture);
  Bytes packed(compressBound(rows.size()));
  uLongf size = packed.size();
  if (compress2(packed.data(), &size, rows.data(), rows.size(), 9) != Z_OK)
    throw Error(fmt::format("{}: the picture could not be compressed", output.path().string()));
  packed.resize(size);
  put_chunk(file, "IDAT", packed);
  put_chunk(file, "IEND", {});
  output.write({reinterpret_cast<const char*>(file.data()), file.size()});
}

}  // namespace sightline::picture
