#include "read/archive.h"

#include <zip.h>

#include <algorithm>
#include <array>

#include "base/format.h"
#include "read/text.h"

namespace sightline::read {
namespace {

std::string text_of(zip_error_t& error) {
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

struct CloseFile {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

}  // namespace

void Archive::Close::operator()(zip* archive) const { zip_discard(archive); }

Archive::Archive(const Source& source) : source_(source) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* bytes = zip_source_buffer_create(source.bytes.data(), source.bytes.size(), 0, &error);
  if (bytes == nullptr) throw Error(formatted("{}: not a zip archive: {}", source.file, text_of(error)));
  zip_.reset(zip_open_from_source(bytes, ZIP_RDONLY, &error));
  if (zip_ == nullptr) {
    zip_source_free(bytes);
    throw Error(formatted("{}: not a zip archive: {}", source.file, text_of(error)));
  }
  zip_error_fini(&error);
}

std::optional<std::string> Archive::read(std::string name) const {
  if (name.starts_with('/')) name.erase(0, 1);
  const zip_int64_t index = zip_name_locate(zip_.get(), name.c_str(), ZIP_FL_NOCASE);
  if (index < 0) return std::nullopt;
  const auto fail = [&](const std::string& message) {
    throw Error(formatted("{}: entry {}: {}", source_.file, quote(name), message));
  };
  const std::unique_ptr<zip_file_t, CloseFile> file(zip_fopen_index(zip_.get(), static_cast<zip_uint64_t>(index), 0));
  if (file == nullptr) fail(zip_strerror(zip_.get()));
  const std::uint64_t most =
      std::min(source_.limits.inflated, std::max(kAlwaysAllowed, kMostRatio * source_.bytes.size()));
  std::string contents;
  std::array<char, 1 << 16> block;
  while (true) {
    const zip_int64_t got = zip_fread(file.get(), block.data(), block.size());
    if (got < 0) fail(formatted("cannot be read: {}", zip_file_strerror(file.get())));
    if (got == 0) return contents;
    contents.append(block.data(), static_cast<std::size_t>(got));
    if (contents.size() > most)
      fail(formatted("inflates to more than {} bytes from a file of {}", most, source_.bytes.size()));
  }
}

}  // namespace sightline::read
