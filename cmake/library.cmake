# Warnings of g++ 12 that are wrong for text + text (GCC bug 105651).
set(SIGHTLINE_WARNINGS -Wall -Wextra "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-array-bounds>")

# Standard headers that most files include, parsed once for each library. CMAKE_DISABLE_PRECOMPILE_HEADERS switches it off.
set(SIGHTLINE_COMMON_HEADERS <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory> <numeric> <optional> <span>
    <string> <string_view> <variant> <vector>)

# sightline_library(name): a library of this project, with its alias sightline::<name without "sightline_">, headers
# from include/ and private headers from its own folder.
function(sightline_library name)
  add_library(${name} ${ARGN})
  string(REGEX REPLACE "^sightline_" "" short ${name})
  add_library(sightline::${short} ALIAS ${name})
  target_include_directories(${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src/core)
  target_include_directories(${name} SYSTEM PRIVATE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_precompile_headers(${name} PRIVATE ${SIGHTLINE_COMMON_HEADERS})
  # Error bounds of the filters are proven for plain IEEE operations: no contraction, no reassociation.
  target_compile_options(${name} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${SIGHTLINE_WARNINGS};-ffp-contract=off>")
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${short} POSITION_INDEPENDENT_CODE ON
                        CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                        LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/exports.map)
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "SHARED_LIBRARY" AND UNIX AND NOT APPLE)
    target_link_options(${name} PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map)
  endif()
endfunction()
