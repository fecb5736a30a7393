// Headers that -I finds.
// WITH -I include
#include <cuda_runtime.h>
#include <check_helper.h>
#include "once.h"
#include <launcher.h>
#include "cases.hpp"

// CASE helper_header
// Helpers that test for the include guards of CUDA's headers.
// SLOW
// RUN => 0 compute 90, runtime 1
CASE(helper_header)
{
    checkErrors(cudaGetLastError());
    printf("compute %d, runtime %d\n", find_device(), CUDART_VERSION >= 11000);
}

// CASE include_path
// A kernel and a launch in a header; a header reached on two ways is one.
// SLOW
// RUN => 0 first 7 last 70
CASE(include_path)
{
    int* x = managed_array<int>(64);
    for (int i = 0; i < 64; ++i) x[i] = i;
    launch_add(x, 2, Once{7});
    cudaDeviceSynchronize();
    printf("first %d last %d\n", x[0], x[63]);
}
