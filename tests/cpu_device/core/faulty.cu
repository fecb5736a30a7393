// Does the one wrong thing that its argument names; faults_test.cpp reads what is said about it.
#include <cpu_device/devices.hpp>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace {

__global__ void write_float(float* out, std::size_t bound)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < bound)
        out[i] = 1;
}

__global__ void read_float(const float* in, float* out, std::size_t bound)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < bound)
        out[0] = in[i];
}

__global__ void write_byte(unsigned char* out, std::size_t at)
{
    out[at] = 1;
}

__global__ void read_before(const float* in, float* out)
{
    out[0] = in[-1];
}

__global__ void copy_float4(const float4* in, float4* out)
{
    out[threadIdx.x] = in[threadIdx.x];
}

__global__ void overrun_dynamic_shared()
{
    extern __shared__ float buffer[];
    buffer[threadIdx.x] = 1;
}

// As if for a block of 16 x 16 threads.
__global__ void overrun_tile(float* out)
{
    __shared__ float square[16][16];
    square[threadIdx.y][threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.y * blockDim.x + threadIdx.x] = square[threadIdx.x][threadIdx.y];
}

__global__ void write_far_past_tile(float* out, std::size_t row)
{
    __shared__ float rows[4][32];
    rows[row][threadIdx.x] = 1;
    out[threadIdx.x] = rows[0][threadIdx.x];
}

