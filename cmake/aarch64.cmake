# Toolchain: Debian's cross compiler for aarch64 (g++-aarch64-linux-gnu), programs run by qemu-user. The libraries of
# arm64 lie in SIGHTLINE_AARCH64_ROOT, unpacked from their Debian packages (./dev test --aarch64 does both).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

get_filename_component(default_root "${CMAKE_CURRENT_LIST_DIR}/../build/aarch64/root" ABSOLUTE)
set(SIGHTLINE_AARCH64_ROOT "${default_root}" CACHE PATH "The folder above usr/include and usr/lib of arm64")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SIGHTLINE_AARCH64_ROOT)
set(CMAKE_FIND_ROOT_PATH "${SIGHTLINE_AARCH64_ROOT}" /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Libraries that a shared library needs, and headers that a package names without its include folder.
set(root_libraries "${SIGHTLINE_AARCH64_ROOT}/usr/lib/aarch64-linux-gnu")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${root_libraries}")
set(root_headers "${SIGHTLINE_AARCH64_ROOT}/usr/include")
set(CMAKE_CXX_FLAGS_INIT "-isystem ${root_headers} -isystem ${root_headers}/aarch64-linux-gnu")

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L /usr/aarch64-linux-gnu
    -E "LD_LIBRARY_PATH=${root_libraries}:/usr/aarch64-linux-gnu/lib")
