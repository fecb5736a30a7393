// claim_tiles: What makes the tile of float4s faster: bytes in flight, or longer rows? And are
// there still pitches to avoid?
//
// Tiles of 32 and of 64 columns, so rows of 128 and of 256 bytes, by threads that have 16, 32 or 64
// bytes in flight, in words of 4 bytes and of 16. Then blocks that go down the columns of
// matrices whose rows lie a power of two apart, and a little more.

#include "../../chapters/19_transpose/transpose.cuh"
#include "common/chapter.hpp"

#include <algorithm>
#include <cmath>

// By blocks of side x side / loads threads. Blocks start below each other in a.
template<unsigned side, unsigned loads>
__global__ void tile(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    __shared__ float turned[side * (side + 1)];
    constexpr unsigned down = side / loads;
    const std::size_t left = std::size_t{blockIdx.y} * side;
    const std::size_t top = std::size_t{blockIdx.x} * side;
    float v[loads];
    for (unsigned k = 0; k < loads; ++k) {
        const unsigned y = threadIdx.y + down * k;
        const bool inside = left + threadIdx.x < columns && top + y < rows;
        v[k] = inside ? a[(top + y) * columns + left + threadIdx.x] : 0.0f;
    }
    for (unsigned k = 0; k < loads; ++k) {
        turned[(threadIdx.y + down * k) * (side + 1) + threadIdx.x] = v[k];
    }
    __syncthreads();
    for (unsigned k = 0; k < loads; ++k) {
        const unsigned x = threadIdx.y + down * k;
        if (left + x < columns && top + threadIdx.x < rows) {
            c[(left + x) * rows + top + threadIdx.x] = turned[threadIdx.x * (side + 1) + x];
        }
    }
}

// Four float4s a thread, turned in registers as in chapter 20, by blocks of side / 4 squared.
template<unsigned side>
__global__ void tile_float4(const float* a, float* c, std::size_t rows, std::size_t columns)
{
    constexpr unsigned quads = side / 4;
    __shared__ float4 turned[side][quads];
    const std::size_t left = std::size_t{blockIdx.y} * side;
    const std::size_t top = std::size_t{blockIdx.x} * side;
    const std::size_t x = left + 4 * threadIdx.x;
    const std::size_t y = top + 4 * threadIdx.y;
    if (x < columns && y < rows) {
        float4 v[4];
        for (unsigned k = 0; k < 4; ++k) {
            v[k] = *reinterpret_cast<const float4*>(a + (y + k) * columns + x);
        }
        const auto [p, q, r, s] = v;
        const float4 t[4] = {make_float4(p.x, q.x, r.x, s.x), make_float4(p.y, q.y, r.y, s.y),
                             make_float4(p.z, q.z, r.z, s.z), make_float4(p.w, q.w, r.w, s.w)};
        for (unsigned k = 0; k < 4; ++k) {
            turned[4 * threadIdx.x + k][threadIdx.y ^ threadIdx.x % 8] = t[k];
        }
    }
    __syncthreads();
    const std::size_t v = top + 4 * threadIdx.x;
    for (unsigned k = 0; k < 4; ++k) {
        const unsigned u = threadIdx.y + quads * k;
        if (left + u < columns && v < rows) {
            *reinterpret_cast<float4*>(c + (left + u) * rows + v) =
                turned[u][threadIdx.x ^ u / 4 % 8];
        }
    }
}

const TransposeKernel kernels[] = {{"tile", tile<32, 4>, true, {32, 8}, {1, 4}},
                                   {"tile", tile<32, 8>, true, {32, 4}, {1, 8}},
                                   {"tile", tile<32, 16>, true, {32, 2}, {1, 16}},
                                   {"tile", tile<64, 4>, true, {64, 16}, {1, 4}},
                                   {"tile", tile<64, 8>, true, {64, 8}, {1, 8}},
                                   {"tile", tile<64, 16>, true, {64, 4}, {1, 16}},
                                   {"tile_float4", tile_float4<32>, true, {8, 8}, {4, 4}, 16},
                                   {"tile_float4", tile_float4<64>, true, {16, 16}, {4, 4}, 16}};

