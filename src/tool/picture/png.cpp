#include <png.h>

#include "picture/picture.h"
#include "sightline/mesh.h"

namespace sightline::picture {

std::string png_of(const Picture& picture) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = picture.width;
  image.height = picture.height;
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string file(size, '\0');
  if (png_image_write_to_memory(&image, file.data(), &size, 0, picture.rgb.data(), 0, nullptr) == 0)
    throw Error(fmt::format("the picture cannot be written: {}", image.message));
  file.resize(size);
  return file;
}

void write_png(report::Output& output, const Picture& picture) { output.write(png_of(picture)); }

}  // namespace sightline::picture
