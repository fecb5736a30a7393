// Kernels on several devices: what they read and write of each other's memory.
#include "tests/catch.hpp"

#include <cpu_device/launches.hpp>
#include <cpu_device/operation.hpp>
#include <cpu_device/settings.hpp>
#include <cuda_runtime.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using cpu_device::Counts;
using cpu_device::Operation;

__global__ void add(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void count(int* counter)
{
    atomicAdd(counter, 1);
}

constexpr std::size_t n = 4096;
constexpr std::size_t bytes = n * sizeof(float);
constexpr std::uint64_t sectors = bytes / Counts::sector_bytes;

/// Two devices that may use each other's memory, with `n` floats each and a stream each.
struct Devices
{
    Devices()
    {
        cpu_device::set_device_count(2);
        for (int device = 0; device < 2; ++device) {
            const auto i = static_cast<std::size_t>(device);
            REQUIRE(cudaSetDevice(device) == cudaSuccess);
            REQUIRE(cudaDeviceEnablePeerAccess(1 - device, 0) == cudaSuccess);
            REQUIRE(cudaMalloc(&memory[i], bytes) == cudaSuccess);
            REQUIRE(cudaStreamCreate(&stream[i]) == cudaSuccess);
            REQUIRE(cudaMemset(memory[i], 0, bytes) == cudaSuccess);
        }
        REQUIRE(cudaSetDevice(0) == cudaSuccess);
        static_cast<void>(cudaGetLastError());
        cpu_device::forget_launches();
        cpu_device::begin_recording();
    }
    ~Devices()
    {
        static_cast<void>(cpu_device::end_recording());
        for (int device = 0; device < 2; ++device) {
            const auto i = static_cast<std::size_t>(device);
            static_cast<void>(cudaSetDevice(device));
            static_cast<void>(cudaDeviceDisablePeerAccess(1 - device));
            static_cast<void>(cudaFree(memory[i]));
            static_cast<void>(cudaStreamDestroy(stream[i]));
        }
    }
    Devices(const Devices&) = delete;
    Devices& operator=(const Devices&) = delete;

    std::array<float*, 2> memory{};
    std::array<cudaStream_t, 2> stream{};
};

Counts counts_of_last_launch()
{
    return cpu_device::launches().back().counts;
}

} // namespace

TEST_CASE("sectors of another device's memory are counted apart")
{
    const Devices d;
    float* c = nullptr;
    REQUIRE(cudaMalloc(&c, bytes) == cudaSuccess);
    add<<<n / 256, 256>>>(d.memory[0], d.memory[1], c, n); // one input lives on device 1
    Counts counts = counts_of_last_launch();
    CHECK(counts.load_sectors == 2 * sectors);
    CHECK(counts.peer_load_sectors == sectors);
    CHECK(counts.peer_store_sectors == 0);
    CHECK(counts.distinct_sectors == 3 * sectors);
    CHECK(cpu_device::launches().back().device == 0);

    add<<<n / 256, 256>>>(d.memory[0], c, d.memory[1], n); // the output does
    counts = counts_of_last_launch();
    CHECK(counts.peer_load_sectors == 0);
    CHECK(counts.peer_store_sectors == sectors);

    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    add<<<n / 256, 256>>>(d.memory[0], c, d.memory[0], n); // all is on device 0, seen from 1
    counts = counts_of_last_launch();
    CHECK(counts.peer_load_sectors == 2 * sectors);
    CHECK(counts.peer_store_sectors == sectors);
    CHECK(cpu_device::launches().back().device == 1);
    CHECK(cudaFree(c) == cudaSuccess);
}

TEST_CASE("memory of the host and of the device itself crosses no link between devices")
{
    const Devices d;
    float* pinned = nullptr;
    REQUIRE(cudaMallocHost(&pinned, bytes) == cudaSuccess);
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    add<<<n / 256, 256>>>(pinned, d.memory[1], d.memory[1], n);
    const Counts counts = counts_of_last_launch();
    CHECK(counts.load_sectors == 2 * sectors);
    CHECK(counts.peer_load_sectors + counts.peer_store_sectors + counts.peer_atomic_sectors == 0);
    CHECK(cudaFreeHost(pinned) == cudaSuccess);
}

TEST_CASE("atomics on another device's memory go there and come back")
{
    const Devices d;
    int* counter = nullptr;
    REQUIRE(cudaMalloc(&counter, sizeof(int)) == cudaSuccess);
    REQUIRE(cudaMemset(counter, 0, sizeof(int)) == cudaSuccess);
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    count<<<2, 64>>>(counter); // four warps, each of one sector
    int result = 0;
    REQUIRE(cudaMemcpy(&result, counter, sizeof(int), cudaMemcpyDefault) == cudaSuccess);
    CHECK(result == 128);
    CHECK(counts_of_last_launch().peer_atomic_sectors == 4);
    CHECK(cudaFree(counter) == cudaSuccess);
}

TEST_CASE("what crosses between two devices is recorded with its direction")
{
    const Devices d;
    add<<<n / 256, 256>>>(d.memory[1], d.memory[1], d.memory[0], n);
    add<<<n / 256, 256>>>(d.memory[0], d.memory[0], d.memory[1], n);
    CHECK(cudaMemcpyPeerAsync(d.memory[1], 1, d.memory[0], 0, bytes, d.stream[0]) == cudaSuccess);
    REQUIRE(cudaDeviceDisablePeerAccess(1) == cudaSuccess);
    CHECK(cudaMemcpyPeerAsync(d.memory[1], 1, d.memory[0], 0, bytes, d.stream[1]) == cudaSuccess);
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    REQUIRE(cudaDeviceDisablePeerAccess(0) == cudaSuccess);
    CHECK(cudaMemcpy(d.memory[0], d.memory[1], bytes, cudaMemcpyDefault) == cudaSuccess);
    const std::vector<Operation> recorded = cpu_device::end_recording();
    REQUIRE(recorded.size() == 6); // with the wait of the last one
    using PerDevice = std::array<std::uint64_t, cpu_device::max_devices>;
    CHECK(recorded[0].peer_in_bytes == PerDevice{0, 2 * bytes});
    CHECK(recorded[0].peer_out_bytes == PerDevice{});
    CHECK(recorded[0].bytes == bytes); // in its own memory
    CHECK(recorded[1].peer_in_bytes == PerDevice{});
    CHECK(recorded[1].peer_out_bytes == PerDevice{0, bytes});
    for (const std::size_t i : {2U, 3U, 4U}) {
        CHECK(recorded[i].kind == Operation::Kind::copy_peer);
        CHECK(recorded[i].bytes == bytes);
    }
    CHECK(recorded[2].from == 0);
    CHECK(recorded[2].to == 1);
    CHECK_FALSE(recorded[2].through_host);
    CHECK(recorded[2].device == 0);
    CHECK_FALSE(recorded[3].through_host); // device 1 still has access
    CHECK(recorded[3].device == 1);
    CHECK(recorded[4].through_host);
    CHECK(recorded[4].from == 1);
    CHECK(recorded[4].to == 0);
}
