# Sightline as a guest: FetchContent builds the core library and nothing else, installs nothing, changes nothing of the
# host; the library needs oneTBB and Highway and exports its public interface only.
# Run by ctest: cmake -DSOURCE=… -DWORK=… -DCOMPILER=… -DLAUNCHER=… -P guest.cmake
function(run output)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "status ${status}: ${ARGN}\n${text}")
  endif()
  set(${output} "${text}" PARENT_SCOPE)
endfunction()
file(REMOVE_RECURSE ${WORK})
run(text ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/guest -B ${WORK}/build -G Ninja -DSIGHTLINE_SOURCE=${SOURCE}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -DBUILD_SHARED_LIBS=ON)

# Nothing of the host is set, neither Node.js nor nvcc is looked for.
file(STRINGS ${WORK}/build/CMakeCache.txt cache)
foreach(line ${cache})
  if(line MATCHES "^(SIGHTLINE_NODE|SIGHTLINE_NPM|SIGHTLINE_NVCC|CMAKE_CUDA_COMPILER)[:=]" OR
     line MATCHES "^CMAKE_BUILD_TYPE:.*=.+")
    message(SEND_ERROR "the guest has set ${line}")
  endif()
endforeach()

run(text ${CMAKE_COMMAND} --build ${WORK}/build)
file(GLOB_RECURSE libraries ${WORK}/build/*.so ${WORK}/build/*.a)
list(LENGTH libraries count)
if(NOT count EQUAL 1 OR NOT libraries MATCHES "/libsightline\\.so$")
  message(SEND_ERROR "libraries that are built: ${libraries}")
endif()
run(text ${WORK}/build/guest)

run(text ${CMAKE_COMMAND} --install ${WORK}/build --prefix ${WORK}/prefix)
file(GLOB_RECURSE installed RELATIVE ${WORK}/prefix ${WORK}/prefix/*)
if(NOT installed STREQUAL "bin/guest")
  message(SEND_ERROR "the host's install has ${installed}")
endif()

file(GLOB library ${WORK}/build/_deps/sightline-build/src/core/libsightline.so)
run(text readelf -d ${library})
string(REGEX MATCHALL "\\(NEEDED\\)[^\n]*\\[[^]]*\\]" needed "${text}")
list(TRANSFORM needed REPLACE ".*\\[(.*)\\]" "\\1")
message("libsightline.so needs ${needed}")
foreach(name ${needed})
  if(NOT name MATCHES "^(libtbb|libhwy|libstdc\\+\\+|libm|libgcc_s|libc|ld-linux[a-z0-9-]*)\\.so")
    message(SEND_ERROR "libsightline.so needs ${name}")
  endif()
endforeach()

run(text nm -DC --defined-only ${library})
string(REGEX MATCHALL "[^\n]+" symbols "${text}")
list(FILTER symbols EXCLUDE REGEX " [VWu] .*std::")  # weak copies of the standard library's
list(LENGTH symbols count)
message("libsightline.so exports ${count} symbols of its own")
foreach(symbol ${symbols})
  if(NOT symbol MATCHES "sightline::")
    message(SEND_ERROR "exported: ${symbol}")
  endif()
endforeach()
if(count GREATER 105)
  message(SEND_ERROR "${count} exported symbols: more than the public interface has")
endif()