// All kernels, or the last of either name.
void run_tiles(common::Chapter& chapter, const common::Extent& m, bool all)
{
    common::Arrays<float> p = transposed(chapter, m);
    for (const TransposeKernel& k : kernels) {
        const unsigned bytes = k.per_thread.x * k.per_thread.y * sizeof(float);
        const dim3 grid =
            common::grid(m.rows, m.columns, k.block.x * k.per_thread.x, k.block.y * k.per_thread.y);
        common::Variant row = k.row(m);
        row.columns.push_back({"row_bytes", k.block.x * k.per_thread.x * sizeof(float)});
        row.columns.push_back({"bytes_per_thread", bytes});
        if (all || (k.block.x * k.per_thread.x == 64 && bytes == 64)) {
            chapter.run(row, p, [&](cudaStream_t stream) {
                k.launch<<<grid, k.block, 0, stream>>>(p.a, p.c, m.rows, m.columns);
            });
        }
    }
}

constexpr unsigned piece = 64;      // words: 256 bytes, as partitions had
constexpr unsigned warps_block = 8; // of 32 lanes, with two words each

// A warp reads a piece, the next one that below it. The last words of the array that fill no row
// are left out.
__global__ void walk_down(const unsigned* a, unsigned* c, std::size_t rows, std::size_t pieces)
{
    const std::size_t warp = std::size_t{blockIdx.x} * warps_block + threadIdx.x / 32;
    if (warp >= rows * pieces) {
        return;
    }
    const std::size_t at = (warp % rows * pieces + warp / rows) * piece + threadIdx.x % 32 * 2;
    const uint2 v = *reinterpret_cast<const uint2*>(a + at);
    unsigned x = v.x ^ v.y;
    for (int lanes = 16; lanes > 0; lanes /= 2) {
        x ^= __shfl_xor_sync(0xffffffff, x, lanes);
    }
    if (threadIdx.x % 32 == 0) {
        c[warp] = x;
    }
}

void run_pitches(common::Chapter& chapter, std::size_t n)
{
    common::Words p(chapter, "walk down", n, n);
    const auto run = [&](std::size_t pieces) {
        const std::size_t rows = n / (pieces * piece);
        if (rows == 0) {
            return;
        }
        p.moved = rows * pieces * piece * sizeof(unsigned);
        const auto setup = [&p, rows, pieces] {
            p.expect_words(rows * pieces, [&p, rows, pieces](std::size_t warp) {
                std::uint32_t words[piece];
                p.input((warp % rows * pieces + warp / rows) * piece, piece, words);
                std::uint32_t x = 0;
                for (const std::uint32_t word : words) {
                    x ^= word;
                }
                return x;
            });
        };
        chapter.run({.name = "walk_down",
                     .threads = 32 * warps_block,
                     .columns = {{"pitch_bytes", pieces * piece * sizeof(unsigned)}},
                     .setup = setup},
                    p, [&](cudaStream_t stream) {
                        walk_down<<<common::blocks(rows * pieces, warps_block), 32 * warps_block, 0,
                                    stream>>>(p.a, p.c, rows, pieces);
                    });
    };
    run(1);
    for (unsigned log = 1; log <= 17; log += 2) { // to 32 MiB
        run(std::size_t{1} << log);
        run((std::size_t{1} << log) + 1);
    }
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    const common::Sizes sizes{.gpu = {1u << 28}, .cpu = {1u << 16}, .bytes_per_element = 8};
    for (std::size_t n : chapter.sizes(sizes)) {
        const auto edge = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
        run_tiles(chapter, common::matrix_of(n, edge), true);
        for (std::size_t less : {32u, 1024u}) { // sides that are no power of two
            if (edge > less) {
                run_tiles(chapter, common::matrix_of((edge - less) * (edge - less), edge - less),
                          false);
            }
        }
        run_pitches(chapter, n);
    }
    return chapter.finish();
}
