#include "tests/catch.hpp"

#include "core/arena.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

namespace {

cudaPointerAttributes attributes_of(const void* pointer)
{
    cudaPointerAttributes attributes{};
    REQUIRE(cudaPointerGetAttributes(&attributes, pointer) == cudaSuccess);
    return attributes;
}

} // namespace

TEST_CASE("cudaMalloc refuses what there is not, and cudaFree what it never gave")
{
    int* pointer = nullptr;
    CHECK(cudaMalloc(&pointer, std::size_t{1} << 60) == cudaErrorMemoryAllocation);
    CHECK(pointer == nullptr);
    CHECK(cudaMalloc(&pointer, 0) == cudaSuccess);
    CHECK(pointer == nullptr);
    CHECK(cudaFree(nullptr) == cudaSuccess);
    REQUIRE(cudaMalloc(&pointer, 400) == cudaSuccess);
    CHECK(reinterpret_cast<std::uintptr_t>(pointer) % 256 == 0);
    CHECK(cudaFree(pointer + 1) == cudaErrorInvalidValue);
    CHECK(cudaFreeHost(pointer) == cudaErrorInvalidValue);
    CHECK(cudaFree(pointer) == cudaSuccess);
    CHECK(cudaFree(pointer) == cudaErrorInvalidValue);
}

TEST_CASE("cudaMemGetInfo follows allocations")
{
    std::size_t before = 0;
    std::size_t after = 0;
    std::size_t total = 0;
    void* pointer = nullptr;
    REQUIRE(cudaMemGetInfo(&before, &total) == cudaSuccess);
    REQUIRE(cudaMalloc(&pointer, 1 << 20) == cudaSuccess);
    REQUIRE(cudaMemGetInfo(&after, &total) == cudaSuccess);
    CHECK(before - after == 1 << 20);
    CHECK(total >= before);
    cudaFree(pointer);
}

TEST_CASE("a pointer knows its kind of memory")
{
    int on_stack = 0;
    void* device = nullptr;
    void* pinned = nullptr;
    void* managed = nullptr;
    REQUIRE(cudaMalloc(&device, 64) == cudaSuccess);
    REQUIRE(cudaMallocHost(&pinned, 64) == cudaSuccess);
    REQUIRE(cudaMallocManaged(&managed, 64) == cudaSuccess);
    CHECK(attributes_of(device).type == cudaMemoryTypeDevice);
    CHECK(attributes_of(device).hostPointer == nullptr);
    CHECK(attributes_of(static_cast<char*>(device) + 63).devicePointer ==
          static_cast<char*>(device) + 63);
    CHECK(attributes_of(static_cast<char*>(device) + 64).type == cudaMemoryTypeUnregistered);
    CHECK(attributes_of(pinned).type == cudaMemoryTypeHost);
    CHECK(attributes_of(pinned).devicePointer == pinned);
    CHECK(attributes_of(managed).type == cudaMemoryTypeManaged);
    CHECK(attributes_of(&on_stack).type == cudaMemoryTypeUnregistered);
    cudaFree(device);
    cudaFreeHost(pinned);
    cudaFree(managed);
    CHECK(attributes_of(device).type == cudaMemoryTypeUnregistered);
}

TEST_CASE("host memory is registered once and unregistered once")
{
    std::vector<int> memory(1000);
    const std::size_t bytes = memory.size() * sizeof(int);
    CHECK(cudaHostUnregister(memory.data()) == cudaErrorHostMemoryNotRegistered);
    REQUIRE(cudaHostRegister(memory.data(), bytes, cudaHostRegisterPortable) == cudaSuccess);
    CHECK(cudaHostRegister(memory.data(), bytes, 0) == cudaErrorHostMemoryAlreadyRegistered);
    int* on_device = nullptr;
    CHECK(cudaHostGetDevicePointer(&on_device, memory.data(), 0) == cudaSuccess);
    CHECK(on_device == memory.data());
    CHECK(cudaHostUnregister(memory.data()) == cudaSuccess);
    CHECK(cudaHostGetDevicePointer(&on_device, memory.data(), 0) == cudaErrorInvalidValue);
}

TEST_CASE("mapped host memory has one address for both sides")
{
    float* host = nullptr;
    CHECK(cudaHostAlloc(&host, 64, 0x80) == cudaErrorInvalidValue); // no such flag
    REQUIRE(cudaHostAlloc(&host, 64, cudaHostAllocMapped | cudaHostAllocWriteCombined) ==
            cudaSuccess);
    float* on_device = nullptr;
    CHECK(cudaHostGetDevicePointer(&on_device, host, 0) == cudaSuccess);
    CHECK(on_device == host);
    CHECK(cudaHostGetDevicePointer(&on_device, host + 7, 0) == cudaSuccess);
    CHECK(on_device == host + 7);
    CHECK(cudaHostGetDevicePointer(&on_device, host, 1) == cudaErrorInvalidValue);
    CHECK(cudaHostGetDevicePointer(&on_device, host + 16, 0) == cudaErrorInvalidValue);
    CHECK(attributes_of(host + 15).type == cudaMemoryTypeHost);
    CHECK(attributes_of(host + 15).hostPointer == host + 15);
    cudaFreeHost(host);
    float* device = nullptr;
    REQUIRE(cudaMalloc(&device, 64) == cudaSuccess);
    CHECK(cudaHostGetDevicePointer(&on_device, device, 0) == cudaErrorInvalidValue);
    cudaFree(device);
    cudaGetLastError();
}

