// Files of well-known formats that are not read, and what to export instead.

#include <array>

#include "base/format.h"
#include "read/read_memory.h"
#include "read/text.h"

namespace sightline::read {
namespace {

constexpr std::string_view kFromCad = "export a mesh from the CAD program: 3MF or glTF (with parts and names), or STL";
constexpr std::string_view kFromScene = "export it as glTF (.glb, with parts, names and animation) or OBJ";
constexpr std::string_view kFromBuilding =
    "export a mesh of it: glTF or OBJ, with a part for each element (IfcConvert writes both)";
constexpr std::string_view kFromMesh = "convert it to PLY, OBJ or STL";

struct Foreign {
  std::string_view name;
  std::string_view advice;
  /// Contents begin with this text, after spaces if it is text; empty: not known by its contents.
  std::string_view begins;
  /// Extensions, each with its dot, between spaces.
  std::string_view extensions;
};

using namespace std::string_view_literals;

constexpr std::array kForeign = {
    Foreign{"an IFC file", kFromBuilding, "", " .ifc .ifczip .ifcxml "},
    Foreign{"a STEP file", kFromCad, "ISO-10303-21;", " .step .stp .p21 .stpz "},
    Foreign{"an IGES file", kFromCad, "", " .iges .igs "},
    Foreign{"a Parasolid file", kFromCad, "**ABCDEFGHIJKLMNOPQRSTUVWXYZ", " .x_t .x_b .xmt_txt "},
    Foreign{"an ACIS file", kFromCad, "", " .sat .sab "},
    Foreign{"a JT file", kFromCad, "", " .jt "},
    Foreign{"a CATIA file", kFromCad, "V5_CFV2", " .catpart .catproduct .cgr "},
    Foreign{"a SolidWorks file", kFromCad, "", " .sldprt .sldasm "},
    Foreign{"an Inventor file", kFromCad, "", " .ipt .iam "},
    Foreign{"a Creo file", kFromCad, "", " .prt .asm "},
    Foreign{"a FreeCAD file", kFromCad, "", " .fcstd "},
    Foreign{"an OpenCASCADE BREP file", kFromCad, "DBRep_DrawableShape", " .brep .brp "},
    Foreign{"a Rhino file", kFromCad, "3D Geometry File Format", " .3dm "},
    Foreign{"a DWG file", kFromCad, "AC10", " .dwg "},
    Foreign{"a DXF file", kFromCad, "", " .dxf "},
    Foreign{"a SketchUp file", kFromScene, "\xFF\xFE\xFF\x0ES\0k\0e\0t\0c\0h\0U\0p\0"sv, " .skp .kmz "},
    Foreign{"a Revit file", kFromBuilding, "", " .rvt .rfa "},
    Foreign{"a Navisworks file", kFromBuilding, "", " .nwd .nwc .nwf "},
    Foreign{"an FBX file", kFromScene, "Kaydara FBX Binary", " .fbx "},
    Foreign{"an FBX file", kFromScene, "; FBX", ""},
    Foreign{"a USD file", kFromScene, "PXR-USDC", " .usd .usda .usdc .usdz "},
    Foreign{"a USD file", kFromScene, "#usda", ""},
    Foreign{"a Blender file", "in Blender, use File > Export > glTF 2.0 (.glb), which keeps objects and animation",
            "BLENDER", " .blend "},
    Foreign{"a 3DS file", kFromScene, "", " .3ds "},
    Foreign{"a 3ds Max file", kFromScene, "", " .max "},
    Foreign{"a Maya file", kFromScene, "//Maya ASCII", " .ma .mb "},
    Foreign{"a Cinema 4D file", kFromScene, "", " .c4d "},
    Foreign{"a LightWave file", kFromScene, "", " .lwo .lws "},
    Foreign{"an Alembic file", kFromScene, "Ogawa", " .abc "},
    Foreign{"a DirectX file", kFromScene, "xof 0", " .x "},
    Foreign{"a VRML file", kFromScene, "#VRML", " .wrl .vrml "},
    Foreign{"an MD5 or Quake model", kFromScene, "MD5Version", " .md2 .md3 .md5mesh .mdl "},
    Foreign{"an AMF file", "export it as 3MF, which replaced AMF", "", " .amf "},
    Foreign{"a VTK file", kFromMesh, "# vtk DataFile", " .vtk .vtp .vtu "},
    Foreign{"a Gmsh file", "export its surface from Gmsh as STL or PLY", "$MeshFormat", " .msh "},
    Foreign{"a file compressed by gzip", "unpack it first: gunzip -c FILE | sightline check -", "\x1F\x8B", " .gz "},
    Foreign{"a file compressed by xz", "unpack it first: xz -dc FILE | sightline check -",
            "\xFD"
            "7zXZ\0"sv,
            " .xz "},
    Foreign{"a file compressed by bzip2", "unpack it first: bzip2 -dc FILE | sightline check -", "BZh", " .bz2 "},
    Foreign{"a file compressed by Zstandard (new Blender files are)", "unpack it first: zstd -dc FILE",
            "\x28\xB5\x2F\xFD", " .zst "},
};

/// XML is known by its first element.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kXml = {
    {{"COLLADA", "a COLLADA file"}, {"X3D", "an X3D file"}, {"amf", "an AMF file"}, {"VTKFile", "a VTK file"}}};

constexpr std::size_t kHead = 4096;

std::string_view xml_name(std::string_view head) {
  for (std::size_t at = 0; (at = head.find('<', at)) != std::string_view::npos; ++at) {
    const std::string_view rest = head.substr(at + 1);
    if (rest.empty() || rest[0] == '?' || rest[0] == '!') continue;
    for (const auto& [element, name] : kXml)
      if (rest.starts_with(element)) return name;
    return "";
  }
  return "";
}

std::string_view skip_spaces(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  return text;
}

const Foreign* by_contents(std::string_view head) {
  for (const Foreign& one : kForeign)
    if (!one.begins.empty() && (head.starts_with(one.begins) || skip_spaces(head).starts_with(one.begins))) return &one;
  return nullptr;
}

const Foreign* by_extension_of_foreign(std::string_view extension) {
  std::string low = " ";
  for (const char c : extension) low += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  low += ' ';
  for (const Foreign& one : kForeign)
    if (low.size() > 3 && one.extensions.find(low) != std::string_view::npos) return &one;
  return nullptr;
}

std::string sentence(std::string_view name, std::string_view advice) {
  return formatted("is {}, which is not read; {}", name, advice);
}

}  // namespace

bool is_foreign(std::string_view text) {
  const std::string_view head = skip_bom(text.substr(0, kHead));
  return by_contents(head) != nullptr || (skip_spaces(head).starts_with('<') && !xml_name(head).empty());
}

std::string foreign_advice(std::string_view text, std::string_view extension) {
  const std::string_view head = skip_bom(text.substr(0, kHead));
  if (skip_spaces(head).starts_with('<'))
    if (const std::string_view name = xml_name(head); !name.empty())
      return sentence(name, name.ends_with("AMF file")   ? "export it as 3MF, which replaced AMF"
                            : name.ends_with("VTK file") ? kFromMesh
                                                         : kFromScene);
  const Foreign* found = by_contents(head);
  // IFC files are STEP files with another schema.
  if (found != nullptr && found->begins == "ISO-10303-21;" &&
      (head.find("FILE_SCHEMA(('IFC") != std::string_view::npos || equal_ignoring_case(extension, ".ifc")))
    found = &kForeign[0];
  if (found == nullptr) found = by_extension_of_foreign(extension);
  return found == nullptr ? "" : sentence(found->name, found->advice);
}

}  // namespace sightline::read