template<int floats>
__global__ void fill_static_shared(float* out)
{
    __shared__ float most[floats];
    __shared__ float rest[128];
    most[threadIdx.x] = rest[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = most[floats - 1 - threadIdx.x] + rest[127 - threadIdx.x];
}

__global__ void fill_both_shared(float* out)
{
    extern __shared__ float dynamic[];
    __shared__ float fixed[256];
    dynamic[threadIdx.x] = fixed[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = dynamic[31 - threadIdx.x] + fixed[31 - threadIdx.x];
}

__global__ void barriers_on_two_paths(int* out)
{
    if (threadIdx.x < 40) {
        out[0] = 1;
        __syncthreads();
    } else {
        out[1] = 1;
        __syncthreads();
    }
}

__global__ void warp_waits_for_barrier(int* out)
{
    if (threadIdx.x == 5)
        __syncthreads();
    else
        out[threadIdx.x] = __shfl_sync(0xFFFFFFFF, 1, 0);
}

__attribute__((noinline)) __device__ int recurse(volatile int* above, int depth)
{
    volatile int here[256];
    here[depth % 256] = *above;
    return depth == 0 ? 0 : recurse(here, depth - 1) + here[depth % 256];
}

__global__ void recurse_deeply(int* out, int depth)
{
    volatile int first = 1;
    out[0] = recurse(&first, depth);
}

__global__ void divide(int* out, int by)
{
    out[0] = 100 / by;
}

__constant__ float constants[4];

float* device_floats(std::size_t size)
{
    float* memory = nullptr;
    if (cudaMalloc(&memory, size * sizeof(float)) != cudaSuccess)
        std::abort();
    return memory;
}

/// Memory of device 1, with device 0 current.
float* floats_of_peer(std::size_t size)
{
    cpu_device::set_device_count(2);
    cudaSetDevice(1);
    float* const memory = device_floats(size);
    cudaSetDevice(0);
    return memory;
}

const std::map<std::string, std::function<void()>> faults = {
    {"peer without access", [] { write_float<<<4, 256>>>(floats_of_peer(1024), 1024); }},
    {"peer with access in the other direction",
     [] {
         float* const memory = floats_of_peer(1024);
         cudaSetDevice(1);
         cudaDeviceEnablePeerAccess(0, 0);
         cudaSetDevice(0);
         write_float<<<4, 256>>>(memory, 1024);
     }},
    {"peer whose access has ended",
     [] {
         float* const memory = floats_of_peer(1024);
         cudaDeviceEnablePeerAccess(1, 0);
         write_float<<<4, 256>>>(memory, 1024);
         cudaDeviceDisablePeerAccess(1);
         read_float<<<4, 256>>>(memory, device_floats(1), 1024);
     }},
    {"peer past the end",
     [] {
         float* const memory = floats_of_peer(1000);
         cudaDeviceEnablePeerAccess(1, 0);
         write_float<<<4, 256>>>(memory, 1024);
     }},
    {"write past the end", [] { write_float<<<4, 256>>>(device_floats(1000), 1024); }},
    {"read past the end",
     [] {
         float* out = device_floats(1);
         read_float<<<4, 256>>>(device_floats(1000), out, 1001);
     }},
    {"write one byte past the end",
     [] { write_byte<<<1, 1>>>(reinterpret_cast<unsigned char*>(device_floats(25)), 100); }},
    {"read before the start",
     [] {
         float* out = device_floats(1);
         read_before<<<1, 1>>>(device_floats(1000), out);
     }},
    {"use after free",
     [] {
         float* memory = device_floats(1000);
         cudaFree(memory);
         write_float<<<1, 32>>>(memory, 32);
     }},
    {"null pointer", [] { write_float<<<1, 32>>>(nullptr, 32); }},
    {"host pointer",
     [] {
         static std::vector<float> host(1000);
         write_float<<<1, 32>>>(host.data(), 32);
     }},
    {"host stack",
     [] {
         float host[32];
         write_float<<<1, 32>>>(host, 32);
         std::printf("%f\n", static_cast<double>(host[0]));
     }},
    {"misaligned",
     [] {
         float* memory = device_floats(1000);
         copy_float4<<<1, 32>>>(reinterpret_cast<const float4*>(memory + 1),
                                reinterpret_cast<float4*>(memory + 512));
     }},
    {"constant write",
     [] {
         void* address = nullptr;
         cudaGetSymbolAddress(&address, constants);
         write_float<<<1, 4>>>(static_cast<float*>(address), 4);
     }},
    {"dynamic shared overrun", [] { overrun_dynamic_shared<<<1, 64, 33 * sizeof(float)>>>(); }},
    {"static shared overrun", [] { overrun_tile<<<1, dim3(32, 32)>>>(device_floats(1024)); }},
    {"static shared far overrun", [] { write_far_past_tile<<<1, 32>>>(device_floats(32), 100); }},
    {"divergent barrier",
     [] { barriers_on_two_paths<<<2, 64>>>(reinterpret_cast<int*>(device_floats(2))); }},
    {"divergent warp",
     [] { warp_waits_for_barrier<<<1, 32>>>(reinterpret_cast<int*>(device_floats(32))); }},
    {"stack overflow",
     [] { recurse_deeply<<<1, 1>>>(reinterpret_cast<int*>(device_floats(1)), 1000); }},
    {"division by zero", [] { divide<<<1, 1>>>(reinterpret_cast<int*>(device_floats(1)), 0); }},
    {"host reads device memory",
     [] {
         const volatile float* memory = device_floats(1000);
         std::printf("%f\n", static_cast<double>(memory[2]));
     }},
    {"too many threads", [] { write_float<<<1, 1025>>>(device_floats(1000), 1000); }},
    {"too much shared memory", [] { overrun_dynamic_shared<<<1, 64, 50000>>>(); }},
    {"too much static shared memory",
     [] { fill_static_shared<12 * 1024><<<1, 32>>>(device_floats(32)); }},
    {"too much shared memory of both kinds",
     [] { fill_both_shared<<<1, 32, 48 * 1024 - 1023>>>(device_floats(32)); }},
    {"as much shared memory of both kinds as there is",
     [] { fill_both_shared<<<1, 32, 48 * 1024 - 1024>>>(device_floats(32)); }},
};

} // namespace

int main(int argc, char** argv)
{
    std::printf("before the fault\n");
    faults.at(argc > 1 ? argv[1] : "")();
    // Only a refused launch comes here.
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
