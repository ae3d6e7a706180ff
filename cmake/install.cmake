# `cmake --install`: the libraries that are built, their headers, the tool, a CMake package and pkg-config files.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sightline)

# install_library(target short header…): the library, its headers and its files for CMake and pkg-config. `short` is
# empty for the core.
function(install_library target short)
  set(suffix "")
  if(short)
    set(suffix "-${short}")
  endif()
  install(TARGETS ${target} EXPORT sightline${suffix}-targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  list(TRANSFORM ARGN PREPEND include/sightline/)
  install(FILES ${ARGN} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sightline)
  install(EXPORT sightline${suffix}-targets NAMESPACE sightline:: DESTINATION ${package_dir})
  configure_file(cmake/sightline.pc.in sightline${suffix}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sightline${suffix}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

# The folder above the .pc file's own: the installed tree can be moved.
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
set(pc_description "${PROJECT_DESCRIPTION}")
set(pc_requires "")
set(pc_private "tbb libhwy")
set(pc_libs_private "-lstdc++ -lpthread")
if(SIGHTLINE_HAS_CUDA)
  string(APPEND pc_libs_private " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt -ldl")
endif()
install_library(sightline "" version.h mesh.h contact.h query.h assembly.h measure.h curves.h cuda.h sightline.h)
set(pc_requires "sightline = ${PROJECT_VERSION}")
set(pc_libs_private "-lstdc++ -lpthread")
if(TARGET sightline_io)
  set(pc_description "Mesh readers and writers of Sightline")
  set(pc_private "libzip pugixml tbb")
  install_library(sightline_io io io.h)
endif()
if(TARGET sightline_papers)
  set(pc_description "Methods of the papers that Sightline implements")
  set(pc_private "tbb libhwy")
  if(SIGHTLINE_HAS_GL)
    string(APPEND pc_private " epoxy")
  endif()
  install_library(sightline_papers papers papers.h)
endif()
if(TARGET sightline_tool)
  install(TARGETS sightline_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(cmake/sightline-config.cmake.in sightline-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(sightline-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sightline-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/sightline-config-version.cmake DESTINATION ${package_dir})
