// claim_stencil: What limits a stencil, and does reuse gain as little in two dimensions?
//
// The stencil of chapter 07 with fewer instructions for the same wavefronts, with more, and with
// fewer of both; then one of five points on a matrix.

#include "common/chapter.hpp"

#include <cmath>

constexpr int radius = 8;
constexpr unsigned threads = 256;

__global__ void direct(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int k = -radius; k <= radius; ++k) {
            const std::size_t j = i + static_cast<std::size_t>(k); // wraps below 0, so j >= n there
            sum += j < n ? a[j] : 0.0f;
        }
        c[i] = sum;
    }
}

// The same reads and additions; only the first and the last block ask where the array ends.
__global__ void direct_unchecked(const float* a, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    if (blockIdx.x > 0 && std::size_t{blockIdx.x + 1} * blockDim.x + radius <= n) {
        const float* at = a + i - radius;
        for (int k = 0; k <= 2 * radius; ++k) {
            sum += at[k];
        }
        c[i] = sum;
    } else if (i < n) {
        for (int k = -radius; k <= radius; ++k) {
            const std::size_t j = i + static_cast<std::size_t>(k);
            sum += j < n ? a[j] : 0.0f;
        }
        c[i] = sum;
    }
}

// The tile of a block of `each` times as many elements as threads, and a halo.
template<unsigned each>
__device__ void load_tile(float* tile, const float* a, std::size_t n)
{
    const std::size_t start = std::size_t{blockIdx.x} * threads * each;
    for (unsigned k = threadIdx.x; k < each * threads + 2 * radius; k += threads) {
        const std::size_t j = start + k - radius;
        tile[k] = j < n ? a[j] : 0.0f;
    }
    __syncthreads();
}

// With `more` each read is used by two more instructions, which change nothing: no input is so
// large, which the compiler does not know.
template<bool more>
__global__ void shared(const float* a, float* c, std::size_t n)
{
    __shared__ float tile[threads + 2 * radius];
    load_tile<1>(tile, a, n);
    const std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x;
    float sum = 0.0f;
    float most = 0.0f;
    float least = 0.0f;
    for (unsigned k = 0; k <= 2 * radius; ++k) {
        const float v = tile[threadIdx.x + k];
        sum += v;
        if constexpr (more) {
            most = fmaxf(most, v);
            least = fminf(least, v);
        }
    }
    if (i < n) {
        c[i] = most - least < 1e9f ? sum : most;
    }
}

// Each thread has `each` neighbours, and what it reads for one is in registers for the others.
template<unsigned each>
__global__ void registers(const float* a, float* c, std::size_t n)
{
    __shared__ __align__(16) float tile[each * threads + 2 * radius];
    load_tile<each>(tile, a, n);
    float v[each + 2 * radius];
    for (unsigned k = 0; k < each + 2 * radius; k += 4) {
        const float4 four = *reinterpret_cast<const float4*>(&tile[threadIdx.x * each + k]);
        v[k] = four.x;
        v[k + 1] = four.y;
        v[k + 2] = four.z;
        v[k + 3] = four.w;
    }
    const std::size_t i = (std::size_t{blockIdx.x} * threads + threadIdx.x) * each;
    float sums[each];
    for (unsigned k = 0; k < each; ++k) {
        sums[k] = 0.0f;
        for (unsigned m = 0; m <= 2 * radius; ++m) {
            sums[k] += v[k + m];
        }
    }
    for (unsigned k = 0; k < each; k += 4) {
        if (i + k + 3 < n) {
            *reinterpret_cast<float4*>(c + i + k) =
                make_float4(sums[k], sums[k + 1], sums[k + 2], sums[k + 3]);
        } else {
            for (unsigned m = k; m < k + 4; ++m) {
                if (i + m < n) {
                    c[i + m] = sums[m];
                }
            }
        }
    }
}

void run_line(common::Chapter& chapter)
{
    const std::size_t n = chapter.n();
    common::Arrays<float> p(chapter, {.task = "stencil"}, [n](auto& in, std::size_t i) {
        float sum = 0.0f;
        for (std::size_t j = i < radius ? 0 : i - radius; j <= i + radius && j < n; ++j) {
            sum += in.a[j];
        }
        return sum;
    });
    const auto run = [&](const char* name, auto kernel, unsigned each) {
        chapter.run({.name = name, .threads = threads, .columns = {{"each", each}}}, p,
                    [&](cudaStream_t stream) {
                        kernel<<<common::blocks(n, threads * each), threads, 0, stream>>>(p.a, p.c,
                                                                                          n);
                    });
    };
    run("direct", direct, 1);
    run("direct_unchecked", direct_unchecked, 1);
    run("shared", shared<false>, 1);
    run("shared_more", shared<true>, 1);
    run("registers", registers<4>, 4);
}

// A point and its four neighbours; what lies outside counts as zero.
__device__ float at(const float* a, std::size_t x, std::size_t y, std::size_t edge)
{
    return x < edge && y < edge ? a[y * edge + x] : 0.0f; // below 0 they wrap
}

