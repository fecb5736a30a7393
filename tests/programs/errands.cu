// More kernels as people write them, none of which the time model had seen when it was told to say how long they
// take: of networks, images, grids, graphs, clusters, texts and numbers. Each is followed by what launches it and by
// a check of what it leaves behind.
//
// kernel_set.hpp says what the program is told and prints. Of 2^18 numbers:
// WITH -DLOG2N=18
// RUN => 0 causal_conv,yes\n(\w+,yes\n){29}bit_reverse,yes
// SLOW
#include "kernel_set.hpp"

const char* const kernels_name = "errands";

// --- networks ------------------------------------------------------------------------------------

/// Four taps back in time, of each channel its own; channels lie side by side.
__global__ void causal_conv(const float* in, const float* taps, float* out, int channels, int time)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    const int t = blockIdx.y;
    if (c >= channels)
        return;
    float sum = 0;
    for (int k = 0; k < 4; ++k)
        if (t - k >= 0)
            sum += in[(t - k) * channels + c] * taps[k * channels + c];
    out[t * channels + c] = sum / (1 + expf(-sum));
}

bool try_causal_conv(const char* name)
{
    const int channels = 1024;
    const int time = static_cast<int>(n / channels);
    const Array<float> in(n, noise(1, -1));
    const Array<float> taps(4 * channels, noise(2, -1));
    const Array<float> out(n);
    return run(
        name,
        [&] { causal_conv<<<dim3(channels / 256, time), 256>>>(in.memory, taps.memory, out.memory, channels, time); },
        [&] {
            return matches(out, [&](size_t i) {
                const size_t c = i % channels;
                double sum = 0;
                for (size_t k = 0; k < 4 && k * channels <= i - c; ++k)
                    sum += double{in.first[i - k * channels]} * taps.first[k * channels + c];
                return sum / (1 + std::exp(-sum));
            });
        });
}

/// The gradient of what goes through an activation.
__global__ void gelu_backward(const float* x, const float* gradient, float* out, size_t count)
{
    const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    if (i >= count)
        return;
    const float v = x[i];
    const float cube = 0.044715F * v * v * v;
    const float t = tanhf(0.7978846F * (v + cube));
    const float slope = 0.5F * (1 + t) + 0.5F * v * (1 - t * t) * 0.7978846F * (1 + 3 * 0.044715F * v * v);
    out[i] = gradient[i] * slope;
}

bool try_gelu_backward(const char* name)
{
    const Array<float> x(n, noise(3, -2, 2));
    const Array<float> gradient(n, noise(4, -1));
    const Array<float> out(n);
    return run(
        name, [&] { gelu_backward<<<blocks(n, 256), 256>>>(x.memory, gradient.memory, out.memory, n); },
        [&] {
            return matches(out, [&](size_t i) {
                const double v = x.first[i];
                const double t = std::tanh(0.7978846 * (v + 0.044715 * v * v * v));
                return gradient.first[i] *
                       (0.5 * (1 + t) + 0.5 * v * (1 - t * t) * 0.7978846 * (1 + 3 * 0.044715 * v * v));
            });
        });
}

/// Gradients of a table's rows: a block a token, atomics where tokens are alike.
__global__ void embedding_backward(const u* token, const float* gradient, float* table, int width)
{
    const size_t row = static_cast<size_t>(token[blockIdx.x]) * width;
    for (int c = threadIdx.x; c < width; c += blockDim.x)
        atomicAdd(&table[row + c], gradient[static_cast<size_t>(blockIdx.x) * width + c]);
}

bool try_embedding_backward(const char* name)
{
    const int width = 512;
    const size_t tokens = n / 2 / width;
    const Array<u> token(tokens, below(5, 4096));
    const Array<float> gradient(tokens * width, noise(6, -1));
    Array<float> table(size_t{4096} * width);
    return run(
        name,
        [&] { embedding_backward<<<static_cast<u>(tokens), 128>>>(token.memory, gradient.memory, table.memory, width); },
        [&] {
            std::vector<double> expected(table.size);
            for (size_t i = 0; i < gradient.size; ++i)
                expected[size_t{token.first[i / width]} * width + i % width] += gradient.first[i];
            return matches(table, expected);
        },
        [&] { table.clear(); });
}

/// One new token against all that are kept: a warp a head and position.
__global__ void decode_scores(const float* q, const float* keys, float* scores, int positions)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    const int head = warp / positions;
    const float4 mine = reinterpret_cast<const float4*>(q)[head * 32 + lane];
    const float4 key = reinterpret_cast<const float4*>(keys)[static_cast<size_t>(warp) * 32 + lane];
    float sum = mine.x * key.x + mine.y * key.y + mine.z * key.z + mine.w * key.w;
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(full, sum, offset);
    if (lane == 0)
        scores[warp] = sum * 0.0883883F;
}

bool try_decode_scores(const char* name)
{
    const int heads = 16;
    const int positions = static_cast<int>(n / heads / 128);
    const Array<float> q(heads * 128, noise(7, -1));
    const Array<float> keys(n, noise(8, -1));
    const Array<float> scores(static_cast<size_t>(heads) * positions);
    return run(
        name,
        [&] { decode_scores<<<heads * positions / 8, 256>>>(q.memory, keys.memory, scores.memory, positions); },
        [&] {
            return matches(scores, [&](size_t i) {
                double sum = 0;
                for (size_t c = 0; c < 128; ++c)
                    sum += double{q.first[i / positions * 128 + c]} * keys.first[i * 128 + c];
                return sum * 0.0883883;
            });
        });
}

