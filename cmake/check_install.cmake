# Installs the build into a prefix of its own, then configures, builds and runs a project that finds it there.
# Arguments: SOURCE, BUILD, WORK, COMPILER.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "status ${status}: ${ARGV}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE}/examples/find_package -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)
if(EXISTS ${WORK}/prefix/bin/sightline)
  run(${WORK}/prefix/bin/sightline --version)
  foreach(file man/man1/sightline.1 man/man1/sightline-check.1 man/man1/sightline-clash.1 zsh/site-functions/_sightline
          bash-completion/completions/sightline fish/vendor_completions.d/sightline.fish)
    if(NOT EXISTS ${WORK}/prefix/share/${file})
      message(FATAL_ERROR "share/${file} was not installed")
    endif()
  endforeach()
endif()
