// The CPU device as another GPU: what a program sees of it, and its caches.
#include "common/device/device.hpp"
#include "common/model/card.hpp"
#include "tests/catch.hpp"

#include <cpu_device/counts.hpp>

#include <cuda_runtime.h>

#include <cstddef>

namespace {

constexpr std::size_t table_elements = 20'000'000 / sizeof(float4);

/// Every element of the table twice, the second time when all of it has passed.
__global__ void read_twice(const float4* table, float4* c)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < 2 * table_elements) {
        const float4 read = table[i % table_elements];
        if (read.x != 0)
            c[0] = read;
    }
}

/// What DRAM reads for it on the GPU, in tables of 20 MB.
double tables_read(const char* card)
{
    const common::Card& modelled = *common::find_card(card);
    common::model_card(modelled);
    float4* table = nullptr;
    const std::size_t bytes = table_elements * sizeof(float4);
    REQUIRE(cudaMalloc(&table, bytes) == cudaSuccess);
    REQUIRE(cudaMemset(table, 0, bytes) == cudaSuccess);
    common::begin_counting();
    common::simulate_caches(true);
    read_twice<<<(2 * table_elements + 255) / 256, 256>>>(table, table);
    common::simulate_caches(false);
    REQUIRE(cudaFree(table) == cudaSuccess);
    return common::end_counting().at(0).traffic.value().dram_bytes_read /
           static_cast<double>(bytes);
}

} // namespace

TEST_CASE("20 MB that are read twice stay in the L2 of an H200 and not in that of a T4")
{
    CHECK(tables_read("h200") == Approx(1).epsilon(0.01));
    CHECK(tables_read("t4") == Approx(2).epsilon(0.01));
}

TEST_CASE("a program sees the GPU that is modelled")
{
    common::model_card(*common::find_card("t4"));
    cudaDeviceProp seen{};
    REQUIRE(cudaGetDeviceProperties(&seen, 0) == cudaSuccess);
    CHECK(seen.multiProcessorCount == 40);
    CHECK(seen.maxThreadsPerMultiProcessor == 1024);
    CHECK(seen.sharedMemPerMultiprocessor == 64 * 1024);
    CHECK(seen.l2CacheSize == 4 * 1024 * 1024);
    int blocks = 0;
    REQUIRE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, read_twice, 256, 0) ==
            cudaSuccess);
    CHECK(blocks == 4);
}