/// Where the largest of a row is: a block a row, a tree in shared memory.
__global__ void argmax_rows(const float* in, u* out, int columns)
{
    __shared__ float best[256];
    __shared__ u where[256];
    const size_t row = static_cast<size_t>(blockIdx.x) * columns;
    float top = -1e30F;
    u at = 0;
    for (int c = threadIdx.x; c < columns; c += 256)
        if (in[row + c] > top) {
            top = in[row + c];
            at = c;
        }
    best[threadIdx.x] = top;
    where[threadIdx.x] = at;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half && best[threadIdx.x + half] > best[threadIdx.x]) {
            best[threadIdx.x] = best[threadIdx.x + half];
            where[threadIdx.x] = where[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = where[0];
}

bool try_argmax_rows(const char* name)
{
    const int columns = 1024;
    const Array<float> in(n, noise(9));
    const Array<u> out(n / columns);
    return run(
        name, [&] { argmax_rows<<<static_cast<u>(n / columns), 256>>>(in.memory, out.memory, columns); },
        [&] {
            const std::vector<u> now = out.now();
            return sampled(out.size, [&](size_t r) {
                const float* row = &in.first[r * columns];
                return row[now[r]] == *std::max_element(row, row + columns);
            });
        });
}

/// Four bits a weight, two in a byte, with a scale for each 32 of them.
__global__ void unpack_int4(const byte* packed, const float* scale, float* out, size_t bytes)
{
    const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    if (i >= bytes)
        return;
    const byte both = packed[i];
    const float s = scale[i / 16];
    out[2 * i] = (static_cast<int>(both & 15) - 8) * s;
    out[2 * i + 1] = (static_cast<int>(both >> 4) - 8) * s;
}

bool try_unpack_int4(const char* name)
{
    const Array<byte> packed(n / 2, below(10, 256));
    const Array<float> scale(n / 32, noise(11));
    const Array<float> out(n);
    return run(
        name, [&] { unpack_int4<<<blocks(n / 2, 256), 256>>>(packed.memory, scale.memory, out.memory, n / 2); },
        [&] {
            return matches(out, [&](size_t i) {
                const int four = i % 2 == 0 ? packed.first[i / 2] & 15 : packed.first[i / 2] >> 4;
                return (four - 8) * double{scale.first[i / 32]};
            });
        });
}

/// Each thread a row of one matrix and a column of the other, both in halves.
__global__ void multiply_halves(const __half* a, const __half* b, __half* c, int size)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < size; ++k)
        sum += __half2float(a[row * size + k]) * __half2float(b[k * size + column]);
    c[row * size + column] = __float2half(sum);
}

bool try_multiply_halves(const char* name)
{
    const int size = side(5);
    const size_t count = static_cast<size_t>(size) * size;
    const auto small = [](u seed) { return [=](size_t i) { return noise(seed, -1)(i) * 0.1F; }; };
    const Array<__half> a(count, small(12));
    const Array<__half> b(count, small(13));
    const Array<__half> c(count);
    return run(
        name,
        [&] { multiply_halves<<<dim3(size / 32, size / 8), dim3(32, 8)>>>(a.memory, b.memory, c.memory, size); },
        [&] {
            const std::vector<__half> now = c.now();
            const auto any = below(98, count);
            for (u k = 0; k < 256; ++k) {
                const size_t i = any(k);
                double sum = 0;
                for (int j = 0; j < size; ++j)
                    sum += double{__half2float(a.first[i / size * size + j])} *
                           __half2float(b.first[static_cast<size_t>(j) * size + i % size]);
                if (!near(__half2float(now[i]), sum, 1e-2))
                    return false;
            }
            return true;
        });
}

// --- images --------------------------------------------------------------------------------------

/// Where a picture is looked up at places that another says.
__global__ void grid_sample(const float* in, const float2* places, float* out, int size)
{
    const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    const float2 place = places[i];
    const int x = min(max(static_cast<int>(floorf(place.x)), 0), size - 2);
    const int y = min(max(static_cast<int>(floorf(place.y)), 0), size - 2);
    const float fx = place.x - x;
    const float fy = place.y - y;
    const float top = in[y * size + x] * (1 - fx) + in[y * size + x + 1] * fx;
    const float bottom = in[(y + 1) * size + x] * (1 - fx) + in[(y + 1) * size + x + 1] * fx;
    out[i] = top * (1 - fy) + bottom * fy;
}

bool try_grid_sample(const char* name)
{
    const int size = side(2);
    const size_t count = static_cast<size_t>(size) * size;
    const Array<float> in(count, noise(14));
    std::vector<float2> where(count);
    for (size_t i = 0; i < count; ++i) // turned by a few degrees
        where[i] = make_float2(std::min(std::max(0.98F * (i % size) - 0.17F * (i / size) + 40.3F, 0.0F), size - 1.01F),
                               std::min(std::max(0.17F * (i % size) + 0.98F * (i / size) - 20.6F, 0.0F), size - 1.01F));
    const Array<float2> places(where);
    const Array<float> out(count);
    return run(
        name,
        [&] { grid_sample<<<blocks(count, 256), 256>>>(in.memory, places.memory, out.memory, size); },
        [&] {
            return matches(out, [&](size_t i) {
                const float2 p = where[i];
                const int x = std::min(static_cast<int>(p.x), size - 2);
                const int y = std::min(static_cast<int>(p.y), size - 2);
                const double fx = double{p.x} - x;
                const double fy = double{p.y} - y;
                const float* at = &in.first[static_cast<size_t>(y) * size + x];
                return (at[0] * (1 - fx) + at[1] * fx) * (1 - fy) + (at[size] * (1 - fx) + at[size + 1] * fx) * fy;
            });
        });
}

