# MOVING_BYTES_KERNEL_FLAGS: how kernels are compiled for the CPU device, whatever the build type.
# The transactions counted are those of the instructions that are left at -O2.
set(MOVING_BYTES_GNU_KERNEL_FLAGS
  -O2 -g -fsanitize=thread
  --param=tsan-instrument-func-entry-exit=0
  -Wno-unknown-pragmas) # `#pragma unroll` means nothing to g++
# Vectorised or unrolled code would merge or multiply accesses; a read before a write of the same
# address is a transaction too.
set(MOVING_BYTES_CLANG_KERNEL_FLAGS
  -O2 -g -fsanitize=thread
  -mllvm -tsan-instrument-func-entry-exit=0
  -mllvm -tsan-instrument-read-before-write=1
  -fno-vectorize -fno-slp-vectorize -fno-unroll-loops
  -fno-builtin-memcpy -fno-builtin-memset)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(MOVING_BYTES_KERNEL_FLAGS ${MOVING_BYTES_GNU_KERNEL_FLAGS})
else()
  set(MOVING_BYTES_KERNEL_FLAGS ${MOVING_BYTES_CLANG_KERNEL_FLAGS})
endif()
