# MOVING_BYTES_KERNEL_FLAGS: how kernels are compiled for the CPU device, whatever the build type.
# The transactions counted are those of the instructions that are left at -O2.
set(MOVING_BYTES_KERNEL_FLAGS -O2 -g -fsanitize=thread)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND MOVING_BYTES_KERNEL_FLAGS
    --param=tsan-instrument-func-entry-exit=0
    -Wno-unknown-pragmas) # `#pragma unroll` means nothing to g++
else()
  # Vectorised or unrolled code would merge or multiply accesses; a read before a write of the same
  # address is a transaction too.
  list(APPEND MOVING_BYTES_KERNEL_FLAGS
    -mllvm -tsan-instrument-func-entry-exit=0
    -mllvm -tsan-instrument-read-before-write=1
    -fno-vectorize -fno-slp-vectorize -fno-unroll-loops
    -fno-builtin-memcpy -fno-builtin-memset)
endif()