__constant__ float blur_weights[15];

/// Half of a blur that is done in two: down the columns.
__global__ void blur_down(const float* in, float* out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = -7; k <= 7; ++k) {
        const int at = min(max(y + k, 0), height - 1);
        sum += in[at * width + x] * blur_weights[k + 7];
    }
    out[y * width + x] = sum;
}

bool try_blur_down(const char* name)
{
    const int size = side(0);
    const size_t count = static_cast<size_t>(size) * size;
    const Array<float> in(count, noise(15));
    const Array<float> out(count);
    float weights[15];
    for (int k = 0; k < 15; ++k)
        weights[k] = 1.0F / static_cast<float>(8 + std::abs(k - 7));
    cudaMemcpyToSymbol(blur_weights, weights, sizeof weights);
    return run(
        name,
        [&] { blur_down<<<dim3(size / 32, size / 8), dim3(32, 8)>>>(in.memory, out.memory, size, size); },
        [&] {
            return matches(out, [&](size_t i) {
                double sum = 0;
                for (int k = -7; k <= 7; ++k) {
                    const int at = std::min(std::max(static_cast<int>(i / size) + k, 0), size - 1);
                    sum += double{in.first[static_cast<size_t>(at) * size + i % size]} * weights[k + 7];
                }
                return sum;
            });
        });
}

/// The brightest of 5 x 5, from a tile with a border.
__global__ void dilate(const byte* in, byte* out, int size)
{
    __shared__ byte tile[12][36];
    const int left = blockIdx.x * 32 - 2;
    const int top = blockIdx.y * 8 - 2;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 12 * 36; i += 256) {
        const int x = left + i % 36;
        const int y = top + i / 36;
        tile[i / 36][i % 36] = x >= 0 && x < size && y >= 0 && y < size ? in[y * size + x] : 0;
    }
    __syncthreads();
    byte brightest = 0;
    for (int dy = 0; dy < 5; ++dy)
        for (int dx = 0; dx < 5; ++dx)
            brightest = max(brightest, tile[threadIdx.y + dy][threadIdx.x + dx]);
    out[(top + 2 + threadIdx.y) * size + left + 2 + threadIdx.x] = brightest;
}

bool try_dilate(const char* name)
{
    const int size = side(2);
    const size_t count = static_cast<size_t>(size) * size;
    const Array<byte> in(count, below(16, 256));
    const Array<byte> out(count);
    return run(
        name, [&] { dilate<<<dim3(size / 32, size / 8), dim3(32, 8)>>>(in.memory, out.memory, size); },
        [&] {
            return matches(out, [&](size_t i) {
                int brightest = 0;
                for (int y = static_cast<int>(i / size) - 2; y <= static_cast<int>(i / size) + 2; ++y)
                    for (int x = static_cast<int>(i % size) - 2; x <= static_cast<int>(i % size) + 2; ++x)
                        if (x >= 0 && x < size && y >= 0 && y < size)
                            brightest = std::max<int>(brightest, in.first[static_cast<size_t>(y) * size + x]);
                return brightest;
            });
        });
}

/// Another brightness for each, from a table.
__global__ void apply_table(const byte* in, const byte* table, byte* out, size_t count)
{
    for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < count; i += size_t{gridDim.x} * blockDim.x)
        out[i] = table[in[i]];
}

bool try_apply_table(const char* name)
{
    const Array<byte> in(2 * n, below(17, 256));
    const Array<byte> table(256, [](size_t i) { return 255 - i; });
    const Array<byte> out(2 * n);
    return run(
        name, [&] { apply_table<<<2112, 256>>>(in.memory, table.memory, out.memory, 2 * n); },
        [&] { return matches(out, [&](size_t i) { return 255 - in.first[i]; }); });
}

/// Eight rows of eight, a block of them a warp's: cosines by the tables of the textbook.
__global__ void dct8(const float* in, const float* cosines, float* out, size_t tiles)
{
    __shared__ float tile[4][8][9];
    __shared__ float table[64];
    const int t = threadIdx.x / 64;
    const int row = threadIdx.x % 64 / 8;
    const int column = threadIdx.x % 8;
    const size_t at = (blockIdx.x * size_t{4} + t) * 64 + threadIdx.x % 64;
    if (threadIdx.x < 64)
        table[threadIdx.x] = cosines[threadIdx.x];
    tile[t][row][column] = in[at];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 8; ++k)
        sum += table[column * 8 + k] * tile[t][row][k];
    __syncthreads();
    tile[t][row][column] = sum;
    __syncthreads();
    sum = 0;
    for (int k = 0; k < 8; ++k)
        sum += table[row * 8 + k] * tile[t][k][column];
    if (at < tiles * 64)
        out[at] = sum;
}

