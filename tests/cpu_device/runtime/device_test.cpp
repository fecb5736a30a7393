#include "tests/catch.hpp"

#include <cuda_runtime_api.h>

#include <string>

namespace {

void kernel(int*) {}
void other_kernel(int*) {}

int attribute(cudaDeviceAttr name)
{
    int value = -1;
    REQUIRE(cudaDeviceGetAttribute(&value, name, 0) == cudaSuccess);
    return value;
}

int blocks_per_multiprocessor(int threads, std::size_t shared)
{
    int blocks = -1;
    REQUIRE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared) ==
            cudaSuccess);
    return blocks;
}

} // namespace

TEST_CASE("there is one device")
{
    int count = 0;
    int device = -1;
    cudaDeviceProp properties{};
    CHECK(cudaGetDeviceCount(&count) == cudaSuccess);
    CHECK(count == 1);
    CHECK(cudaGetDevice(&device) == cudaSuccess);
    CHECK(device == 0);
    REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
    CHECK(properties.name == std::string("CPU device"));
    CHECK(cudaGetDeviceProperties(&properties, 1) == cudaErrorInvalidDevice);
}

TEST_CASE("attributes say what the properties say")
{
    cudaDeviceProp properties{};
    REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
    CHECK(attribute(cudaDevAttrMultiProcessorCount) == properties.multiProcessorCount);
    CHECK(attribute(cudaDevAttrMaxThreadsPerBlock) == properties.maxThreadsPerBlock);
    CHECK(attribute(cudaDevAttrL2CacheSize) == properties.l2CacheSize);
    CHECK(attribute(cudaDevAttrMemoryClockRate) == properties.memoryClockRate);
    CHECK(attribute(cudaDevAttrGlobalMemoryBusWidth) == properties.memoryBusWidth);
    CHECK(attribute(cudaDevAttrMaxPersistingL2CacheSize) == properties.persistingL2CacheMaxSize);
    int value = 0;
    CHECK(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(5000), 0) ==
          cudaErrorInvalidValue);
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 1) == cudaErrorInvalidDevice);
}

TEST_CASE("occupancy is limited by threads, by blocks or by shared memory")
{
    CHECK(blocks_per_multiprocessor(1024, 0) == 2); // 2048 threads
    CHECK(blocks_per_multiprocessor(256, 0) == 8);
    CHECK(blocks_per_multiprocessor(32, 0) == 32);         // 32 blocks, not 64
    CHECK(blocks_per_multiprocessor(33, 0) == 32);         // two warps each: 64 / 2
    CHECK(blocks_per_multiprocessor(65, 0) == 21);         // three warps each: 64 / 3
    CHECK(blocks_per_multiprocessor(768, 0) == 2);         // 24 warps: 64 / 24
    CHECK(blocks_per_multiprocessor(128, 48 * 1024) == 4); // 228 / (48 + 1) KiB
    CHECK(blocks_per_multiprocessor(128, 20000) == 11);    // 228 KiB / 21120, rounded up to 128
    CHECK(blocks_per_multiprocessor(1025, 0) == 0);
    int blocks = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 0, 0) ==
          cudaErrorInvalidValue);
}

TEST_CASE("more than 48 KiB of shared memory needs the function attribute")
{
    int blocks = -1;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, other_kernel, 128, 100 * 1024) ==
          cudaSuccess);
    CHECK(blocks == 0);
    CHECK(cudaFuncSetAttribute(other_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               228 * 1024) == cudaErrorInvalidValue);
    REQUIRE(cudaFuncSetAttribute(other_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 100 * 1024) == cudaSuccess);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, other_kernel, 128, 100 * 1024) ==
          cudaSuccess);
    CHECK(blocks == 2); // 228 / 101
    cudaFuncAttributes attributes{};
    CHECK(cudaFuncGetAttributes(&attributes, other_kernel) == cudaSuccess);
    CHECK(attributes.maxDynamicSharedSizeBytes == 100 * 1024);
}

TEST_CASE("the suggested block size fills an SM")
{
    int grid = 0;
    int threads = 0;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &threads, kernel) == cudaSuccess);
    CHECK(threads == 1024);
    CHECK(grid == 2 * 132);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &threads, kernel, 0, 768) == cudaSuccess);
    CHECK(threads == 512); // 2 * 768 = 1536 threads, 4 * 512 = 2048
    CHECK(grid == 4 * 132);
}

TEST_CASE("limits are kept until the device is reset")
{
    std::size_t value = 0;
    constexpr std::size_t slice = 3932160; // of 16: all figures as on an H200
    REQUIRE(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 4096) == cudaSuccess);
    CHECK(cudaDeviceGetLimit(&value, cudaLimitPersistingL2CacheSize) == cudaSuccess);
    CHECK(value == slice);
    for (const std::size_t too_much : {std::size_t{1} << 30U, ~std::size_t{0}}) {
        REQUIRE(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, too_much) == cudaSuccess);
        CHECK(cudaDeviceGetLimit(&value, cudaLimitPersistingL2CacheSize) == cudaSuccess);
        CHECK(value == 10 * slice);
    }
    CHECK(cudaDeviceReset() == cudaSuccess);
    CHECK(cudaDeviceGetLimit(&value, cudaLimitPersistingL2CacheSize) == cudaSuccess);
    CHECK(value == 3 * slice);
    CHECK(cudaDeviceSetLimit(static_cast<cudaLimit>(77), 1) == cudaErrorUnsupportedLimit);
}

TEST_CASE("the runtime's version is that of its headers")
{
    int version = 0;
    CHECK(cudaRuntimeGetVersion(&version) == cudaSuccess);
    CHECK(version == CUDART_VERSION);
}
