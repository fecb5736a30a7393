# Warnings are errors on our own code; `warnings` is linked by every target of this repository.
add_library(warnings INTERFACE)
target_compile_options(warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Werror>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wshadow,-Werror;-Werror=all-warnings>)
# GCC 12 and 13 see overlapping copies in std::string's own operator+ (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  target_compile_options(warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()

if(MOVING_BYTES_SANITIZE)
  # Not on the kernels' objects: they carry -fsanitize=thread for the tracer (CudaProgram.cmake).
  set(MOVING_BYTES_SANITIZE_FLAGS
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(warnings INTERFACE ${MOVING_BYTES_SANITIZE_FLAGS})
endif()
