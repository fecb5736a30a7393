#include "tests/catch.hpp"

#include <cuda_runtime.h>

#include <string>

TEST_CASE("cudaGetLastError returns an error once, cudaPeekAtLastError again and again")
{
    cudaGetLastError();
    CHECK(cudaSetDevice(3) == cudaErrorInvalidDevice);
    CHECK(cudaSetDevice(0) == cudaSuccess);
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidDevice);
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidDevice);
    CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
    CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("error codes have CUDA's values, names and sentences")
{
    CHECK(cudaErrorInvalidValue == 1);
    CHECK(cudaErrorMemoryAllocation == 2);
    CHECK(cudaErrorInvalidConfiguration == 9);
    CHECK(cudaErrorIllegalAddress == 700);
    CHECK(cudaErrorUnknown == 999);
    CHECK(cudaGetErrorName(cudaErrorInvalidValue) == std::string("cudaErrorInvalidValue"));
    CHECK(cudaGetErrorString(cudaSuccess) == std::string("no error"));
    CHECK(cudaGetErrorString(cudaErrorInvalidValue) == std::string("invalid argument"));
    CHECK(cudaGetErrorString(cudaErrorMemoryAllocation) == std::string("out of memory"));
    CHECK(cudaGetErrorString(cudaErrorNoDevice) ==
          std::string("no CUDA-capable device is detected"));
    CHECK(cudaGetErrorString(static_cast<cudaError_t>(12345)) ==
          std::string("unrecognized error code"));
}
