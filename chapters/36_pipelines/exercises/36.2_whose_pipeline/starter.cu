// 36.2: Compute bandwidth from the bytes in flight
//
// Six launches of one kernel with asynchronous copies read the same array on a GPU of 100 SMs. They
// differ in the blocks per SM, the stages, and the width of a copy. The check prints the rows A to
// F: the requests, counted on the CPU device, and the bandwidth that follows from the bytes in
// flight by Little's law, if memory has a latency of 500 ns and delivers at most 3000 GB/s. Which
// launch produced which row? Enter the letters at the end of this file; the kernel may stay as it
// is.

#include <cuda_pipeline.h>

#include <cstddef>

constexpr unsigned threads = 128;
constexpr unsigned multiprocessors = 100;

template<class T, unsigned stages>
__global__ void copy(const T* a, T* c, std::size_t n)
{
    __shared__ T slots[stages][threads];
    const std::size_t step = std::size_t{gridDim.x} * threads;
    std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
    const auto fetch = [&](std::size_t from, unsigned stage) {
        if (from < n) {
            __pipeline_memcpy_async(&slots[stage][threadIdx.x], &a[from], sizeof(T));
        }
        __pipeline_commit();
    };
    for (unsigned stage = 0; stage < stages; ++stage) {
        fetch(i + stage * step, stage);
    }
    for (unsigned stage = 0; i < n; i += step, stage = (stage + 1) % stages) {
        __pipeline_wait_prior(stages - 1);
        const T x = slots[stage][threadIdx.x];
        fetch(i + stages * step, stage);
        c[i] = x;
    }
}

template<class T, unsigned stages>
void launch(const unsigned* a, unsigned* c, std::size_t n, unsigned blocks_each)
{
    copy<T, stages><<<blocks_each * multiprocessors, threads>>>(
        reinterpret_cast<const T*>(a), reinterpret_cast<T*>(c), n * sizeof(unsigned) / sizeof(T));
}

// How the check launches them.
void solve(unsigned which, const unsigned* a, unsigned* c, std::size_t n)
{
    switch (which) {
    case 0:
        return launch<uint4, 1>(a, c, n, 1); // wide, one stage, one block
    case 1:
        return launch<uint4, 4>(a, c, n, 1); // wide, four stages, one block
    case 2:
        return launch<uint4, 4>(a, c, n, 2); // wide, four stages, two blocks
    case 3:
        return launch<unsigned, 1>(a, c, n, 1); // narrow, one stage, one block
    case 4:
        return launch<unsigned, 4>(a, c, n, 1); // narrow, four stages, one block
    case 5:
        return launch<unsigned, 4>(a, c, n, 4); // narrow, four stages, four blocks
    }
}

char row_of_wide_one_stage()
{
    return '?';
}
char row_of_wide_four_stages()
{
    return '?';
}
char row_of_wide_four_stages_two_blocks()
{
    return '?';
}
char row_of_narrow_one_stage()
{
    return '?';
}
char row_of_narrow_four_stages()
{
    return '?';
}
char row_of_narrow_four_stages_four_blocks()
{
    return '?';
}
