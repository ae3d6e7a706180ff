// PNG files, by libpng; and animated PNG, whose frames are PNG data in chunks of other names.
#include <png.h>
#include <zlib.h>

#include <algorithm>

#include "picture/picture.h"

namespace sightline::picture {
namespace {

std::string written(std::uint32_t width, std::uint32_t height, png_uint_32 format, const std::uint8_t* pixels) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = width;
  image.height = height;
  image.format = format;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string file(size, '\0');
  if (png_image_write_to_memory(&image, file.data(), &size, 0, pixels, 0, nullptr) == 0)
    throw Error(fmt::format("the picture cannot be written: {}", image.message));
  file.resize(size);
  return file;
}

std::string big_endian(std::uint32_t value, int bytes = 4) {
  std::string text;
  for (int i = bytes; i-- > 0;) text += static_cast<char>(value >> (8 * i) & 0xFF);
  return text;
}

std::string chunk(std::string_view type, std::string_view data) {
  const std::string named = std::string(type) + std::string(data);
  const auto crc = crc32(0, reinterpret_cast<const Bytef*>(named.data()), static_cast<uInt>(named.size()));
  return big_endian(static_cast<std::uint32_t>(data.size())) + named + big_endian(static_cast<std::uint32_t>(crc));
}

/// The data of all chunks of one type in a PNG file that libpng wrote.
std::string data_of(std::string_view file, std::string_view type) {
  std::string data;
  for (std::size_t at = 8; at + 12 <= file.size();) {
    std::uint32_t size = 0;
    for (int i = 0; i < 4; ++i) size = size << 8 | static_cast<std::uint8_t>(file[at + static_cast<std::size_t>(i)]);
    if (file.substr(at + 4, 4) == type) data += file.substr(at + 8, size);
    at += 12 + std::size_t{size};
  }
  return data;
}

/// What changed between two pictures: the smallest rectangle, with unchanged pixels transparent, which compress well.
struct Change {
  std::uint32_t left = 0, top = 0, width = 0, height = 0;
  std::vector<std::uint8_t> rgba;
};

Change change_of(const Picture& before, const Picture& after) {
  const auto same = [&](std::uint32_t x, std::uint32_t y) {
    const std::size_t i = 3 * (std::size_t{y} * after.width + x);
    return std::equal(&after.rgb[i], &after.rgb[i] + 3, &before.rgb[i]);
  };
  std::uint32_t left = after.width, right = 0, top = after.height, bottom = 0;
  for (std::uint32_t y = 0; y < after.height; ++y)
    for (std::uint32_t x = 0; x < after.width; ++x) {
      if (same(x, y)) continue;
      left = std::min(left, x), right = std::max(right, x + 1);
      top = std::min(top, y), bottom = std::max(bottom, y + 1);
    }
  if (left >= right) left = top = 0, right = bottom = 1;  // a frame has at least one pixel
  Change change{left, top, right - left, bottom - top, {}};
  change.rgba.reserve(std::size_t{4} * change.width * change.height);
  for (std::uint32_t y = top; y < bottom; ++y)
    for (std::uint32_t x = left; x < right; ++x) {
      const std::size_t i = 3 * (std::size_t{y} * after.width + x);
      if (same(x, y))
        change.rgba.insert(change.rgba.end(), 4, 0);
      else
        change.rgba.insert(change.rgba.end(), {after.rgb[i], after.rgb[i + 1], after.rgb[i + 2], 255});
    }
  return change;
}

}  // namespace

std::string png_of(const Picture& picture) {
  return written(picture.width, picture.height, PNG_FORMAT_RGB, picture.rgb.data());
}

void write_png(report::Output& output, const Picture& picture) { output.write(png_of(picture)); }

// The first picture is the image of the file. Each later one is drawn over the one before it.
std::string animated_png_of(std::span<const Picture> pictures, std::uint32_t milliseconds_each) {
  if (pictures.empty()) throw Error("an animated picture needs at least one picture");
  constexpr std::uint32_t kMilliseconds = 1000;
  std::uint32_t sequence = 0;
  const auto control = [&](const Change& area, bool over) {
    return chunk("fcTL", big_endian(sequence++) + big_endian(area.width) + big_endian(area.height) +
                             big_endian(area.left) + big_endian(area.top) + big_endian(milliseconds_each, 2) +
                             big_endian(kMilliseconds, 2) + '\0' + (over ? '\1' : '\0'));
  };
  const Picture& first = pictures.front();
  Change whole{0, 0, first.width, first.height, {}};
  whole.rgba.reserve(first.rgb.size() / 3 * 4);
  for (std::size_t i = 0; i < first.rgb.size(); i += 3)
    whole.rgba.insert(whole.rgba.end(), {first.rgb[i], first.rgb[i + 1], first.rgb[i + 2], 255});
  const auto encoded = [](const Change& area) {
    return written(area.width, area.height, PNG_FORMAT_RGBA, area.rgba.data());
  };
  const std::string base = encoded(whole);
  std::string file = base.substr(0, 8) + chunk("IHDR", data_of(base, "IHDR")) +
                     chunk("acTL", big_endian(static_cast<std::uint32_t>(pictures.size())) + big_endian(0)) +
                     control(whole, false) + chunk("IDAT", data_of(base, "IDAT"));
  for (std::size_t i = 1; i < pictures.size(); ++i) {
    if (pictures[i].width != first.width || pictures[i].height != first.height)
      throw Error("the pictures of an animated picture have different sizes");
    const Change change = change_of(pictures[i - 1], pictures[i]);
    file += control(change, true);
    file += chunk("fdAT", big_endian(sequence++) + data_of(encoded(change), "IDAT"));
  }
  return file + chunk("IEND", "");
}

}  // namespace sightline::picture