bool try_dct8(const char* name)
{
    const Array<float> in(n, noise(18, -1));
    const Array<float> cosines(64, [](size_t i) {
        const double scale = i < 8 ? std::sqrt(0.125) : 0.5;
        return static_cast<float>(scale * std::cos((2 * static_cast<double>(i % 8) + 1) *
                                                   static_cast<double>(i / 8) * 3.14159265358979 / 16));
    });
    const Array<float> out(n);
    return run(
        name,
        [&] { dct8<<<static_cast<u>(n / 256), 256>>>(in.memory, cosines.memory, out.memory, n / 64); },
        [&] {
            return matches(out, [&](size_t i) {
                double sum = 0;
                for (size_t y = 0; y < 8; ++y)
                    for (size_t x = 0; x < 8; ++x)
                        sum += double{cosines.first[i % 64 / 8 * 8 + y]} * cosines.first[i % 8 * 8 + x] *
                               in.first[i / 64 * 64 + y * 8 + x];
                return sum;
            });
        });
}

// --- grids ---------------------------------------------------------------------------------------

/// Cells that live or die by their eight neighbours.
__global__ void life(const byte* in, byte* out, int size)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    int neighbours = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            if (dx != 0 || dy != 0)
                neighbours += in[(y + dy + size) % size * size + (x + dx + size) % size];
    out[y * size + x] = neighbours == 3 || (neighbours == 2 && in[y * size + x]);
}

bool try_life(const char* name)
{
    const int size = side(0);
    const size_t count = static_cast<size_t>(size) * size;
    const Array<byte> in(count, below(19, 2));
    const Array<byte> out(count);
    return run(
        name, [&] { life<<<dim3(size / 16, size / 16), dim3(16, 16)>>>(in.memory, out.memory, size); },
        [&] {
            return matches(out, [&](size_t i) {
                const size_t x = i % size;
                const size_t y = i / size;
                int neighbours = 0;
                for (size_t dy = 0; dy < 3; ++dy)
                    for (size_t dx = 0; dx < 3; ++dx)
                        neighbours += in.first[(y + dy + size - 1) % size * size + (x + dx + size - 1) % size];
                neighbours -= in.first[i];
                return static_cast<int>(neighbours == 3 || (neighbours == 2 && in.first[i] == 1));
            });
        });
}

/// A drum: three moments of a membrane.
__global__ void wave2d(const float* now, const float* before, float* next, int size, float c)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= size - 1 || y >= size - 1)
        return;
    const int i = y * size + x;
    next[i] = 2 * now[i] - before[i] + c * (now[i - 1] + now[i + 1] + now[i - size] + now[i + size] - 4 * now[i]);
}

bool try_wave2d(const char* name)
{
    const int size = side(0);
    const size_t count = static_cast<size_t>(size) * size;
    const Array<float> now(count, noise(20, -1));
    const Array<float> before(count, noise(21, -1));
    const Array<float> next(count);
    return run(
        name,
        [&] {
            wave2d<<<dim3(blocks(size, 64), blocks(size, 4)), dim3(64, 4)>>>(now.memory, before.memory, next.memory,
                                                                          size, 0.2F);
        },
        [&] {
            return matches(next, [&](size_t i) {
                const int x = static_cast<int>(i % size);
                const int y = static_cast<int>(i / size);
                if (x == 0 || y == 0 || x == size - 1 || y == size - 1)
                    return 0.0;
                const float* at = &now.first[i];
                return 2.0 * at[0] - before.first[i] +
                       0.2 * (double{at[-1]} + at[1] + at[-size] + at[size] - 4.0 * at[0]);
            });
        });
}

/// Every other point of a grid, from the points between: in place.
__global__ void red_black(float* grid, int size, int colour)
{
    const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    const int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1 + (y + colour) % 2;
    if (x >= size - 1 || y >= size - 1)
        return;
    const int i = y * size + x;
    grid[i] = 0.25F * (grid[i - 1] + grid[i + 1] + grid[i - size] + grid[i + size]);
}

bool try_red_black(const char* name)
{
    const int size = side(0);
    const size_t count = static_cast<size_t>(size) * size;
    Array<float> grid(count, noise(22));
    return run(
        name,
        [&] { red_black<<<dim3(blocks(size / 2, 32), blocks(size, 8)), dim3(32, 8)>>>(grid.memory, size, 1); },
        [&] {
            return matches(grid, [&](size_t i) {
                const int x = static_cast<int>(i % size);
                const int y = static_cast<int>(i / size);
                const float* at = &grid.first[i];
                if (x == 0 || y == 0 || x == size - 1 || y == size - 1 || (x + y) % 2 != 0)
                    return double{at[0]};
                return 0.25 * (double{at[-1]} + at[1] + at[-size] + at[size]);
            });
        },
        [&] { grid.reset(); });
}

/// Something carried along by a wind: looked up where it came from.
__global__ void advect(const float* smoke, const float* windx, const float* windy, float* out, int size)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int i = y * size + x;
    const float fromx = fminf(fmaxf(x - windx[i], 0.0F), size - 1.001F);
    const float fromy = fminf(fmaxf(y - windy[i], 0.0F), size - 1.001F);
    const int ix = static_cast<int>(fromx);
    const int iy = static_cast<int>(fromy);
    const float fx = fromx - ix;
    const float fy = fromy - iy;
    const float* at = smoke + iy * size + ix;
    const int down = iy < size - 1 ? size : 0;
    const int right = ix < size - 1 ? 1 : 0;
    out[i] = (at[0] * (1 - fx) + at[right] * fx) * (1 - fy) + (at[down] * (1 - fx) + at[down + right] * fx) * fy;
}

