// 30_histogram: How fast can a GPU count how often each value occurs?
//
// Every element is read once, and each adds 1 to one of 256 counters. Where many threads add to few
// counters they take turns: counters have to be where turns are short, and apart from each other.

#include "common/kernels.hpp"

//! [global]
constexpr unsigned bins = 256;

// Which counter an element adds to: that of a byte's value, or of a word's upper 8 bits.
template<class T>
__device__ unsigned bin_of(T x)
{
    return x >> (8 * sizeof(T) - 8);
}

template<class T>
__global__ void global(const T* a, unsigned* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&c[bin_of(a[i])], 1);
    }
}
//! [global]

//! [share]
// Calls count(bin) for each element of a word: that is one, or four bytes.
template<class T, class Count>
__device__ void each_of_word(unsigned word, Count count)
{
    for (unsigned k = 0; k < sizeof word / sizeof(T); ++k) {
        count(bin_of(static_cast<T>(word >> 8 * k)));
    }
}

template<class T, class Count>
__device__ void each_of_vector(uint4 v, Count count)
{
    each_of_word<T>(v.x, count);
    each_of_word<T>(v.y, count);
    each_of_word<T>(v.z, count);
    each_of_word<T>(v.w, count);
}

// Calls count(bin) for each element that is this thread's: 16 bytes at a time, in a grid that
// stays, with four loads on their way.
template<class T, class Count>
__device__ void each_of_share(const T* a, std::size_t n, Count count)
{
    constexpr unsigned loads = 4;
    const auto* vectors = reinterpret_cast<const uint4*>(a);
    const std::size_t end = n * sizeof(T) / sizeof(uint4);
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
#pragma unroll 1 // unrolled, the loop would have the loads of several rounds on their way
    for (; i + (loads - 1) * step < end; i += loads * step) {
        uint4 v[loads];
        for (unsigned k = 0; k < loads; ++k) {
            v[k] = vectors[i + k * step];
        }
        for (unsigned k = 0; k < loads; ++k) {
            each_of_vector<T>(v[k], count);
        }
    }
#pragma unroll 1
    for (; i < end; i += step) { // a last round that is not a whole one
        each_of_vector<T>(vectors[i], count);
    }
    const std::size_t last = end * sizeof(uint4) / sizeof(T) + threadIdx.x;
    if (blockIdx.x == 0 && last < n) { // elements that are not 16 bytes
        count(bin_of(a[last]));
    }
}
//! [share]

//! [copies]
// Whose counters a thread adds to. A block has `words` words of them: `copies` copies, of which a
// thread adds to number copy(). Counter x of a copy is place() bytes behind the first, from bit
// shift() on.
struct Block
{
    static constexpr unsigned copies = 1, words = bins, most = 0xffffffff;
    static __device__ unsigned copy() { return 0; }
    static __device__ unsigned place(unsigned x, unsigned) { return 4 * x; }
    static __device__ unsigned shift(unsigned) { return 0; }
};

struct Warp : Block
{
    static constexpr unsigned copies = 32, words = copies * bins;
    static __device__ unsigned copy() { return threadIdx.x / 32; }
    static __device__ unsigned place(unsigned x, unsigned copy) { return 4 * bins * copy | 4 * x; }
};

struct Lane : Block // of every warp: what lane l adds to is in bank l, whatever x is
{
    static constexpr unsigned copies = 32, words = copies * bins;
    static __device__ unsigned copy() { return threadIdx.x % 32; }
    static __device__ unsigned place(unsigned x, unsigned copy) { return 128 * x | 4 * copy; }
};

struct Packed : Lane // two counters a word
{
    static constexpr unsigned words = copies * bins / 2, most = 0xffff;
    static __device__ unsigned place(unsigned x, unsigned copy) { return 128 * (x / 2) | 4 * copy; }
    static __device__ unsigned shift(unsigned x) { return x % 2 * 16; }
};
//! [copies]

//! [shared]
constexpr unsigned block = 1024; // two on a multiprocessor: all the threads that it has room for

struct One // what is added, where the compiler is to know it
{
    __device__ operator unsigned() const { return 1; }
};

template<class T, class Whose, class Added>
__global__ void __launch_bounds__(block, common::bound_blocks(2, block))
    shared(const T* a, unsigned* c, std::size_t n, Added added)
{
    __shared__ unsigned own[Whose::words];
    for (unsigned k = threadIdx.x; k < Whose::words; k += block) {
        own[k] = 0;
    }
    __syncthreads();
    const auto at = [&](unsigned x, unsigned copy) { // an index would take an instruction more
        return reinterpret_cast<unsigned*>(reinterpret_cast<char*>(own) + Whose::place(x, copy));
    };
    const unsigned copy = Whose::copy();
    each_of_share(a, n,
                  [&](unsigned x) { atomicAdd(at(x, copy), unsigned{added} << Whose::shift(x)); });
    __syncthreads();
    for (unsigned x = threadIdx.x; x < bins; x += block) {
        unsigned sum = 0;
#pragma unroll 4 // 32 places are more than a thread has registers for
        for (unsigned k = 0; k < Whose::copies; ++k) { // each lane begins in another bank
            sum += *at(x, (x + k) % Whose::copies) >> Whose::shift(x) & Whose::most;
        }
        atomicAdd(&c[x], sum);
    }
}
//! [shared]

//! [rows]
template<class T>
void run_histogram(common::Chapter& chapter, std::size_t n, common::Spread spread)
{
    common::Histogram<T> p(chapter, n, spread);
    const auto run = [&](const common::HistogramRow& row, auto kernel, auto... added) {
        common::run_histogram_row(chapter, p, row, kernel, [&](unsigned grid, cudaStream_t stream) {
            kernel<<<grid, row.threads, 0, stream>>>(p.a, p.c, p.n, added...);
        });
    };
    if (sizeof(T) == 4) { // a GiB of bytes that are all equal would take a second
        run({.name = "global", .threads = 256, .full = spread != common::Spread::uniform},
            global<T>);
    }
    run({.name = "per_block", .threads = block, .copies = 1}, shared<T, Block, One>, One{});
    run({.name = "per_warp", .threads = block, .copies = 32}, shared<T, Warp, One>, One{});
    run({.name = "per_lane", .threads = block, .copies = 32, .apart = true}, shared<T, Lane, One>,
        One{});
    run({.name = "packed",
         .threads = block,
         .copies = 32,
         .apart = true,
         .most = 32 * Packed::most},
        shared<T, Packed, One>, One{});
    // What is added is a 1 that the compiler does not know.
    run({.name = "per_block_weighted", .threads = block, .copies = 1, .weighted = true},
        shared<T, Block, unsigned>, 1);
    run({.name = "per_lane_weighted", .threads = block, .copies = 32, .weighted = true},
        shared<T, Lane, unsigned>, 1);
    common::run_histogram_library(chapter, p, common::histogram_variant(p));
}

template<class T>
void run_sizes(common::Chapter& chapter)
{
    constexpr std::size_t mib = (std::size_t{1} << 20) / sizeof(T);
    for (std::size_t n : chapter.sizes({.gpu = {mib, 16 * mib, 16 * mib + 1009, 1024 * mib},
                         .cpu = {mib},
                         .usual = {1024 * mib},
                         .bytes_per_element = sizeof(T)})) {
        run_histogram<T>(chapter, n, common::Spread::uniform);
        run_histogram<T>(chapter, n, common::Spread::skewed);
        run_histogram<T>(chapter, n, common::Spread::equal);
    }
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    run_sizes<std::uint8_t>(chapter);
    run_sizes<unsigned>(chapter);
    return chapter.finish();
}
