#include "tests/catch.hpp"

#include <cpu_device/launches.hpp>
#include <cuda_runtime_api.h>

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

TEST_CASE("the first error that nobody has requested is told, with what is known of it")
{
    static_cast<void>(cudaGetLastError());
    CHECK_FALSE(cpu_device::unread_error());
    int* device = nullptr;
    CHECK(cudaMalloc(&device, 4) == cudaSuccess);
    int host[2] = {};
    CHECK(cudaMemcpy(host, device, 8, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    CHECK(cudaSetDevice(3) == cudaErrorInvalidDevice);
    REQUIRE(cpu_device::unread_error());
    CHECK(cpu_device::unread_error()->name == "cudaErrorInvalidValue");
    CHECK(cpu_device::unread_error()->text.ends_with(
        " returned cudaErrorInvalidValue (invalid argument: the copy's source is null, freed or "
        "smaller than the copy)"));
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidDevice);
    CHECK_FALSE(cpu_device::unread_error());
    CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
    CHECK(cudaMemcpy(device, host, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    CHECK(cpu_device::unread_error()->text.ends_with(
        " (invalid argument: the copy's direction does not match its source and destination)"));
    static_cast<void>(cudaGetLastError());
    cudaFree(device);
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
