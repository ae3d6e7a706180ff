#include <png.h>

#include "picture/picture.h"
#include "sightline/mesh.h"

namespace sightline::picture {

void write_png(report::Output& output, const Picture& picture) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = picture.width;
  image.height = picture.height;
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::vector<char> file(size);
  if (png_image_write_to_memory(&image, file.data(), &size, 0, picture.rgb.data(), 0, nullptr) == 0)
    throw Error(fmt::format("{}: the picture cannot be written: {}", output.path().string(), image.message));
  output.write({file.data(), size});
}

}  // namespace sightline::picture
