#include "kernels.hpp"

#include "cpu_device/detail/engine.hpp"
#include "tests/cpu_device/core/managed.hpp"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstring>

namespace cg = cooperative_groups;
using kernels::AtomicResults;
using kernels::Shuffle;
using kernels::WarpResults;

namespace {

constexpr unsigned all_lanes = 0xFFFFFFFFu;

template<class T>
__global__ void shuffle_kernel(T* out, Shuffle kind, int argument, int width)
{
    const unsigned t = threadIdx.x;
    const T own = static_cast<T>(3 * t + 1);
    switch (kind) {
    case Shuffle::indexed:
        out[t] = __shfl_sync(all_lanes, own, argument, width);
        break;
    case Shuffle::up:
        out[t] = __shfl_up_sync(all_lanes, own, static_cast<unsigned>(argument), width);
        break;
    case Shuffle::down:
        out[t] = __shfl_down_sync(all_lanes, own, static_cast<unsigned>(argument), width);
        break;
    case Shuffle::exclusive_or:
        out[t] = __shfl_xor_sync(all_lanes, own, argument, width);
        break;
    }
}

__global__ void warp_kernel(WarpResults* out)
{
    const int t = static_cast<int>(threadIdx.x);
    WarpResults r;
    r.ballot_odd = __ballot_sync(all_lanes, t % 2);
    r.any_of_none = __any_sync(all_lanes, 0);
    r.all_below_32 = __all_sync(all_lanes, t < 32);
    r.reduce_add = __reduce_add_sync(all_lanes, t - 16);
    if (t < 16)
        r.active_in_half = __activemask();
    __syncwarp();
    const auto block = cg::this_thread_block();
    const auto eight = cg::tiled_partition<8>(block);
    r.tile_sum = cg::reduce(eight, static_cast<float>(t), cg::plus<float>());
    const auto four = cg::tiled_partition<4>(eight);
    r.tile_ballot = four.ballot(four.thread_rank() == 1 || four.thread_rank() == 2);
    r.tile_rank = static_cast<unsigned>(four.meta_group_rank());
    out[t] = r;
}

__global__ void atomic_kernel(AtomicResults* r)
{
    __shared__ int in_block;
    const unsigned t = threadIdx.x;
    const int i = static_cast<int>(blockIdx.x * blockDim.x + t);
    atomicAdd(&r->add, 1);
    atomicSub(&r->subtract, 1u);
    atomicAdd(&r->wide, 1ull << 33);
    atomicAdd(&r->add_float, 0.5f);
    atomicAdd_system(&r->add_double, 0.25);
    atomicMin(&r->minimum, i);
    atomicMax(&r->maximum, i);
    atomicAnd(&r->all_and, ~(1u << t % 8));
    atomicOr(&r->all_or, 1u << t % 8);
    atomicXor(&r->all_xor, 1u);
    atomicInc(&r->incremented, 6);
    atomicDec(&r->decremented, 6);
    int seen = r->cas_add;
    for (int expected = -1; expected != seen;) {
        expected = seen;
        seen = atomicCAS(&r->cas_add, expected, expected + 1);
    }
    if (t == 0)
        in_block = 0;
    __syncthreads();
    atomicAdd_block(&in_block, 1);
    __syncthreads();
    if (t == 0)
        atomicAdd(&r->shared_add, in_block);
}

template<class T>
__global__ void copy_kernel(const T* in, T* out)
{
    out[threadIdx.x] = in[threadIdx.x];
}

template<class T>
__global__ void copy_streaming_kernel(const T* in, T* out)
{
    __stcs(&out[threadIdx.x], __ldcs(&in[threadIdx.x]));
}

template<class T, class Kernel>
bool run_copy(Kernel kernel)
{
    constexpr std::size_t bytes = 32 * sizeof(T);
    Managed<T> in(32);
    Managed<T> out(32);
    auto* const pattern = reinterpret_cast<unsigned char*>(in.data());
    for (std::size_t i = 0; i < bytes; ++i)
        pattern[i] = static_cast<unsigned char>(7 * i + 3);
    kernel(in.data(), out.data());
    return std::memcmp(pattern, out.data(), bytes) == 0;
}

constexpr unsigned staged = 256;

__global__ void stage_by_primitives(const int* in, int* out, bool wait)
{
    alignas(16) __shared__ int tile[staged];
    const unsigned t = threadIdx.x;
    __pipeline_memcpy_async(&tile[4 * t], &in[4 * t], 16);
    __pipeline_commit();
    if (wait)
        __pipeline_wait_prior(0);
    __syncthreads();
    for (unsigned i = t; i < staged; i += blockDim.x)
        out[i] = tile[staged - 1 - i];
}

__global__ void copy_with_zeros(const int* in, int* out)
{
    alignas(16) __shared__ int tile[4];
    __pipeline_memcpy_async(tile, in, 16, 8);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    for (int i = 0; i < 4; ++i)
        out[i] = tile[i];
}

__global__ void add_to(int* counter, int value)
{
    atomicAdd(counter, value);
}

template<class Kernel>
std::vector<int> run_staged(Kernel kernel)
{
    Managed<int> in(staged);
    Managed<int> out(staged);
    for (unsigned i = 0; i < staged; ++i)
        in[i] = static_cast<int>(i);
    kernel(in.data(), out.data());
    return out.values();
}

} // namespace

