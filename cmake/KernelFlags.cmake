# How kernels are compiled for the CPU device, whatever the build type: the transactions that are
# counted are those of the instructions left at -O2.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(MOVING_BYTES_KERNEL_FLAGS
    -O2 -g -fsanitize=thread --param=tsan-instrument-func-entry-exit=0)
else()
  # Vectorised or unrolled code would merge or multiply accesses; a read before a write of the same
  # address is a transaction too.
  set(MOVING_BYTES_KERNEL_FLAGS
    -O2 -g -fsanitize=thread
    "SHELL:-mllvm -tsan-instrument-read-before-write=1"
    "SHELL:-mllvm -tsan-instrument-func-entry-exit=0"
    -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -fno-builtin-memcpy -fno-builtin-memset)
endif()
# `#pragma unroll` means nothing to g++.
list(APPEND MOVING_BYTES_KERNEL_FLAGS -Wno-unknown-pragmas)
