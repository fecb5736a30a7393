// A helper as samples have it: what it declares depends on which of CUDA's headers came before.
#pragma once
#include <cstdio>
#include <cstdlib>

#ifdef __DRIVER_TYPES_H__
template <typename T>
void check(T result, char const* const function, const char* const file, int const line)
{
    if (result) {
        fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\"\n", file, line, static_cast<unsigned int>(result),
                cudaGetErrorName(result), function);
        exit(EXIT_FAILURE);
    }
}
#define checkErrors(val) check((val), #val, __FILE__, __LINE__)
#endif

#ifdef __CUDA_RUNTIME_H__
inline int find_device()
{
    int count = 0, mode = -1, major = 0, minor = 0;
    checkErrors(cudaGetDeviceCount(&count));
    checkErrors(cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, 0));
    checkErrors(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    checkErrors(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
    checkErrors(cudaSetDevice(0));
    return mode == cudaComputeModeProhibited ? -1 : 10 * major + minor;
}
#endif
