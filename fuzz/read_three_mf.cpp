// Input that begins like a zip archive is read directly. Any other input is the XML of a model and is packed first,
// since mutations of an archive seldom pass its checksums.
#include <zip.h>

#include "read_harness.h"

namespace {

std::string packed(const std::uint8_t* data, std::size_t size) {
  zip_source_t* target = zip_source_buffer_create(nullptr, 0, 0, nullptr);
  zip_source_keep(target);
  zip_t* archive = zip_open_from_source(target, ZIP_TRUNCATE, nullptr);
  const zip_int64_t index = zip_file_add(archive, "3D/3dmodel.model", zip_source_buffer(archive, data, size, 0), 0);
  zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0);
  zip_close(archive);
  zip_stat_t info;
  zip_source_stat(target, &info);
  std::string bytes(info.size, '\0');
  zip_source_open(target);
  zip_source_read(target, bytes.data(), bytes.size());
  zip_source_close(target);
  zip_source_free(target);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using sightline::fuzz::read_and_check;
  if (size < 2 || (data[0] == 'P' && data[1] == 'K'))
    return read_and_check(std::as_bytes(std::span(data, size)), sightline::read::Format::three_mf);
  const std::string bytes = packed(data, size);
  return read_and_check(std::as_bytes(std::span(bytes)), sightline::read::Format::three_mf);
}