template<class T>
std::vector<T> kernels::shuffle(Shuffle kind, int argument, int width)
{
    Managed<T> out(64);
    shuffle_kernel<T><<<1, 64>>>(out.data(), kind, argument, width);
    return out.values();
}
template std::vector<int> kernels::shuffle(Shuffle, int, int);
template std::vector<unsigned> kernels::shuffle(Shuffle, int, int);
template std::vector<long long> kernels::shuffle(Shuffle, int, int);
template std::vector<float> kernels::shuffle(Shuffle, int, int);
template std::vector<double> kernels::shuffle(Shuffle, int, int);
template std::vector<signed char> kernels::shuffle(Shuffle, int, int);

std::vector<WarpResults> kernels::warp_results()
{
    Managed<WarpResults> out(32);
    warp_kernel<<<1, 32>>>(out.data());
    return out.values();
}

AtomicResults kernels::atomic_results(unsigned blocks)
{
    Managed<AtomicResults> out(1);
    out[0] = AtomicResults();
    out[0].subtract = blocks * 96;
    atomic_kernel<<<blocks, 96>>>(out.data());
    return out[0];
}

template<class T>
bool kernels::copy_vectors()
{
    return run_copy<T>([](const T* in, T* out) { copy_kernel<<<1, 32>>>(in, out); });
}
template<class T>
bool kernels::copy_streaming()
{
    return run_copy<T>([](const T* in, T* out) { copy_streaming_kernel<<<1, 32>>>(in, out); });
}
#define INSTANTIATE(T)                                                                             \
    template bool kernels::copy_vectors<T>();                                                      \
    template bool kernels::copy_streaming<T>();
INSTANTIATE(char2)
INSTANTIATE(uchar4)
INSTANTIATE(short2)
INSTANTIATE(short4)
INSTANTIATE(int2)
INSTANTIATE(float2)
INSTANTIATE(int4)
INSTANTIATE(float4)
INSTANTIATE(double2)
INSTANTIATE(ulonglong2)
INSTANTIATE(double4)
INSTANTIATE(float3)
#undef INSTANTIATE

std::vector<int> kernels::staged_copy(bool wait)
{
    return run_staged(
        [wait](const int* in, int* out) { stage_by_primitives<<<1, 64>>>(in, out, wait); });
}

std::vector<int> kernels::zero_filled_copy()
{
    Managed<int> in(4);
    Managed<int> out(4);
    for (unsigned i = 0; i < 4; ++i)
        in[i] = 5;
    copy_with_zeros<<<1, 1>>>(in.data(), out.data());
    return out.values();
}

kernels::LaunchResults kernels::launch_results()
{
    LaunchResults results;
    Managed<int> counter(3);
    int* pointer = counter.data();
    int value = 5;
    void* arguments[] = {&pointer, &value};
    cudaLaunchKernel(add_to, dim3(3), dim3(2), arguments);
    cudaLaunchConfig_t configuration{};
    configuration.gridDim = dim3(4);
    configuration.blockDim = dim3(1);
    cudaLaunchKernelEx(&configuration, add_to, pointer + 1, 7);
    cudaStream_t stream = nullptr;
    cudaStreamCreate(&stream);
    cudaStreamDestroy(stream);
    cudaGetLastError();
    add_to<<<1, 1, 0, stream>>>(pointer + 2, 1);
    results.error = cudaGetLastError();
    results.by_pointer = counter[0];
    results.by_configuration = counter[1];
    results.in_destroyed_stream = counter[2];
    return results;
}
