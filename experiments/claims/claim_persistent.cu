// claim_persistent: What do persistent blocks lose, the loop or the hint of its stores?
//
// Chapter 36's plain loop adds vectors by persistent blocks and falls behind chapter 05, whose
// blocks come and go. They differ in more than that: the loop stores with a hint, and its blocks
// step through all of the arrays. Here each of these changes by itself: with the hint and without,
// with one to 16 times as many blocks as there is space for, in steps of the grid and in pieces.

#include "../../chapters/36_pipelines/add4.cuh"

#include <algorithm>

constexpr unsigned threads = 256;

template<bool hint>
__device__ void store(float4* c, float4 sum)
{
    if constexpr (hint) {
        __stcs(c, sum);
    } else {
        *c = sum;
    }
}

template<bool hint>
__global__ void ends(const float4* a, const float4* b, float4* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        store<hint>(&c[i], add4(a[i], b[i]));
    }
    add_last(a, b, c, n);
}

template<bool hint>
__global__ void steps_of_the_grid(const float4* a, const float4* b, float4* c, std::size_t n)
{
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
#pragma unroll 1
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n / 4; i += step) {
        store<hint>(&c[i], add4(a[i], b[i]));
    }
    add_last(a, b, c, n);
}

// Each block has a piece of the arrays that lies together.
template<bool hint>
__global__ void pieces(const float4* a, const float4* b, float4* c, std::size_t n)
{
    const std::size_t rounds =
        (n / 4 + std::size_t{gridDim.x} * blockDim.x - 1) / (std::size_t{gridDim.x} * blockDim.x);
    const std::size_t begin = blockIdx.x * rounds * blockDim.x;
    const std::size_t end =
        begin + rounds * blockDim.x < n / 4 ? begin + rounds * blockDim.x : n / 4;
#pragma unroll 1
    for (std::size_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
        store<hint>(&c[i], add4(a[i], b[i]));
    }
    add_last(a, b, c, n);
}

// Each step's place is the next that nobody has, or, without a counter, as in steps_of_the_grid.
template<bool hint>
__global__ void drawn_steps(const float4* a, const float4* b, float4* c, std::size_t n,
                            unsigned* counter)
{
    __shared__ unsigned drawn;
    for (unsigned own = blockIdx.x;; own += gridDim.x) {
        if (threadIdx.x == 0) {
            drawn = counter != nullptr ? atomicAdd(counter, 1) : own;
        }
        __syncthreads(); // it is drawn
        const std::size_t first = std::size_t{drawn} * blockDim.x;
        __syncthreads(); // all have it
        if (first >= n / 4) {
            break;
        }
        if (const std::size_t i = first + threadIdx.x; i < n / 4) {
            store<hint>(&c[i], add4(a[i], b[i]));
        }
    }
    add_last(a, b, c, n);
}

// `times` as many blocks as there is space for at once; with 0, one for each 256 float4s.
void run(common::Chapter& chapter, common::VectorAdd& p, const char* name, auto kernel, bool hint,
         unsigned times)
{
    unsigned grid = 0;
    const common::Variant row{.name = name,
                              .threads = threads,
                              .columns = {{"hint", hint ? "yes" : "no"}, {"times_the_room", times}},
                              .setup = [&, kernel, times] {
                                  const unsigned all = common::blocks(p.n / 4 + 1, threads);
                                  const unsigned room =
                                      common::persistent_grid_blocks(kernel, threads, 0);
                                  grid = times == 0 ? all : std::min(all, times * room);
                              }};
    chapter.run(row, p, [&](cudaStream_t stream) {
        const auto* a = reinterpret_cast<const float4*>(p.a);
        const auto* b = reinterpret_cast<const float4*>(p.b);
        kernel<<<grid, threads, 0, stream>>>(a, b, reinterpret_cast<float4*>(p.c), p.n);
    });
}

// By so many blocks as there is space for; what is timed sets the counter to 0 first.
void run_drawn(common::Chapter& chapter, common::VectorAdd& p, bool counts)
{
    const common::Buffer<unsigned> counter(1);
    unsigned grid = 0;
    const common::Variant row{
        .name = counts ? "drawn_steps" : "steps_with_barriers",
        .threads = threads,
        .columns = {{"hint", "no"}, {"times_the_room", 1u}},
        .model_excluded_reason = counts ? "a block's steps are those that it draws" : "",
        .setup = [&] {
            grid = std::min(common::blocks(p.n / 4 + 1, threads),
                            common::persistent_grid_blocks(drawn_steps<false>, threads, 0));
        }};
    chapter.run(row, p, [&](cudaStream_t stream) {
        const auto* a = reinterpret_cast<const float4*>(p.a);
        const auto* b = reinterpret_cast<const float4*>(p.b);
        if (counts) {
            CHECK_CUDA(cudaMemsetAsync(counter.data(), 0, sizeof(unsigned), stream));
        }
        drawn_steps<false><<<grid, threads, 0, stream>>>(a, b, reinterpret_cast<float4*>(p.c), p.n,
                                                         counts ? counter.data() : nullptr);
    });
}

template<bool hint>
void run_all(common::Chapter& chapter, common::VectorAdd& p)
{
    run(chapter, p, "ends", ends<hint>, hint, 0);
    for (unsigned times : {1u, 2u, 4u, 16u}) {
        run(chapter, p, "steps_of_the_grid", steps_of_the_grid<hint>, hint, times);
        run(chapter, p, "pieces", pieces<hint>, hint, times);
    }
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    const common::Sizes sizes{
        .gpu = {1u << 28}, .cpu = {1u << 16}, .bytes_per_element = 3 * sizeof(float)};
    for (std::size_t n : chapter.sizes(sizes)) {
        common::VectorAdd p(chapter, {.n = n});
        run_all<false>(chapter, p);
        run_all<true>(chapter, p);
        run_drawn(chapter, p, false);
        run_drawn(chapter, p, true);
    }
    return chapter.finish();
}