bool try_advect(const char* name)
{
    const int size = side(1);
    const size_t count = static_cast<size_t>(size) * size;
    const Array<float> smoke(count, noise(23));
    const Array<float> windx(count, noise(24, -3, 3));
    const Array<float> windy(count, noise(25, -3, 3));
    const Array<float> out(count);
    return run(
        name,
        [&] {
            advect<<<dim3(size / 32, size / 8), dim3(32, 8)>>>(smoke.memory, windx.memory, windy.memory, out.memory,
                                                             size);
        },
        [&] {
            return matches(
                out,
                [&](size_t i) {
                    const float fromx =
                        std::min(std::max(static_cast<float>(i % size) - windx.first[i], 0.0F), size - 1.001F);
                    const float fromy =
                        std::min(std::max(static_cast<float>(i / size) - windy.first[i], 0.0F), size - 1.001F);
                    const size_t ix = static_cast<size_t>(fromx);
                    const size_t iy = static_cast<size_t>(fromy);
                    const double fx = double{fromx} - static_cast<double>(ix);
                    const double fy = double{fromy} - static_cast<double>(iy);
                    const float* at = &smoke.first[iy * size + ix];
                    return (at[0] * (1 - fx) + at[1] * fx) * (1 - fy) + (at[size] * (1 - fx) + at[size + 1] * fx) * fy;
                },
                1e-2);
        });
}

/// A step of all shortest ways, through one town.
__global__ void floyd_step(float* distance, int towns, int through)
{
    const int to = blockIdx.x * blockDim.x + threadIdx.x;
    const int from = blockIdx.y * blockDim.y + threadIdx.y;
    const float other = distance[from * towns + through] + distance[through * towns + to];
    if (other < distance[from * towns + to])
        distance[from * towns + to] = other;
}

bool try_floyd_step(const char* name)
{
    const int towns = side(0);
    const size_t count = static_cast<size_t>(towns) * towns;
    Array<float> distance(count, [&](size_t i) { return i / towns == i % towns ? 0.0F : 1 + noise(26)(i); });
    return run(
        name,
        [&] { floyd_step<<<dim3(towns / 16, towns / 16), dim3(16, 16)>>>(distance.memory, towns, 5); },
        [&] {
            return matches(distance, [&](size_t i) {
                const float direct = distance.first[i];
                const float other = distance.first[i / towns * towns + 5] + distance.first[size_t{5} * towns + i % towns];
                return std::min(direct, other);
            });
        },
        [&] { distance.reset(); });
}

// --- graphs and clusters -------------------------------------------------------------------------

/// Each vertex takes the smallest label around it.
__global__ void spread_labels(const u* start, const u* column, const u* label, u* out, u vertices)
{
    const u v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices)
        return;
    u least = label[v];
    for (u k = start[v]; k < start[v + 1]; ++k)
        least = min(least, label[column[k]]);
    out[v] = least;
}

bool try_spread_labels(const char* name)
{
    const u vertices = static_cast<u>(n / 8);
    std::vector<u> begin(vertices + 1);
    for (u v = 0; v < vertices; ++v)
        begin[v + 1] = begin[v] + mix(v) % 9;
    const Array<u> start(begin);
    const Array<u> column(begin.back(), below(27, vertices));
    const Array<u> label(vertices, [](size_t i) { return mix(static_cast<u>(i) + 28); });
    const Array<u> out(vertices);
    return run(
        name,
        [&] {
            spread_labels<<<blocks(vertices, 256), 256>>>(start.memory, column.memory, label.memory, out.memory,
                                                         vertices);
        },
        [&] {
            const std::vector<u> now = out.now();
            return sampled(vertices, [&](size_t v) {
                u least = label.first[v];
                for (u k = begin[v]; k < begin[v + 1]; ++k)
                    least = std::min(least, label.first[column.first[k]]);
                return now[v] == least;
            });
        });
}

/// The nearest of 16 centres, of points with four coordinates.
__global__ void assign_clusters(const float4* points, const float4* centres, byte* nearest, size_t count)
{
    __shared__ float4 kept[16];
    if (threadIdx.x < 16)
        kept[threadIdx.x] = centres[threadIdx.x];
    __syncthreads();
    const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    if (i >= count)
        return;
    const float4 p = points[i];
    float best = 1e30F;
    int which = 0;
    for (int k = 0; k < 16; ++k) {
        const float x = p.x - kept[k].x;
        const float y = p.y - kept[k].y;
        const float z = p.z - kept[k].z;
        const float w = p.w - kept[k].w;
        const float d = x * x + y * y + z * z + w * w;
        if (d < best) {
            best = d;
            which = k;
        }
    }
    nearest[i] = which;
}

bool try_assign_clusters(const char* name)
{
    const size_t count = n / 4;
    const auto four = [](u seed) {
        return [=](size_t i) {
            return make_float4(noise(seed)(4 * i), noise(seed)(4 * i + 1), noise(seed)(4 * i + 2), noise(seed)(4 * i + 3));
        };
    };
    const Array<float4> points(count, four(29));
    const Array<float4> centres(16, four(30));
    const Array<byte> nearest(count);
    return run(
        name,
        [&] { assign_clusters<<<blocks(count, 256), 256>>>(points.memory, centres.memory, nearest.memory, count); },
        [&] {
            const std::vector<byte> now = nearest.now();
            const auto away = [&](size_t i, int k) {
                const float4 p = points.first[i];
                const float4 q = centres.first[k];
                return std::hypot(std::hypot(p.x - q.x, p.y - q.y), std::hypot(p.z - q.z, p.w - q.w));
            };
            return sampled(count, [&](size_t i) {
                for (int k = 0; k < 16; ++k)
                    if (away(i, k) < away(i, now[i]) - 1e-5F)
                        return false;
                return true;
            });
        });
}

