# Compiles a file that includes one public header (twice, so that a missing guard fails), for each header, with g++ and
# clang++, with the warnings of a strict guest as errors. Run by ctest: cmake -DINCLUDE=… -DWORK=… -P headers.cmake
file(GLOB headers RELATIVE ${INCLUDE} ${INCLUDE}/sightline/*.h)
list(REMOVE_ITEM headers sightline/mpi.h)  # includes the header of an MPI, which is optional; tests/mpi compiles it
if(NOT headers)
  message(FATAL_ERROR "no headers in ${INCLUDE}/sightline")
endif()
set(failed 0)
foreach(compiler g++ clang++)
  find_program(program_${compiler} ${compiler})
  if(NOT program_${compiler})
    message(FATAL_ERROR "${compiler} is not installed")
  endif()
  foreach(header ${headers})
    string(MAKE_C_IDENTIFIER ${header} name)
    set(source ${WORK}/${name}.cpp)
    file(WRITE ${source} "#include \"${header}\"\n#include \"${header}\"\n")
    execute_process(
      COMMAND ${program_${compiler}} -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
              -I${INCLUDE} ${source}
      RESULT_VARIABLE status ERROR_VARIABLE messages)
    if(status)
      message("${compiler} ${header}:\n${messages}")
      math(EXPR failed "${failed} + 1")
    endif()
  endforeach()
endforeach()
if(failed)
  message(FATAL_ERROR "${failed} headers do not compile alone without warnings")
endif()