TEST_CASE("pitched rows start at multiples of the pitch alignment")
{
    void* pointer = nullptr;
    std::size_t pitch = 0;
    REQUIRE(cudaMallocPitch(&pointer, &pitch, 700, 3) == cudaSuccess);
    CHECK(pitch == 1024);
    cudaFree(pointer);
    cudaPitchedPtr box{};
    REQUIRE(cudaMalloc3D(&box, make_cudaExtent(100, 7, 5)) == cudaSuccess);
    CHECK(box.pitch == 512);
    CHECK(box.xsize == 100);
    CHECK(box.ysize == 7);
    CHECK(cudaMemset(box.ptr, 0, 512 * 7 * 5) == cudaSuccess);
    CHECK(cudaMemset(box.ptr, 0, 512 * 7 * 5 + 1) == cudaErrorInvalidValue);
    cudaFree(box.ptr);
}

TEST_CASE("pitched memory that nobody can have is refused, and none at all is null")
{
    void* pointer = nullptr;
    std::size_t pitch = 0;
    CHECK(cudaMallocPitch(static_cast<void**>(nullptr), &pitch, 4, 4) == cudaErrorInvalidValue);
    CHECK(cudaMallocPitch(&pointer, nullptr, 4, 4) == cudaErrorInvalidValue);
    CHECK(cudaMallocPitch(&pointer, &pitch, std::size_t{1} << 31U, 1) == cudaErrorInvalidValue);
    CHECK(cudaMallocPitch(&pointer, &pitch, 4, std::size_t{1} << 60U) == cudaErrorMemoryAllocation);
    CHECK(cudaMallocPitch(&pointer, &pitch, 4, 0) == cudaSuccess);
    CHECK(pointer == nullptr);
    CHECK(cudaMalloc3D(nullptr, make_cudaExtent(4, 4, 4)) == cudaErrorInvalidValue);
    cudaPitchedPtr box{};
    CHECK(cudaMalloc3D(&box, make_cudaExtent(4, std::size_t{1} << 40U, std::size_t{1} << 40U)) ==
          cudaErrorMemoryAllocation);
    CHECK(box.ptr == nullptr);
}

TEST_CASE("prefetch and advice take managed memory and both CUDA signatures")
{
    int* managed = nullptr;
    REQUIRE(cudaMallocManaged(&managed, 4096) == cudaSuccess);
    const cudaMemLocation device{cudaMemLocationTypeDevice, 0};
    CHECK(cudaMemPrefetchAsync(managed, 4096, 0) == cudaSuccess);
    CHECK(cudaMemPrefetchAsync(managed, 4096, device, 0) == cudaSuccess);
    CHECK(cudaMemPrefetchAsync(managed, 4096, cudaCpuDeviceId) == cudaSuccess);
    CHECK(cudaMemPrefetchAsync(managed, 4097, 0) == cudaErrorInvalidValue);
    CHECK(cudaMemPrefetchAsync(managed, 4096, 2) == cudaErrorInvalidDevice);
    CHECK(cudaMemAdvise(managed, 4096, cudaMemAdviseSetReadMostly, device) == cudaSuccess);
    CHECK(cudaMemAdvise(&managed, 8, cudaMemAdviseSetReadMostly, 0) == cudaErrorInvalidValue);
    cudaFree(managed);
}

TEST_CASE("A copy or a fill opens the allocations that it names, however many there are")
{
    std::vector<int*> arrays(100);
    for (int*& array : arrays)
        REQUIRE(cudaMalloc(&array, 4096) == cudaSuccess);
    const auto opened_by = [](auto call) {
        const std::uint64_t before = cpu_device::arena().openings();
        REQUIRE(call() == cudaSuccess);
        return cpu_device::arena().openings() - before;
    };
    int values[4] = {1, 2, 3, 4};
    CHECK(opened_by([&] {
              return cudaMemcpy(arrays[40], values, sizeof values, cudaMemcpyHostToDevice);
          }) == 1);
    CHECK(opened_by([&] {
              return cudaMemcpy(arrays[41] + 8, arrays[40], sizeof values,
                                cudaMemcpyDeviceToDevice);
          }) == 2);
    CHECK(opened_by([&] {
              return cudaMemcpy(arrays[40] + 4, arrays[40], sizeof values,
                                cudaMemcpyDeviceToDevice);
          }) == 1);
    CHECK(opened_by([&] { return cudaMemset(arrays[42], 0, 4096); }) == 1);
    values[3] = 0;
    CHECK(opened_by([&] {
              return cudaMemcpy(values, arrays[41] + 8, sizeof values, cudaMemcpyDeviceToHost);
          }) == 1);
    CHECK(values[3] == 4);
    for (int* array : arrays)
        REQUIRE(cudaFree(array) == cudaSuccess);
}