/// How alike two documents of a list of pairs are: a warp a pair.
__global__ void cosine_pairs(const float* documents, const uint2* pairs, float* out, u count)
{
    const u warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const u lane = threadIdx.x % 32;
    if (warp >= count)
        return;
    const uint2 pair = pairs[warp];
    float ab = 0;
    float aa = 0;
    float bb = 0;
    for (u c = lane; c < 128; c += 32) {
        const float a = documents[pair.x * 128 + c];
        const float b = documents[pair.y * 128 + c];
        ab += a * b;
        aa += a * a;
        bb += b * b;
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        ab += __shfl_xor_sync(full, ab, offset);
        aa += __shfl_xor_sync(full, aa, offset);
        bb += __shfl_xor_sync(full, bb, offset);
    }
    if (lane == 0)
        out[warp] = ab * rsqrtf(aa * bb);
}

bool try_cosine_pairs(const char* name)
{
    const u documents_count = static_cast<u>(n / 128);
    const Array<float> documents(n, noise(31, -1));
    std::vector<uint2> chosen(n / 64);
    for (size_t i = 0; i < chosen.size(); ++i)
        chosen[i] = make_uint2(below(32, documents_count)(i), below(33, documents_count)(i));
    const Array<uint2> pairs(chosen);
    const Array<float> out(chosen.size());
    return run(
        name,
        [&] {
            cosine_pairs<<<blocks(chosen.size() * 32, 256), 256>>>(documents.memory, pairs.memory, out.memory,
                                                                  static_cast<u>(chosen.size()));
        },
        [&] {
            return matches(out, [&](size_t i) {
                double ab = 0;
                double aa = 0;
                double bb = 0;
                for (size_t c = 0; c < 128; ++c) {
                    const double a = documents.first[size_t{chosen[i].x} * 128 + c];
                    const double b = documents.first[size_t{chosen[i].y} * 128 + c];
                    ab += a * b;
                    aa += a * a;
                    bb += b * b;
                }
                return ab / std::sqrt(aa * bb);
            });
        });
}

/// All distances of two sets of points with 16 coordinates, from tiles of both.
__global__ void pairwise(const float* a, const float* b, float* out, int count)
{
    __shared__ float left[16][17];
    __shared__ float right[16][17];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    left[ty][tx] = a[(blockIdx.y * 16 + ty) * 16 + tx];
    right[ty][tx] = b[(blockIdx.x * 16 + ty) * 16 + tx];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 16; ++k) {
        const float d = left[ty][k] - right[tx][k];
        sum += d * d;
    }
    out[(blockIdx.y * 16 + ty) * count + blockIdx.x * 16 + tx] = sqrtf(sum);
}

bool try_pairwise(const char* name)
{
    const int count = side(2);
    const Array<float> a(static_cast<size_t>(count) * 16, noise(34));
    const Array<float> b(static_cast<size_t>(count) * 16, noise(35));
    const Array<float> out(static_cast<size_t>(count) * count);
    return run(
        name,
        [&] { pairwise<<<dim3(count / 16, count / 16), dim3(16, 16)>>>(a.memory, b.memory, out.memory, count); },
        [&] {
            return matches(out, [&](size_t i) {
                double sum = 0;
                for (size_t k = 0; k < 16; ++k) {
                    const double d = double{a.first[i / count * 16 + k]} - b.first[i % count * 16 + k];
                    sum += d * d;
                }
                return std::sqrt(sum);
            });
        });
}

// --- texts and keys ------------------------------------------------------------------------------

/// A hash of each of many short texts that lie behind each other.
__global__ void hash_texts(const byte* text, const u* start, u* out, u count)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    u hash = 2166136261U;
    for (u k = start[i]; k < start[i + 1]; ++k)
        hash = (hash ^ text[k]) * 16777619U;
    out[i] = hash;
}

bool try_hash_texts(const char* name)
{
    const u count = static_cast<u>(n / 32);
    std::vector<u> begin(count + 1);
    for (u i = 0; i < count; ++i)
        begin[i + 1] = begin[i] + 8 + mix(i) % 17;
    const Array<u> start(begin);
    const Array<byte> text(begin.back(), below(36, 256));
    const Array<u> out(count);
    return run(
        name, [&] { hash_texts<<<blocks(count, 256), 256>>>(text.memory, start.memory, out.memory, count); },
        [&] {
            const std::vector<u> now = out.now();
            return sampled(count, [&](size_t i) {
                u hash = 2166136261U;
                for (u k = begin[i]; k < begin[i + 1]; ++k)
                    hash = (hash ^ text.first[k]) * 16777619U;
                return now[i] == hash;
            });
        });
}

/// Where runs of equal keys begin: how many there are.
__global__ void count_runs(const u* keys, u* runs, size_t count)
{
    __shared__ u mine;
    if (threadIdx.x == 0)
        mine = 0;
    __syncthreads();
    const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    if (i < count && (i == 0 || keys[i] != keys[i - 1]))
        atomicAdd(&mine, 1U);
    __syncthreads();
    if (threadIdx.x == 0 && mine > 0)
        atomicAdd(runs, mine);
}