__global__ void plane_direct(const float* a, float* c, std::size_t edge)
{
    const std::size_t x = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t y = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    if (x < edge && y < edge) {
        c[y * edge + x] = at(a, x, y, edge) + at(a, x - 1, y, edge) + at(a, x + 1, y, edge) +
                          at(a, x, y - 1, edge) + at(a, x, y + 1, edge);
    }
}

__global__ void plane_shared(const float* a, float* c, std::size_t edge)
{
    __shared__ float tile[8 + 2][32 + 2];
    const std::size_t left = std::size_t{blockIdx.x} * 32;
    const std::size_t top = std::size_t{blockIdx.y} * 8;
    for (unsigned k = threadIdx.y * 32 + threadIdx.x; k < 10 * 34; k += 256) {
        tile[k / 34][k % 34] = at(a, left + k % 34 - 1, top + k / 34 - 1, edge);
    }
    __syncthreads();
    const unsigned x = threadIdx.x + 1;
    const unsigned y = threadIdx.y + 1;
    if (left + threadIdx.x < edge && top + threadIdx.y < edge) {
        c[(top + threadIdx.y) * edge + left + threadIdx.x] =
            tile[y][x] + tile[y][x - 1] + tile[y][x + 1] + tile[y - 1][x] + tile[y + 1][x];
    }
}

// A thread goes down `each` rows, and keeps the three of its column in registers.
template<unsigned each>
__global__ void plane_registers(const float* a, float* c, std::size_t edge)
{
    const std::size_t x = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t top = (std::size_t{blockIdx.y} * blockDim.y + threadIdx.y) * each;
    if (x >= edge) {
        return;
    }
    float column[each + 2];
    for (unsigned k = 0; k < each + 2; ++k) {
        column[k] = at(a, x, top + k - 1, edge);
    }
    for (unsigned k = 0; k < each; ++k) {
        if (top + k < edge) {
            c[(top + k) * edge + x] = column[k + 1] + at(a, x - 1, top + k, edge) +
                                      at(a, x + 1, top + k, edge) + column[k] + column[k + 2];
        }
    }
}

// The same of four neighbours in a row, by 16 bytes: of the row itself, two words are another
// thread's. The edge is a multiple of four.
template<unsigned each>
__global__ void plane_float4(const float* a, float* c, std::size_t edge)
{
    const std::size_t x = 4 * (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x);
    const std::size_t top = (std::size_t{blockIdx.y} * blockDim.y + threadIdx.y) * each;
    if (x >= edge) {
        return;
    }
    float4 column[each + 2];
    for (unsigned k = 0; k < each + 2; ++k) {
        const std::size_t y = top + k - 1;
        column[k] =
            y < edge ? *reinterpret_cast<const float4*>(a + y * edge + x) : make_float4(0, 0, 0, 0);
    }
    for (unsigned k = 0; k < each; ++k) {
        const std::size_t y = top + k;
        if (y < edge) {
            const float4 up = column[k], v = column[k + 1], down = column[k + 2];
            const float left = at(a, x - 1, y, edge);
            const float right = at(a, x + 4, y, edge);
            *reinterpret_cast<float4*>(c + y * edge + x) =
                make_float4(v.x + left + v.y + up.x + down.x, v.y + v.x + v.z + up.y + down.y,
                            v.z + v.y + v.w + up.z + down.z, v.w + v.z + right + up.w + down.w);
        }
    }
}

void run_plane(common::Chapter& chapter)
{
    const auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(chapter.n())));
    const std::size_t edge = std::max(root / 4 * 4, std::size_t{4});
    common::Arrays<float> p(
        chapter, {.task = "five points", .n = edge * edge}, [edge](auto& in, std::size_t i) {
            const std::size_t x = i % edge, y = i / edge;
            return in.a[i] + (x > 0 ? in.a[i - 1] : 0) + (x + 1 < edge ? in.a[i + 1] : 0) +
                   (y > 0 ? in.a[i - edge] : 0) + (y + 1 < edge ? in.a[i + edge] : 0);
        });
    const auto run = [&](const char* name, auto kernel, unsigned each, unsigned words) {
        const dim3 block(32, 8);
        const dim3 grid = common::grid(edge, edge, block.x * words, block.y * each);
        chapter.run(
            {.name = name, .threads = block.x * block.y, .columns = {{"each", each * words}}}, p,
            [&](cudaStream_t stream) { kernel<<<grid, block, 0, stream>>>(p.a, p.c, edge); });
    };
    run("plane_direct", plane_direct, 1, 1);
    run("plane_shared", plane_shared, 1, 1);
    run("plane_registers", plane_registers<4>, 4, 1);
    run("plane_registers", plane_registers<8>, 8, 1);
    run("plane_float4", plane_float4<1>, 1, 4);
    run("plane_float4", plane_float4<4>, 4, 4);
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    run_line(chapter);
    run_plane(chapter);
    return chapter.finish();
}
