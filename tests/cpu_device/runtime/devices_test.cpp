// Several devices: whose memory and events are whose, and who may use what. What the same calls
// say on GPUs, too, is asked by tests/programs/device_calls.cu.
#include "core/arena.hpp"
#include "tests/catch.hpp"

#include <cpu_device/settings.hpp>
#include <cuda_runtime.h>

#include <array>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

/// Two devices; the first is the current one again when it goes.
struct TwoDevices
{
    TwoDevices() { cpu_device::set_device_count(2); }
    ~TwoDevices()
    {
        for (const int device : {1, 0}) {
            static_cast<void>(cudaSetDevice(device));
            static_cast<void>(cudaDeviceDisablePeerAccess(1 - device));
        }
        static_cast<void>(cudaGetLastError());
    }
    TwoDevices(const TwoDevices&) = delete;
    TwoDevices& operator=(const TwoDevices&) = delete;
};

int current()
{
    int device = -1;
    REQUIRE(cudaGetDevice(&device) == cudaSuccess);
    return device;
}

/// Device memory that goes with it, of one device.
class Memory
{
  public:
    Memory(int device, std::size_t bytes)
    {
        const int before = current();
        REQUIRE(cudaSetDevice(device) == cudaSuccess);
        REQUIRE(cudaMalloc(&pointer_, bytes) == cudaSuccess);
        REQUIRE(cudaSetDevice(before) == cudaSuccess);
    }
    ~Memory() { static_cast<void>(cudaFree(pointer_)); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    [[nodiscard]] void* get() const { return pointer_; }

  private:
    void* pointer_ = nullptr;
};

int owner(const void* pointer)
{
    cudaPointerAttributes attributes{};
    REQUIRE(cudaPointerGetAttributes(&attributes, pointer) == cudaSuccess);
    return attributes.device;
}

} // namespace

TEST_CASE("there are as many devices as were requested, and at most four")
{
    const TwoDevices two;
    int count = 0;
    REQUIRE(cudaGetDeviceCount(&count) == cudaSuccess);
    CHECK(count == 2);
    CHECK(cudaSetDevice(2) == cudaErrorInvalidDevice);
    CHECK(cudaSetDevice(-1) == cudaErrorInvalidDevice);
    CHECK(current() == 0);
    CHECK_THROWS_WITH(cpu_device::set_device_count(5), "The number of devices is 5; it must be a "
                                                       "whole number from 1 to 4.");
    CHECK_THROWS_AS(cpu_device::set_device_count(0), std::invalid_argument);
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    CHECK_THROWS_WITH(cpu_device::set_device_count(1),
                      "The number of devices cannot be set to 1: device 1 has already been used. "
                      "Set it before the first call of cudaSetDevice().");
}

TEST_CASE("each thread of the host has its own current device")
{
    const TwoDevices two;
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    int elsewhere = -1;
    std::thread([&] { static_cast<void>(cudaGetDevice(&elsewhere)); }).join();
    CHECK(elsewhere == 0);
    CHECK(current() == 1);
}

TEST_CASE("devices differ in their bus number and their UUID alone")
{
    const TwoDevices two;
    std::array<cudaDeviceProp, 2> of{};
    for (int device = 0; device < 2; ++device)
        REQUIRE(cudaGetDeviceProperties(&of[static_cast<std::size_t>(device)], device) ==
                cudaSuccess);
    CHECK(of[0].pciBusID != of[1].pciBusID);
    CHECK(std::string(of[0].uuid.bytes, 16) != std::string(of[1].uuid.bytes, 16));
    CHECK(of[0].totalGlobalMem == of[1].totalGlobalMem);
    std::array<char, 16> name{};
    REQUIRE(cudaDeviceGetPCIBusId(name.data(), 16, 1) == cudaSuccess);
    CHECK(std::string(name.data()) == "0000:01:00.0");
    CHECK(cudaDeviceGetPCIBusId(name.data(), 16, 2) == cudaErrorInvalidDevice);
}

TEST_CASE("memory belongs to the device that was current")
{
    const TwoDevices two;
    std::size_t free_before = 0;
    std::size_t free_now = 0;
    std::size_t total = 0;
    REQUIRE(cudaMemGetInfo(&free_before, &total) == cudaSuccess);
    const Memory on_1(1, 1 << 20);
    REQUIRE(cudaMemGetInfo(&free_now, &total) == cudaSuccess);
    CHECK(free_now == free_before);
    CHECK(owner(on_1.get()) == 1);
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    REQUIRE(cudaMemGetInfo(&free_now, &total) == cudaSuccess);
    CHECK(total - free_now == 1 << 20);
}

TEST_CASE("a reset frees the memory of the current device, and of no other")
{
    const TwoDevices two;
    const Memory on_0(0, 64);
    const Memory on_1(1, 64);
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    REQUIRE(cudaDeviceReset() == cudaSuccess);
    CHECK(current() == 1);
    std::size_t free_now = 0;
    std::size_t total = 0;
    REQUIRE(cudaMemGetInfo(&free_now, &total) == cudaSuccess);
    CHECK(free_now == total);
    CHECK(owner(on_1.get()) == cudaInvalidDeviceId);
    CHECK(owner(on_0.get()) == 0);
    CHECK(cudaFree(on_1.get()) == cudaErrorInvalidValue);
}