bool try_count_runs(const char* name)
{
    const Array<u> keys(n, [](size_t i) { return mix(static_cast<u>(i / 5)) % 1000; });
    Array<u> runs(1);
    return run(
        name, [&] { count_runs<<<blocks(n, 256), 256>>>(keys.memory, runs.memory, n); },
        [&] {
            u expected = 1;
            for (size_t i = 1; i < n; ++i)
                expected += keys.first[i] != keys.first[i - 1];
            return runs.now()[0] == expected;
        },
        [&] { runs.clear(); });
}

/// How many bits differ, of words of 64 bits.
__global__ void hamming(const unsigned long long* a, const unsigned long long* b, byte* out, size_t count)
{
    const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    if (i < count)
        out[i] = __popcll(a[i] ^ b[i]);
}

bool try_hamming(const char* name)
{
    const auto wide = [](u seed) {
        return [=](size_t i) {
            return static_cast<unsigned long long>(mix(static_cast<u>(i) + seed)) << 32 | mix(static_cast<u>(i) * 7 + seed);
        };
    };
    const Array<unsigned long long> a(n / 2, wide(37));
    const Array<unsigned long long> b(n / 2, wide(38));
    const Array<byte> out(n / 2);
    return run(
        name, [&] { hamming<<<blocks(n / 2, 128), 128>>>(a.memory, b.memory, out.memory, n / 2); },
        [&] { return matches(out, [&](size_t i) { return __builtin_popcountll(a.first[i] ^ b.first[i]); }); });
}

/// Sums of squares and products of two columns, as a regression needs them.
__global__ void moments(const float* x, const float* y, double* sums, size_t count)
{
    double own[4] = {};
    for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < count; i += size_t{gridDim.x} * blockDim.x) {
        own[0] += x[i];
        own[1] += y[i];
        own[2] += double{x[i]} * x[i];
        own[3] += double{x[i]} * y[i];
    }
    for (double& sum : own)
        for (int offset = 16; offset > 0; offset /= 2)
            sum += __shfl_down_sync(full, sum, offset);
    if (threadIdx.x % 32 == 0)
        for (int k = 0; k < 4; ++k)
            atomicAdd(&sums[k], own[k]);
}

bool try_moments(const char* name)
{
    const Array<float> x(n, noise(39));
    const Array<float> y(n, noise(40));
    Array<double> sums(4);
    return run(
        name, [&] { moments<<<528, 256>>>(x.memory, y.memory, sums.memory, n); },
        [&] {
            std::vector<double> expected(4);
            for (size_t i = 0; i < n; ++i) {
                expected[0] += x.first[i];
                expected[1] += y.first[i];
                expected[2] += double{x.first[i]} * x.first[i];
                expected[3] += double{x.first[i]} * y.first[i];
            }
            return matches(sums, expected);
        },
        [&] { sums.clear(); });
}

// --- numbers -------------------------------------------------------------------------------------

/// A polynomial of degree 15 at each point.
__global__ void polynomial(const float* x, float* out, size_t count)
{
    const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    if (i >= count)
        return;
    const float v = x[i];
    float sum = 0.0625F;
#pragma unroll
    for (int k = 15; k > 0; --k)
        sum = sum * v + 1.0F / static_cast<float>(k);
    out[i] = sum;
}

bool try_polynomial(const char* name)
{
    const Array<float> x(n, noise(41, -1));
    const Array<float> out(n);
    return run(
        name, [&] { polynomial<<<blocks(n, 512), 512>>>(x.memory, out.memory, n); },
        [&] {
            return matches(out, [&](size_t i) {
                double sum = 0.0625;
                for (int k = 15; k > 0; --k)
                    sum = sum * x.first[i] + 1.0 / k;
                return sum;
            });
        });
}

/// Two complex signals, multiplied.
__global__ void multiply_complex(const float2* a, const float2* b, float2* out, size_t count)
{
    const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    if (i >= count)
        return;
    const float2 p = a[i];
    const float2 q = b[i];
    out[i] = make_float2(p.x * q.x - p.y * q.y, p.x * q.y + p.y * q.x);
}

bool try_multiply_complex(const char* name)
{
    const auto two = [](u seed) { return [=](size_t i) { return make_float2(noise(seed)(2 * i), noise(seed)(2 * i + 1)); }; };
    const Array<float2> a(n / 2, two(42));
    const Array<float2> b(n / 2, two(43));
    const Array<float2> out(n / 2);
    return run(
        name, [&] { multiply_complex<<<blocks(n / 2, 256), 256>>>(a.memory, b.memory, out.memory, n / 2); },
        [&] {
            const std::vector<float2> now = out.now();
            return sampled(n / 2, [&](size_t i) {
                const float2 p = a.first[i];
                const float2 q = b.first[i];
                return near(now[i].x, double{p.x} * q.x - double{p.y} * q.y, 1e-4) &&
                       near(now[i].y, double{p.x} * q.y + double{p.y} * q.x, 1e-4);
            });
        });
}

/// Means of the 16 elements up to each, each thread on its own.
__global__ void moving_mean(const float* in, float* out, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float sum = 0;
    for (int k = 0; k < 16; ++k)
        sum += i >= k ? in[i - k] : 0.0F;
    out[i] = sum / 16;
}

