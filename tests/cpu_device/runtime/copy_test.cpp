#include "tests/catch.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace {

/// Device memory with 0, 1, 2, ... in it.
class DeviceBytes
{
  public:
    explicit DeviceBytes(std::size_t n) : n_(n)
    {
        REQUIRE(cudaMalloc(&data_, n) == cudaSuccess);
        std::vector<unsigned char> values(n);
        std::iota(values.begin(), values.end(), static_cast<unsigned char>(0));
        REQUIRE(cudaMemcpy(data_, values.data(), n, cudaMemcpyHostToDevice) == cudaSuccess);
    }
    ~DeviceBytes() { cudaFree(data_); }
    DeviceBytes(const DeviceBytes&) = delete;
    DeviceBytes& operator=(const DeviceBytes&) = delete;
    [[nodiscard]] unsigned char* data() const { return data_; }
    [[nodiscard]] std::vector<unsigned char> values() const
    {
        std::vector<unsigned char> result(n_);
        REQUIRE(cudaMemcpy(result.data(), data_, n_, cudaMemcpyDeviceToHost) == cudaSuccess);
        return result;
    }

  private:
    unsigned char* data_ = nullptr;
    std::size_t n_;
};

unsigned char byte(std::size_t value)
{
    return static_cast<unsigned char>(value);
}

} // namespace

// As a .cu file declares them.
static float device_table[8];
static int device_counter;

