# SIGHTLINE_GL = AUTO | ON | OFF. Sets SIGHTLINE_HAS_GL. libepoxy opens libEGL at run time, when a query needs it. AUTO
# builds the OpenGL renderer where libepoxy is found and no sanitizer is used (the code of drivers is not clean under
# them).
set(SIGHTLINE_GL AUTO CACHE STRING "Build the OpenGL renderer: AUTO (if libepoxy is found), ON or OFF")
set_property(CACHE SIGHTLINE_GL PROPERTY STRINGS AUTO ON OFF)
if(NOT SIGHTLINE_GL MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "SIGHTLINE_GL is '${SIGHTLINE_GL}'; it must be AUTO, ON or OFF")
endif()

set(SIGHTLINE_HAS_GL OFF)
if(SIGHTLINE_GL STREQUAL "OFF" OR (SIGHTLINE_SANITIZE AND SIGHTLINE_GL STREQUAL "AUTO"))
  return()
endif()
find_package(PkgConfig)
if(PkgConfig_FOUND)
  pkg_check_modules(epoxy IMPORTED_TARGET GLOBAL epoxy)
endif()
if(TARGET PkgConfig::epoxy)
  set(SIGHTLINE_HAS_GL ON)
elseif(SIGHTLINE_GL STREQUAL "ON")
  message(FATAL_ERROR "SIGHTLINE_GL=ON: libepoxy not found (on Debian: libepoxy-dev)")
else()
  message(STATUS "OpenGL: libepoxy not found; the papers' methods are built without the OpenGL renderer")
endif()
