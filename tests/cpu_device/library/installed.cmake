# cmake -D BUILD=DIR -D GENERATOR=NAME -D COMPILER=FILE -D PROJECT=DIR -P installed.cmake
# Installs the CPU device that was built in BUILD, builds PROJECT against it, and runs its program;
# all of it in a folder far from this repository.
execute_process(COMMAND mktemp -d OUTPUT_VARIABLE scratch OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
file(COPY ${PROJECT}/ DESTINATION ${scratch}/source)
foreach(command IN ITEMS
    "--install;${BUILD};--component;cpu_device;--prefix;${scratch}/prefix"
    "-G;${GENERATOR};-S;${scratch}/source;-B;${scratch}/build;-D;CMAKE_CXX_COMPILER=${COMPILER};-D;CMAKE_PREFIX_PATH=${scratch}/prefix"
    "--build;${scratch}/build")
  execute_process(COMMAND ${CMAKE_COMMAND} ${command}
    OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    file(REMOVE_RECURSE ${scratch})
    message(FATAL_ERROR "cmake ${command}:\n${output}")
  endif()
endforeach()
execute_process(COMMAND ${scratch}/build/add OUTPUT_VARIABLE output RESULT_VARIABLE status)
file(REMOVE_RECURSE ${scratch})
set(expected "add<float>: 16 load requests, 64 load sectors, 8 store requests, 32 store sectors\n")
if(NOT status EQUAL 0 OR NOT output STREQUAL expected)
  message(FATAL_ERROR "the program ended with ${status} and printed\n${output}instead of\n${expected}")
endif()
