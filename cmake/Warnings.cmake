# `warnings` is linked by every target of this repository. They end a build only where somebody requests
#  it, as .ci/run does: a parameter that is not used yet is no reason to stop a reader's experiment.
option(MOVING_BYTES_WERROR "Let warnings end the build" OFF)
add_library(warnings INTERFACE)
target_compile_options(warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wshadow>)
if(MOVING_BYTES_WERROR)
  target_compile_options(warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror>
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Werror;-Werror=all-warnings>)
endif()
# GCC 12 and 13 see overlapping copies in std::string's own operator+ (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  target_compile_options(warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()

if(MOVING_BYTES_SANITIZE)
  # Not on the kernels' objects: they carry -fsanitize=thread for the tracer (CudaProgram.cmake). A report names functions
  # and lines, which is what -g1 has.
  set(MOVING_BYTES_SANITIZE_FLAGS
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  target_link_options(warnings INTERFACE ${MOVING_BYTES_SANITIZE_FLAGS})
endif()
