// claim_power: What does a byte cost in energy, by whom it is moved?
//
// Each row is repeated for a second, and the GPU says what energy it has taken in that time and
// how fast its clocks were at the end. The row `spin` moves nothing: what it takes is not the
// bytes'.

#include "../../chapters/22_bytes_in_flight/words_expected.hpp"
#include "common/chapter.hpp"
#include "common/device/environment.hpp"
#include "common/device/measure.hpp"

#include <algorithm>

constexpr unsigned threads = 256;

__global__ void copy_words(const unsigned* a, unsigned* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i];
    }
}

// Passes over the same arrays are rows of blocks.
__global__ void copy_vectors(const uint4* a, uint4* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = __ldcg(&a[i]);
    }
}

__global__ void fill(uint4* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = make_uint4(1, 1, 1, 1);
    }
}

// A word for each warp.
__global__ void read(const uint4* a, unsigned* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const uint4 v = i < n ? a[i] : make_uint4(0, 0, 0, 0);
    unsigned x = v.x ^ v.y ^ v.z ^ v.w;
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        x ^= __shfl_xor_sync(0xffffffff, x, lanes);
    }
    if (threadIdx.x % 32 == 0 && i < n) {
        c[i / 32] = x;
    }
}

// The same number of steps in every thread, of a generator that never comes to 0.
__global__ void spin(unsigned* c, unsigned steps)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    unsigned x = static_cast<unsigned>(i) + 1;
    for (unsigned step = 0; step < steps; ++step) {
        x = x * 1664525 + 1013904223;
    }
    c[i] = x;
}

unsigned spun(std::size_t i, unsigned steps)
{
    unsigned x = static_cast<unsigned>(i) + 1;
    for (unsigned step = 0; step < steps; ++step) {
        x = x * 1664525 + 1013904223;
    }
    return x;
}

struct Reading
{
    double watts = 0;
    unsigned sm_mhz = 0;
    unsigned memory_mhz = 0;
};

// Of `work`, repeated for a second; zeros where the driver does not tell.
Reading read_meter(const common::Launch& work)
{
    const common::Stream stream;
    const common::Energy energy =
        common::measure_energy(work, stream, 1.0).value_or(common::Energy{0, 1});
    const common::Clocks clocks = common::current_clocks().value_or(common::Clocks{});
    return {energy.joules / energy.milliseconds * 1e3, clocks.sm_mhz, clocks.memory_mhz};
}

void run(common::Chapter& chapter, common::Problem& p, const char* name, const char* from,
         const common::Launch& work, bool library = false)
{
    Reading reading;
    const common::Variant row{.name = name,
                              .threads = library ? 0u : threads,
                              .columns = {{"memory", from},
                                          {"watts", [&] { return reading.watts; }},
                                          {"sm_mhz", [&] { return reading.sm_mhz; }},
                                          {"memory_mhz", [&] { return reading.memory_mhz; }}},
                              .setup = [&] {
                                  if (common::backend() == common::Backend::gpu) {
                                      p.poison();
                                      reading = read_meter(work);
                                  }
                              }};
    library ? chapter.run_library(row, p, work) : chapter.run(row, p, work);
}

const uint4* vectors(const unsigned* words)
{
    return reinterpret_cast<const uint4*>(words);
}

uint4* vectors(unsigned* words)
{
    return reinterpret_cast<uint4*>(words);
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    const common::Sizes sizes{
        .gpu = {1u << 28}, .cpu = {1u << 16}, .bytes_per_element = 2 * sizeof(unsigned)};
    for (std::size_t all : chapter.sizes(sizes)) {
        const std::size_t n = std::max(all / 4 * 4, std::size_t{4}); // whole vectors
        const unsigned grid = common::blocks(n / 4, threads);
        {
            common::Copy<unsigned> p(chapter, {.n = n});
            run(chapter, p, "copy_words", "DRAM", [&](cudaStream_t stream) {
                copy_words<<<common::blocks(n, threads), threads, 0, stream>>>(p.a, p.c, n);
            });
            run(chapter, p, "copy_vectors", "DRAM", [&](cudaStream_t stream) {
                copy_vectors<<<grid, threads, 0, stream>>>(vectors(p.a), vectors(p.c), n / 4);
            });
            run(
                chapter, p, "cudaMemcpyAsync", "DRAM",
                [&](cudaStream_t stream) {
                    CHECK_CUDA(cudaMemcpyAsync(p.c, p.a, n * sizeof(unsigned),
                                               cudaMemcpyDeviceToDevice, stream));
                },
                true);
        }
        common::Words p(chapter, "move", n, n);
        p.moved = n * sizeof(unsigned);
        p.expect(n / 4 < 32 ? 1 : (n / 4 + 31) / 32, words_of_warps(p, 1, n));
        run(chapter, p, "read", "DRAM", [&](cudaStream_t stream) {
            read<<<grid, threads, 0, stream>>>(vectors(p.a), p.c, n / 4);
        });
        p.expect_words(n, [](std::size_t) { return 1u; });
        run(chapter, p, "fill", "DRAM",
            [&](cudaStream_t stream) { fill<<<grid, threads, 0, stream>>>(vectors(p.c), n / 4); });
        // As many bytes from the L2: passes over arrays of at most 8 MiB.
        const std::size_t few = std::min(n, std::size_t{1} << 21);
        const auto passes = static_cast<unsigned>(std::min(n / few, std::size_t{1} << 15));
        common::Copy<unsigned> small(chapter,
                                     {.n = few, .bytes = 2 * passes * few * sizeof(unsigned)});
        run(chapter, small, "copy_vectors", "L2", [&](cudaStream_t stream) {
            const dim3 rows(common::blocks(few / 4, threads), passes);
            copy_vectors<<<rows, threads, 0, stream>>>(vectors(small.a), vectors(small.c), few / 4);
        });
        // Nothing but arithmetic: as many threads as fit, about as long as a copy.
        const unsigned steps = common::backend() == common::Backend::cpu ? 16 : 1u << 15;
        const unsigned blocks = common::backend() == common::Backend::cpu ? 4 : 8 * 132;
        common::Words idle(chapter, "spin", std::size_t{blocks} * threads);
        idle.expect_words(std::size_t{blocks} * threads,
                          [steps](std::size_t i) { return spun(i, steps); });
        run(chapter, idle, "spin", "none",
            [&](cudaStream_t stream) { spin<<<blocks, threads, 0, stream>>>(idle.c, steps); });
    }
    return chapter.finish();
}
