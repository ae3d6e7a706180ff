# `cmake --install`: the library, its headers, the tool, a CMake package and a pkg-config file.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sightline)

install(TARGETS sightline EXPORT sightline-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/sightline DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT sightline-targets NAMESPACE sightline:: DESTINATION ${package_dir})
if(TARGET sightline_tool)
  install(TARGETS sightline_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

configure_package_config_file(cmake/sightline-config.cmake.in sightline-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(sightline-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sightline-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/sightline-config-version.cmake DESTINATION ${package_dir})

set(pc_cuda "")
if(SIGHTLINE_HAS_CUDA)
  set(pc_cuda " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt -ldl")
endif()
configure_file(cmake/sightline.pc.in sightline.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sightline.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
