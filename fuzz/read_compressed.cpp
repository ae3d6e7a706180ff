// Compressed bytes of glTF, inside of a document that is right: FUZZ_MESHOPT selects the extension. The first byte of
// the input chooses the mode and the filter, the next two bytes are the number of elements.
#include <fmt/format.h>

#include "read_harness.h"

namespace {

using namespace sightline;

std::string container(std::string json, std::string_view binary) {
  json.resize((json.size() + 3) / 4 * 4, ' ');
  const auto word = [](std::size_t value) {
    const auto number = static_cast<std::uint32_t>(value);
    return std::string(reinterpret_cast<const char*>(&number), 4);
  };
  return "glTF" + word(2) + word(28 + json.size() + binary.size()) + word(json.size()) + "JSON" + json +
         word(binary.size()) + std::string("BIN\0", 4) + std::string(binary);
}

#if FUZZ_MESHOPT
std::string document(unsigned choice, unsigned count, std::size_t bytes) {
  constexpr const char* kModes[] = {"ATTRIBUTES", "TRIANGLES", "INDICES"};
  constexpr const char* kFilters[] = {"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL"};
  const unsigned mode = choice % 3, stride = mode == 0 ? 4 * (1 + choice / 12 % 16) : 4;
  const std::string compressed = fmt::format(
      R"("extensions":{{"EXT_meshopt_compression":{{"buffer":0,"byteLength":{},"byteStride":{},"count":{},"mode":"{}","filter":"{}"}}}})",
      bytes, stride, count, kModes[mode], kFilters[mode == 0 ? choice / 3 % 4 : 0]);
  const bool corners = mode == 0;
  return fmt::format(
      R"({{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":{0}}}],"bufferViews":[{{"buffer":0,"byteLength":{1},"byteStride":{2},{3}}}],)"
      R"("accessors":[{{{4}"componentType":5126,"count":{5},"type":"VEC3"}}{6}],"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}{7}}}]}}],"nodes":[{{"mesh":0}}]}})",
      bytes, stride * count, stride, compressed, corners ? R"("bufferView":0,)" : "", corners ? count / 3 * 3 : 60,
      corners ? "" : fmt::format(R"(,{{"bufferView":0,"componentType":5125,"count":{},"type":"SCALAR"}})", count),
      corners ? "" : R"(,"indices":1)");
}
#else
std::string document(unsigned, unsigned, std::size_t bytes) {
  return fmt::format(
      R"({{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":{0}}}],"bufferViews":[{{"buffer":0,"byteLength":{0}}}],)"
      R"("accessors":[{{"componentType":5126,"count":3,"type":"VEC3"}},{{"componentType":5125,"count":3,"type":"SCALAR"}}],)"
      R"("meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1,"extensions":{{"KHR_draco_mesh_compression":{{"bufferView":0,"attributes":{{"POSITION":0}}}}}}}}]}}],"nodes":[{{"mesh":0}}]}})",
      bytes);
}
#endif

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 3, size - 3);
  const std::string file = container(document(data[0], data[1] | data[2] << 8, rest.size()), rest);
  return fuzz::read_and_check(std::as_bytes(std::span(file)), read::Format::gltf);
}