TEST_CASE("a copy whose kind contradicts its pointers is refused and copies nothing")
{
    const DeviceBytes device(64);
    unsigned char host[64] = {};
    CHECK(cudaMemcpy(host, device.data(), 64, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(device.data(), host, 64, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(device.data(), host, 64, cudaMemcpyDeviceToDevice) == cudaErrorInvalidValue);
    CHECK(cudaMemcpy(host, host, 64, static_cast<cudaMemcpyKind>(9)) ==
          cudaErrorInvalidMemcpyDirection);
    CHECK(cudaMemcpy(host, nullptr, 64, cudaMemcpyDefault) == cudaErrorInvalidValue);
    CHECK(std::ranges::all_of(host, [](unsigned char value) { return value == 0; }));
    CHECK(cudaMemcpy(host, device.data(), 64, cudaMemcpyDefault) == cudaSuccess);
    CHECK(host[63] == 63);
}

TEST_CASE("a copy that runs past its allocation, or uses a freed one, is refused")
{
    const DeviceBytes device(100);
    std::vector<unsigned char> host(200);
    const auto copy = [&](std::size_t offset, std::size_t bytes) {
        return cudaMemcpy(host.data(), device.data() + offset, bytes, cudaMemcpyDeviceToHost);
    };
    CHECK(copy(0, 100) == cudaSuccess);
    CHECK(copy(0, 101) == cudaErrorInvalidValue);
    CHECK(copy(60, 41) == cudaErrorInvalidValue);
    CHECK(copy(60, 40) == cudaSuccess);
    CHECK(copy(100, 1) == cudaErrorInvalidValue);
    CHECK(cudaMemset(device.data() + 99, 1, 2) == cudaErrorInvalidValue);
    void* freed = nullptr;
    REQUIRE(cudaMalloc(&freed, 16) == cudaSuccess);
    cudaFree(freed);
    CHECK(cudaMemcpy(host.data(), freed, 16, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
}

TEST_CASE("pinned and managed memory may be on either side")
{
    const DeviceBytes device(32);
    void* pinned = nullptr;
    void* managed = nullptr;
    REQUIRE(cudaHostAlloc(&pinned, 32, cudaHostAllocMapped) == cudaSuccess);
    REQUIRE(cudaMallocManaged(&managed, 32) == cudaSuccess);
    CHECK(cudaMemcpy(pinned, device.data(), 32, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(cudaMemcpy(managed, pinned, 32, cudaMemcpyHostToDevice) == cudaSuccess);
    CHECK(cudaMemcpy(device.data(), managed, 32, cudaMemcpyDeviceToDevice) == cudaSuccess);
    CHECK(static_cast<unsigned char*>(managed)[31] == 31);
    cudaFreeHost(pinned);
    cudaFree(managed);
}

TEST_CASE("a 2-D copy moves each row and nothing between them")
{
    constexpr std::size_t width = 13, height = 5, from_pitch = 20, to_pitch = 32;
    const DeviceBytes from(from_pitch * height);
    std::vector<unsigned char> to(to_pitch * height, 0xEE);
    REQUIRE(cudaMemcpy2D(to.data(), to_pitch, from.data(), from_pitch, width, height,
                         cudaMemcpyDeviceToHost) == cudaSuccess);
    for (std::size_t y = 0; y < height; ++y)
        for (std::size_t x = 0; x < to_pitch; ++x)
            REQUIRE(to[y * to_pitch + x] == (x < width ? byte(y * from_pitch + x) : 0xEE));
    CHECK(cudaMemcpy2D(to.data(), to_pitch, from.data(), 12, width, height,
                       cudaMemcpyDeviceToHost) == cudaErrorInvalidPitchValue);
    CHECK(cudaMemcpy2D(to.data(), to_pitch, from.data(), from_pitch, width, height + 1,
                       cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
}

TEST_CASE("a 3-D copy moves a box at its position")
{
    constexpr std::size_t width = 6, height = 4, depth = 3;
    cudaPitchedPtr device{};
    REQUIRE(cudaMalloc3D(&device, make_cudaExtent(width, height, depth)) == cudaSuccess);
    REQUIRE(cudaMemset(device.ptr, 0xAB, device.pitch * height * depth) == cudaSuccess);
    std::vector<unsigned char> host(width * height * depth);
    std::iota(host.begin(), host.end(), static_cast<unsigned char>(1));
    cudaMemcpy3DParms box{};
    box.srcPtr = make_cudaPitchedPtr(host.data(), width, width, height);
    box.dstPtr = device;
    box.srcPos = make_cudaPos(1, 0, 1);
    box.dstPos = make_cudaPos(2, 1, 0);
    box.extent = make_cudaExtent(3, 2, 2);
    box.kind = cudaMemcpyHostToDevice;
    REQUIRE(cudaMemcpy3D(&box) == cudaSuccess);

    std::vector<unsigned char> back(width * height * depth);
    cudaMemcpy3DParms all{};
    all.srcPtr = device;
    all.dstPtr = make_cudaPitchedPtr(back.data(), width, width, height);
    all.extent = make_cudaExtent(width, height, depth);
    all.kind = cudaMemcpyDeviceToHost;
    REQUIRE(cudaMemcpy3D(&all) == cudaSuccess);
    for (std::size_t z = 0; z < depth; ++z)
        for (std::size_t y = 0; y < height; ++y)
            for (std::size_t x = 0; x < width; ++x) {
                const bool inside = x >= 2 && x < 5 && y >= 1 && y < 3 && z < 2;
                const std::size_t source = ((z + 1) * height + (y - 1)) * width + (x - 2 + 1);
                REQUIRE(back[(z * height + y) * width + x] == (inside ? host[source] : byte(0xAB)));
            }
    cudaFree(device.ptr);
}

TEST_CASE("a 2-D call whose rows do not fit their pitch is refused and moves nothing")
{
    const DeviceBytes device(64);
    const auto before = device.values();
    unsigned char host[64] = {};
    const auto in = [&](std::size_t to_pitch, std::size_t from_pitch, std::size_t height) {
        return cudaMemcpy2D(device.data(), to_pitch, host, from_pitch, 8, height,
                            cudaMemcpyHostToDevice);
    };
    CHECK(in(7, 8, 3) == cudaErrorInvalidPitchValue);
    CHECK(in(8, 7, 3) == cudaErrorInvalidPitchValue);
    CHECK(in(8, 7, 1) == cudaErrorInvalidPitchValue); // even where there is no second row
    CHECK(in(std::size_t{1} << 31U, 8, 1) == cudaErrorInvalidPitchValue);
    CHECK(cudaMemcpy2DAsync(device.data(), 7, host, 8, 8, 3, cudaMemcpyHostToDevice) ==
          cudaErrorInvalidPitchValue);
    CHECK(cudaMemcpy2D(device.data(), 8, host, 8, 8, 3, cudaMemcpyDeviceToHost) ==
          cudaErrorInvalidValue); // the wrong way round
    CHECK(device.values() == before);
    CHECK(in(8, 0, 0) == cudaErrorInvalidPitchValue);
    CHECK(in(8, 8, 0) == cudaSuccess); // no rows: nothing to do
    CHECK(device.values() == before);
}

TEST_CASE("a 3-D call that leaves its rows, its slices or its memory is refused")
{
    constexpr std::size_t width = 6, height = 4, depth = 3;
    cudaPitchedPtr device{};
    const cudaExtent extent = make_cudaExtent(width, height, depth);
    REQUIRE(cudaMalloc3D(&device, extent) == cudaSuccess);
    REQUIRE(cudaMemset(device.ptr, 0xAB, device.pitch * height * depth) == cudaSuccess);
    std::vector<unsigned char> host(width * height * depth, 1);
    cudaMemcpy3DParms box{};
    box.srcPtr = make_cudaPitchedPtr(host.data(), width, width, height);
    box.dstPtr = device;
    box.extent = extent;
    box.kind = cudaMemcpyHostToDevice;
    SECTION("a row that begins in the host's row and ends in the next")
    {
        box.srcPos = make_cudaPos(1, 0, 0);
        CHECK(cudaMemcpy3D(&box) == cudaErrorInvalidPitchValue);
    }
    SECTION("a slice that reaches into the next")
    {
        box.dstPos = make_cudaPos(0, 1, 0);
        CHECK(cudaMemcpy3D(&box) == cudaErrorInvalidValue);
    }
    SECTION("a box behind the last slice")
    {
        box.dstPos = make_cudaPos(0, 0, 1);
        CHECK(cudaMemcpy3D(&box) == cudaErrorInvalidValue);
    }
    SECTION("no parameters at all")
    {
        CHECK(cudaMemcpy3D(nullptr) == cudaErrorInvalidValue);
    }
    std::vector<unsigned char> back(width * height * depth);
    REQUIRE(cudaMemcpy2D(back.data(), width, device.ptr, device.pitch, width, height * depth,
                         cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(std::ranges::all_of(back, [](unsigned char value) { return value == 0xAB; }));
    cudaFree(device.ptr);
}

TEST_CASE("a fill sets bytes of a device alone")
{
    const DeviceBytes device(60);
    REQUIRE(cudaMemset(device.data() + 20, 7, 5) == cudaSuccess);
    const auto values = device.values();
    for (std::size_t i = 0; i < 60; ++i)
        REQUIRE(values[i] == (i / 5 == 4 ? 7 : byte(i)));
    unsigned char host[4];
    CHECK(cudaMemset(host, 0, 4) == cudaErrorInvalidValue);
}

TEST_CASE("symbols are copied to and from, within their size")
{
    const float values[4] = {1, 2, 3, 4};
    REQUIRE(cudaMemcpyToSymbol(device_table, values, sizeof values, 4 * sizeof(float)) ==
            cudaSuccess);
    CHECK(cudaMemcpyToSymbol(device_table, values, sizeof values, 5 * sizeof(float)) ==
          cudaErrorInvalidValue);
    CHECK(cudaMemcpyToSymbol(device_table, values, 4, 0, cudaMemcpyDeviceToHost) ==
          cudaErrorInvalidMemcpyDirection);
    float back[8] = {};
    REQUIRE(cudaMemcpyFromSymbol(back, device_table, sizeof back) == cudaSuccess);
    CHECK((back[3] == 0 && back[4] == 1 && back[7] == 4));
    void* address = nullptr;
    REQUIRE(cudaGetSymbolAddress(&address, device_counter) == cudaSuccess);
    const int seven = 7;
    CHECK(cudaMemcpy(address, &seven, sizeof seven, cudaMemcpyHostToDevice) == cudaSuccess);
    CHECK(device_counter == 7);
    CHECK(cudaMemcpy(address, &seven, sizeof seven + 1, cudaMemcpyHostToDevice) ==
          cudaErrorInvalidValue);
}
