// 29_scan: How does each element become the sum of all before it?
//
// A scan is a copy in which each element depends on all before it. What a block has to know of the
// tiles before its own comes from another launch, from its neighbour, or from whoever knows it
// first.

#include "scan_sums.cuh"

constexpr unsigned threads = 512; // of a block

//! [three_kernels]
template<unsigned fours>
__global__ void tile_sums(const unsigned* a, unsigned* sums, std::size_t n)
{
    __shared__ unsigned warps[32];
    uint4 v[fours];
    common::load_tile(v, a, n, blockIdx.x);
    const unsigned sum = common::scan_tile(v, warps);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
    }
}

template<unsigned fours>
__global__ void scan_tiles(const unsigned* a, unsigned* c, const unsigned* sums, std::size_t n)
{
    __shared__ unsigned warps[32];
    uint4 v[fours];
    common::load_tile(v, a, n, blockIdx.x);
    common::scan_tile(v, warps);
    common::store_tile(v, blockIdx.x > 0 ? sums[blockIdx.x - 1] : 0, c, n, blockIdx.x);
}
//! [three_kernels]

//! [one_pass]
// states[0] gives out the tiles' numbers, and behind it is a state for each.
template<unsigned fours, bool looks_back>
__global__ void one_pass(const unsigned* a, unsigned* c, std::size_t n, unsigned long long* states)
{
    __shared__ unsigned warps[32], word;
    const unsigned tile = common::draw_tile(&states[0], &word);
    uint4 v[fours];
    common::load_tile(v, a, n, tile);
    const unsigned sum = common::scan_tile(v, warps);
    const unsigned before = common::before_tile<looks_back>(&states[1], tile, sum, &word);
    common::store_tile(v, before, c, n, tile);
}
//! [one_pass]

#ifdef __CUDACC__ // the CPU device has no bulk copy engine: the rows say "GPU only"
//! [ring]
template<unsigned fours>
struct Fours
{
    uint4 v[fours];
};

// A grid that stays: each block has every gridDim.x-th tile.
template<unsigned fours, unsigned stages, bool ahead>
__global__ void __launch_bounds__(threads, 1)
    ring(const unsigned* a, unsigned* c, std::size_t n, unsigned long long* states)
{
    extern __shared__ __align__(128) uint4 room[];
    __shared__ std::uint64_t barriers[stages];
    __shared__ unsigned warps[32], laps[32];
    common::TileRing<4 * threads * fours, stages> tiles(a, n, room, barriers);
    common::walk<ahead, Fours<fours>>(
        tiles, n, 0, states, laps,
        [](Fours<fours>& held, const uint4* stage) {
            for (unsigned k = 0; k < fours; ++k) {
                held.v[k] = stage[common::first_four<fours>() + 32 * k];
            }
            return common::scan_tile(held.v, warps);
        },
        [&](const Fours<fours>& held, unsigned before, unsigned tile) {
            common::store_tile(held.v, before, c, n, tile);
        });
}
//! [ring]
#else
template<unsigned fours, unsigned stages, bool ahead>
__global__ void ring(const unsigned*, unsigned*, std::size_t, unsigned long long*)
{}
#endif

//! [rows]
template<unsigned fours>
void run_three_kernels(common::Chapter& chapter, common::Scan& p)
{
    common::run_tile_row(chapter, p, {"three_kernels", threads, 4 * fours},
                         [&](unsigned tiles, cudaStream_t stream) {
                             tile_sums<fours><<<tiles, threads, 0, stream>>>(p.a, p.sums, p.n);
                             scan_sums<<<1, threads, 0, stream>>>(p.sums, tiles);
                             scan_tiles<fours>
                                 <<<tiles, threads, 0, stream>>>(p.a, p.c, p.sums, p.n);
                         });
}

template<unsigned fours, bool looks_back>
void run_one_pass(common::Chapter& chapter, common::Scan& p, bool full = false)
{
    const char* name = looks_back ? "look_back" : "chained";
    common::run_tile_row(
        chapter, p, {name, threads, 4 * fours, true, full},
        [&](unsigned tiles, cudaStream_t stream) {
            CHECK_CUDA(cudaMemsetAsync(p.states, 0, (tiles + 1) * sizeof *p.states, stream));
            one_pass<fours, looks_back><<<tiles, threads, 0, stream>>>(p.a, p.c, p.n, p.states);
        });
}

template<bool ahead>
void run_ring(common::Chapter& chapter, common::Scan& p)
{
    constexpr unsigned fours = 8, stages = 3;
    const auto kernel = ring<fours, stages, ahead>;
    common::run_staying_row(
        chapter, p, {ahead ? "ring_ahead" : "ring", threads, 4 * fours}, kernel, stages,
        [&](unsigned tiles, unsigned grid, std::size_t shared, cudaStream_t stream) {
            CHECK_CUDA(cudaMemsetAsync(p.states, 0, tiles * sizeof *p.states, stream));
            kernel<<<grid, threads, shared, stream>>>(p.a, p.c, p.n, p.states);
        });
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes({.gpu = {1 << 20, 1 << 24, (1 << 24) + 1009, 1 << 28},
                         .cpu = {1 << 20},
                         .usual = {1 << 28},
                         .bytes_per_element = 2 * sizeof(unsigned)})) {
        common::Scan problem(chapter, n);
        run_three_kernels<4>(chapter, problem);
        run_one_pass<8, false>(chapter, problem);
        run_one_pass<1, true>(chapter, problem, true);
        run_one_pass<4, true>(chapter, problem, true);
        run_one_pass<8, true>(chapter, problem);
        run_ring<false>(chapter, problem);
        run_ring<true>(chapter, problem);
        common::run_scan_library(chapter, problem);
    }
    return chapter.finish();
}