TEST_CASE("an event is not recorded in the default stream of another device")
{
    const TwoDevices two;
    cudaEvent_t event = nullptr;
    REQUIRE(cudaEventCreate(&event) == cudaSuccess);
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    CHECK(cudaEventRecord(event, nullptr) == cudaErrorInvalidResourceHandle);
    CHECK(cudaStreamWaitEvent(nullptr, event, 0) == cudaSuccess);
    CHECK(cudaEventDestroy(event) == cudaSuccess);
}

TEST_CASE("peer access is in one direction, and ends with a reset")
{
    const TwoDevices two;
    CHECK(cudaDeviceEnablePeerAccess(1, 0) == cudaSuccess);
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    CHECK(cudaDeviceDisablePeerAccess(0) == cudaErrorPeerAccessNotEnabled);
    REQUIRE(cudaSetDevice(0) == cudaSuccess);
    CHECK(cudaDeviceReset() == cudaSuccess);
    CHECK(cudaDeviceDisablePeerAccess(1) == cudaErrorPeerAccessNotEnabled);
    int value = -1;
    CHECK(cudaDeviceCanAccessPeer(&value, 0, 1) == cudaSuccess);
    CHECK(value == 1);
    CHECK(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1) == cudaSuccess);
    CHECK(value == 1);
    CHECK(cudaDeviceGetP2PAttribute(&value, static_cast<cudaDeviceP2PAttr>(9), 0, 1) ==
          cudaErrorInvalidValue);
}

TEST_CASE("a copy between devices needs no access")
{
    const TwoDevices two;
    const std::vector<int> sent{1, 2, 3, 4};
    std::vector<int> received(4);
    constexpr std::size_t bytes = 4 * sizeof(int);
    const Memory on_0(0, bytes);
    const Memory on_1(1, bytes);
    REQUIRE(cudaMemcpy(on_0.get(), sent.data(), bytes, cudaMemcpyDefault) == cudaSuccess);
    CHECK(cudaMemcpyPeer(on_1.get(), 1, on_0.get(), 0, bytes) == cudaSuccess);
    CHECK(cudaMemcpy(received.data(), on_1.get(), bytes, cudaMemcpyDefault) == cudaSuccess);
    CHECK(received == sent);
    CHECK(cudaMemcpyPeer(on_1.get(), 1, on_0.get(), 0, bytes + 1) == cudaErrorInvalidValue);
}

TEST_CASE("a graph's nodes run on the devices of the streams that they were captured from")
{
    const TwoDevices two;
    cudaStream_t of_0 = nullptr;
    cudaStream_t of_1 = nullptr;
    cudaEvent_t fork = nullptr;
    cudaEvent_t join = nullptr;
    REQUIRE(cudaStreamCreate(&of_0) == cudaSuccess);
    REQUIRE(cudaEventCreate(&fork) == cudaSuccess);
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    REQUIRE(cudaStreamCreate(&of_1) == cudaSuccess);
    REQUIRE(cudaEventCreate(&join) == cudaSuccess);
    std::vector<int> devices;
    const auto note = [](void* to) {
        int device = -1;
        static_cast<void>(cudaGetDevice(&device));
        static_cast<std::vector<int>*>(to)->push_back(device);
    };
    REQUIRE(cudaStreamBeginCapture(of_0, cudaStreamCaptureModeGlobal) == cudaSuccess);
    CHECK(cudaEventRecord(fork, of_0) == cudaSuccess);
    CHECK(cudaStreamWaitEvent(of_1, fork, 0) == cudaSuccess);
    CHECK(cudaLaunchHostFunc(of_1, note, &devices) == cudaSuccess);
    CHECK(cudaEventRecord(join, of_1) == cudaSuccess);
    CHECK(cudaStreamWaitEvent(of_0, join, 0) == cudaSuccess);
    CHECK(cudaLaunchHostFunc(of_0, note, &devices) == cudaSuccess);
    cudaGraph_t graph = nullptr;
    REQUIRE(cudaStreamEndCapture(of_0, &graph) == cudaSuccess);
    cudaGraphExec_t executable = nullptr;
    REQUIRE(cudaGraphInstantiate(&executable, graph, 0ULL) == cudaSuccess);
    REQUIRE(cudaGraphLaunch(executable, of_0) == cudaSuccess);
    CHECK(devices == std::vector<int>{1, 0});
    CHECK(current() == 1);
    CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
    CHECK(cudaGraphDestroy(graph) == cudaSuccess);
    for (const cudaEvent_t event : {fork, join})
        CHECK(cudaEventDestroy(event) == cudaSuccess);
    for (const cudaStream_t stream : {of_0, of_1})
        CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("the heap of all devices is one, and so is its limit")
{
    const TwoDevices two;
    const auto limit = [] {
        std::size_t bytes = 0;
        REQUIRE(cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize) == cudaSuccess);
        return bytes;
    };
    constexpr std::size_t asked_for = 16 << 20;
    const std::size_t before = limit();
    REQUIRE(before != asked_for);
    REQUIRE(cudaDeviceSetLimit(cudaLimitMallocHeapSize, asked_for) == cudaSuccess);
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    CHECK(limit() == asked_for);
    CHECK(cpu_device::arena().heap().limit() == asked_for);
    REQUIRE(cudaDeviceReset() == cudaSuccess);
    CHECK(limit() == before);
    CHECK(cpu_device::arena().heap().limit() == before);
}
