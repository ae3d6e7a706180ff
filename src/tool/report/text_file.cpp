#include "report/text_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "report/names.h"
#include "sightline/mesh.h"

namespace sightline::report {

std::string read_text_file(const std::filesystem::path& path) {
  const std::string name = printable(path.string());
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) throw Error(fmt::format("{}: is a folder", name));
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(fmt::format("{}: cannot read: {}", name, std::strerror(errno)));
  std::string text((std::istreambuf_iterator<char>(file)), {});
  if (file.bad()) throw Error(fmt::format("{}: cannot read: {}", name, std::strerror(errno)));
  return text;
}

}  // namespace sightline::report