bool try_moving_mean(const char* name)
{
    const Array<float> in(n, noise(44));
    const Array<float> out(n);
    return run(
        name, [&] { moving_mean<<<blocks(n, 256), 256>>>(in.memory, out.memory, static_cast<int>(n)); },
        [&] {
            return matches(out, [&](size_t i) {
                double sum = 0;
                for (size_t k = 0; k < 16 && k <= i; ++k)
                    sum += in.first[i - k];
                return sum / 16;
            });
        });
}

/// An option's value, backwards through a tree of 32 steps: a warp an option.
__global__ void binomial_tree(const float* strike, float* value, u options)
{
    const u warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (warp >= options)
        return;
    const float end = 100 * expf(0.05F * static_cast<float>(2 * lane - 31));
    float v = fmaxf(end - strike[warp], 0.0F);
#pragma unroll
    for (int step = 31; step > 0; --step) {
        const float up = __shfl_down_sync(full, v, 1);
        if (lane < step)
            v = 0.998F * (0.51F * up + 0.49F * v);
    }
    if (lane == 0)
        value[warp] = v;
}

bool try_binomial_tree(const char* name)
{
    const u options = static_cast<u>(n / 64);
    const Array<float> strike(options, noise(45, 80, 120));
    const Array<float> value(options);
    return run(
        name,
        [&] { binomial_tree<<<blocks(size_t{options} * 32, 128), 128>>>(strike.memory, value.memory, options); },
        [&] {
            return matches(value, [&](size_t i) {
                double tree[32];
                for (int k = 0; k < 32; ++k)
                    tree[k] = std::max(100 * std::exp(0.05 * (2 * k - 31)) - strike.first[i], 0.0);
                for (int step = 31; step > 0; --step)
                    for (int k = 0; k < step; ++k)
                        tree[k] = 0.998 * (0.51 * tree[k + 1] + 0.49 * tree[k]);
                return tree[0];
            }, 1e-3);
        });
}

/// Random numbers, each thread its own sequence of 16.
__global__ void lcg_fill(u* out, u threads)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    u state = i * 747796405U + 1;
#pragma unroll
    for (u k = 0; k < 16; ++k) {
        state = state * 1664525U + 1013904223U;
        out[k * threads + i] = (state ^ state >> 16) * 0x45d9f3bU;
    }
}

bool try_lcg_fill(const char* name)
{
    const u threads = static_cast<u>(n / 16);
    const Array<u> out(n);
    return run(
        name, [&] { lcg_fill<<<blocks(threads, 256), 256>>>(out.memory, threads); },
        [&] {
            const std::vector<u> now = out.now();
            return sampled(n, [&](size_t at) {
                u state = static_cast<u>(at % threads) * 747796405U + 1;
                for (size_t k = 0; k <= at / threads; ++k)
                    state = state * 1664525U + 1013904223U;
                return now[at] == (state ^ state >> 16) * 0x45d9f3bU;
            });
        });
}

/// The order in which a transform takes its elements.
__global__ void bit_reverse(const float2* in, float2* out, u bits)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    out[__brev(i) >> (32 - bits)] = in[i];
}

bool try_bit_reverse(const char* name)
{
    const u bits = static_cast<u>(log2n) - 1;
    const Array<float2> in(n / 2, [](size_t i) { return make_float2(static_cast<float>(i % 8191), noise(46)(i)); });
    const Array<float2> out(n / 2);
    return run(
        name, [&] { bit_reverse<<<blocks(n / 2, 256), 256>>>(in.memory, out.memory, bits); },
        [&] {
            const std::vector<float2> now = out.now();
            return sampled(n / 2, [&](size_t i) {
                size_t other = 0;
                for (u b = 0; b < bits; ++b)
                    other |= (i >> b & 1) << (bits - 1 - b);
                return now[i].x == in.first[other].x && now[i].y == in.first[other].y;
            });
        });
}

const Kernel kernels[] = {
    {"causal_conv", try_causal_conv},
    {"gelu_backward", try_gelu_backward},
    {"embedding_backward", try_embedding_backward},
    {"decode_scores", try_decode_scores},
    {"argmax_rows", try_argmax_rows},
    {"unpack_int4", try_unpack_int4},
    {"multiply_halves", try_multiply_halves},
    {"grid_sample", try_grid_sample},
    {"blur_down", try_blur_down},
    {"dilate", try_dilate},
    {"apply_table", try_apply_table},
    {"dct8", try_dct8},
    {"life", try_life},
    {"wave2d", try_wave2d},
    {"red_black", try_red_black},
    {"advect", try_advect},
    {"floyd_step", try_floyd_step},
    {"spread_labels", try_spread_labels},
    {"assign_clusters", try_assign_clusters},
    {"cosine_pairs", try_cosine_pairs},
    {"pairwise", try_pairwise},
    {"hash_texts", try_hash_texts},
    {"count_runs", try_count_runs},
    {"hamming", try_hamming},
    {"moments", try_moments},
    {"polynomial", try_polynomial},
    {"multiply_complex", try_multiply_complex},
    {"moving_mean", try_moving_mean},
    {"binomial_tree", try_binomial_tree},
    {"lcg_fill", try_lcg_fill},
    {"bit_reverse", try_bit_reverse},
};

int main(int argc, char** argv)
{
    return run_kernels(argc, argv, kernels);
}
