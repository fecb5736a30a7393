// 36.3: Choose the number of stages
//
// How many stages does a pipeline need to keep memory busy? The bytes in flight per SM must be its
// share of the bandwidth times the latency, and each stage of a block adds 16 bytes per thread.
// Complete stages_needed(): return the smallest sufficient number of stages, at least one, but no
// more than the shared memory of an SM holds, which all its blocks share. The kernel is launched
// with the returned number.

#include <cuda_pipeline.h>

#include <cstddef>

// GB/s of all SMs together, ns, how many share the memory, bytes of shared memory of
// one, blocks on one, threads of a block.
unsigned stages_needed(unsigned gb_per_s, unsigned latency, unsigned multiprocessors,
                       unsigned shared_bytes, unsigned blocks, unsigned threads)
{
    return 1;
}

__global__ void copy(const uint4* a, uint4* c, std::size_t n, unsigned stages)
{
    extern __shared__ uint4 slots[];
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    std::size_t next = i;
    const auto fetch = [&](unsigned stage) {
        if (next < n) {
            __pipeline_memcpy_async(&slots[stage * blockDim.x + threadIdx.x], &a[next], 16);
        }
        __pipeline_commit();
        next += step;
    };
    for (unsigned stage = 0; stage < stages; ++stage) {
        fetch(stage);
    }
    for (unsigned stage = 0; i < n; i += step, stage = (stage + 1) % stages) {
        __pipeline_wait_prior(stages - 1);
        const uint4 x = slots[stage * blockDim.x + threadIdx.x];
        fetch(stage);
        c[i] = x;
    }
}

// Called with arrays in device memory, of any n up to 2^31.
void solve(const uint4* a, uint4* c, std::size_t n)
{
    const unsigned stages = stages_needed(4000, 600, 128, 128 * 1024, 1, 256);
    copy<<<8, 256, stages * 256 * sizeof(uint4)>>>(a, c, n, stages);
}
