// Kernels as people write them, by somebody who had not seen the time model: some tuned, most of
// them not, of networks, sparse matrices, graphs, sorting, physics, finance, ciphers, texts and
// images. Each is followed by what launches it and by a check of what it leaves behind.
//
// kernel_set.hpp says what the program is told and prints. Of 2^18 numbers:
// WITH -DLOG2N=18
// RUN => 0 attention_scores,yes\n(\w+,yes\n){56}bilateral,yes
// SLOW
#include "kernel_set.hpp"

const char* const kernels_name = "workaday";

// --- networks ------------------------------------------------------------------------------------

/// One head of 64 channels, causal: a thread for each pair of a query and a key.
__global__ void attention_scores(const float* q, const float* k, float* scores, int time)
{
    const int key = blockIdx.x * blockDim.x + threadIdx.x;
    const int query = blockIdx.y * blockDim.y + threadIdx.y;
    if (key >= time || query >= time)
        return;
    if (key > query) {
        scores[query * time + key] = -1e9F;
        return;
    }
    float sum = 0;
    for (int c = 0; c < 64; ++c)
        sum += q[query * 64 + c] * k[key * 64 + c];
    scores[query * time + key] = sum * 0.125F;
}

bool try_attention_scores(const char* name)
{
    const int time = side(2);
    const Array<float> q(time * 64, noise(1, -1));
    const Array<float> k(time * 64, noise(2, -1));
    const Array<float> scores(static_cast<size_t>(time) * time);
    const dim3 grid(blocks(time, 16), blocks(time, 16));
    return run(
        name,
        [&] { attention_scores<<<grid, dim3(16, 16)>>>(q.memory, k.memory, scores.memory, time); },
        [&] {
            return matches(scores, [&](size_t i) {
                const float* query = &q.first[i / time * 64];
                const float* key = &k.first[i % time * 64];
                return i % time > i / time ? -1e9
                                           : std::inner_product(query, query + 64, key, 0.0) / 8;
            });
        });
}

/// A row a block: the maximum and the sum in one pass, then the quotients.
__global__ void softmax_online(const float* in, float* out, int columns)
{
    __shared__ float tops[256];
    __shared__ float sums[256];
    const float* x = in + static_cast<size_t>(blockIdx.x) * columns;
    float top = -1e30F;
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) {
        const float higher = fmaxf(top, x[i]);
        sum = sum * __expf(top - higher) + __expf(x[i] - higher);
        top = higher;
    }
    tops[threadIdx.x] = top;
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (u half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            const float other = tops[threadIdx.x + half];
            const float higher = fmaxf(tops[threadIdx.x], other);
            sums[threadIdx.x] = sums[threadIdx.x] * __expf(tops[threadIdx.x] - higher) +
                                sums[threadIdx.x + half] * __expf(other - higher);
            tops[threadIdx.x] = higher;
        }
        __syncthreads();
    }
    const float scale = 1 / sums[0];
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        out[static_cast<size_t>(blockIdx.x) * columns + i] = __expf(x[i] - tops[0]) * scale;
}

bool try_softmax_online(const char* name)
{
    const int columns = 4096;
    const Array<float> in(n, noise(3, -9, 9));
    const Array<float> out(n);
    return run(
        name, [&] { softmax_online<<<n / columns, 256>>>(in.memory, out.memory, columns); },
        [&] {
            const std::vector<float> got = out.now();
            for (size_t row = 0; row < n / columns; row += 1 + row / 4) {
                double sum = 0;
                for (int c = 0; c < columns; ++c)
                    sum += std::exp(in.first[row * columns + c]);
                for (size_t i = row * columns; i < (row + 1) * columns; ++i)
                    if (std::fabs(got[i] * sum / std::exp(in.first[i]) - 1) > 1e-3)
                        return false;
            }
            return true;
        });
}

/// A group of channels of a sample a block; they lie side by side in NCHW.
__global__ void group_norm(const float* in, const float* weight, const float* bias, float* out,
                           int groups, int channels_each, int pixels)
{
    __shared__ float sums[512];
    __shared__ float squares[512];
    const int count = channels_each * pixels;
    const size_t base = static_cast<size_t>(blockIdx.x) * count;
    float sum = 0;
    float square = 0;
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        const float x = in[base + i];
        sum += x;
        square += x * x;
    }
    sums[threadIdx.x] = sum;
    squares[threadIdx.x] = square;
    for (u half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
            squares[threadIdx.x] += squares[threadIdx.x + half];
        }
    }
    __syncthreads();
    const float mean = sums[0] / count;
    const float scale = rsqrtf(squares[0] / count - mean * mean + 1e-5F);
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        const int channel = blockIdx.x % groups * channels_each + i / pixels;
        out[base + i] = (in[base + i] - mean) * scale * weight[channel] + bias[channel];
    }
}

bool try_group_norm(const char* name)
{
    const int groups = 32;
    const int each = 4;
    const int pixels = 1024;
    const Array<float> in(n, noise(4, -1, 2));
    const Array<float> weight(groups * each, noise(5));
    const Array<float> bias(groups * each, noise(6));
    const Array<float> out(n);
    return run(
        name,
        [&] {
            group_norm<<<n / (each * pixels), 512>>>(in.memory, weight.memory, bias.memory,
                                                     out.memory, groups, each, pixels);
        },
        [&] {
            const std::vector<float> got = out.now();
            const size_t count = each * pixels;
            for (size_t group = 0; group < n / count; group += 1 + group / 4) {
                const float* x = &in.first[group * count];
                const double mean = std::accumulate(x, x + count, 0.0) / count;
                const double variance =
                    std::inner_product(x, x + count, x, 0.0) / count - mean * mean;
                for (size_t i = 0; i < count; ++i) {
                    const size_t channel = group % groups * each + i / pixels;
                    const double expected =
                        (x[i] - mean) / std::sqrt(variance + 1e-5) * weight.first[channel];
                    if (!near(got[group * count + i], expected + bias.first[channel], 1e-3))
                        return false;
                }
            }
            return true;
        });
}

/// Padded by zeros. A thread computes a pixel of one of the output channels.
__global__ void conv3x3_nchw(const float* in, const float* weight, float* out, int channels,
                             int outputs, int size)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int output = blockIdx.z % outputs;
    const int image = blockIdx.z / outputs;
    if (x >= size || y >= size)
        return;
    float sum = 0;
    for (int c = 0; c < channels; ++c)
        for (int ky = 0; ky < 3; ++ky)
            for (int kx = 0; kx < 3; ++kx) {
                const int iy = y + ky - 1;
                const int ix = x + kx - 1;
                if (iy >= 0 && iy < size && ix >= 0 && ix < size)
                    sum += in[((image * channels + c) * size + iy) * size + ix] *
                           weight[((output * channels + c) * 3 + ky) * 3 + kx];
            }
    out[((image * outputs + output) * size + y) * size + x] = sum;
}

bool try_conv3x3_nchw(const char* name)
{
    const int images = 4;
    const int channels = 32;
    const int outputs = 64;
    const int size = side(12);
    const int pixels = size * size;
    const Array<float> in(images * channels * pixels, noise(7, -1));
    const Array<float> weight(outputs * channels * 9, noise(8, -1));
    const Array<float> out(images * outputs * pixels);
    const dim3 grid(blocks(size, 16), blocks(size, 16), images * outputs);
    return run(
        name,
        [&] {
            conv3x3_nchw<<<grid, dim3(16, 16)>>>(in.memory, weight.memory, out.memory, channels,
                                                 outputs, size);
        },
        [&] {
            return matches(out, [&](size_t i) {
                const int x = i % size;
                const int y = i / size % size;
                const size_t plane = i / pixels / outputs * channels;
                double sum = 0;
                for (int c = 0; c < channels; ++c)
                    for (int k = 0; k < 9; ++k) {
                        const int iy = y + k / 3 - 1;
                        const int ix = x + k % 3 - 1;
                        if (std::min(ix, iy) >= 0 && std::max(ix, iy) < size)
                            sum += in.first[(plane + c) * pixels + iy * size + ix] *
                                   weight.first[(i / pixels % outputs * channels + c) * 9 + k];
                    }
                return sum;
            });
        });
}

/// Channels last: neighbouring threads have neighbouring output channels and share the pixels they
/// read.
__global__ void conv3x3_nhwc(const float* in, const float* weight, const float* bias, float* out,
                             int channels, int size)
{
    const int output = threadIdx.x;
    const int outputs = blockDim.x;
    const int x = blockIdx.x;
    const int y = blockIdx.y;
    const int image = blockIdx.z;
    float sum = bias[output];
    for (int ky = 0; ky < 3; ++ky) {
        const int iy = y + ky - 1;
        if (iy < 0 || iy >= size)
            continue;
        for (int kx = 0; kx < 3; ++kx) {
            const int ix = x + kx - 1;
            if (ix < 0 || ix >= size)
                continue;
            const float* pixel = in + ((image * size + iy) * size + ix) * channels;
            const float* w = weight + (ky * 3 + kx) * channels * outputs + output;
            for (int c = 0; c < channels; ++c)
                sum += pixel[c] * w[c * outputs];
        }
    }
    out[((image * size + y) * size + x) * outputs + output] = fmaxf(sum, 0);
}

bool try_conv3x3_nhwc(const char* name)
{
    const int images = 4;
    const int channels = 64;
    const int outputs = 128;
    const int size = side(14);
    const Array<float> in(images * size * size * channels, noise(9, -1));
    const Array<float> weight(9 * channels * outputs, noise(10, -1));
    const Array<float> bias(outputs, noise(11));
    const Array<float> out(images * size * size * outputs);
    return run(
        name,
        [&] {
            conv3x3_nhwc<<<dim3(size, size, images), outputs>>>(
                in.memory, weight.memory, bias.memory, out.memory, channels, size);
        },
        [&] {
            return matches(out, [&](size_t i) {
                const int output = i % outputs;
                const int x = i / outputs % size;
                const int y = i / outputs / size % size;
                const int image = i / outputs / size / size;
                double sum = bias.first[output];
                for (int k = 0; k < 9; ++k) {
                    const int iy = y + k / 3 - 1;
                    const int ix = x + k % 3 - 1;
                    for (int c = 0;
                         c < channels && std::min(ix, iy) >= 0 && std::max(ix, iy) < size; ++c)
                        sum += in.first[((image * size + iy) * size + ix) * channels + c] *
                               weight.first[(k * channels + c) * outputs + output];
                }
                return std::max(sum, 0.0);
            });
        });
}

__global__ void depthwise3x3(const float* in, const float* weight, float* out, int channels,
                             int size, u count)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const int x = i % size;
    const int y = i / size % size;
    const int plane = i / size / size;
    const float* w = weight + plane % channels * 9;
    float sum = 0;
    for (int ky = 0; ky < 3; ++ky)
        for (int kx = 0; kx < 3; ++kx) {
            const int iy = y + ky - 1;
            const int ix = x + kx - 1;
            if (iy >= 0 && iy < size && ix >= 0 && ix < size)
                sum += in[(plane * size + iy) * size + ix] * w[ky * 3 + kx];
        }
    out[i] = sum;
}

bool try_depthwise3x3(const char* name)
{
    const int size = 112;
    const int channels = 8;
    const size_t count = n / 2 / (size * size) * size * size;
    const Array<float> in(count, noise(12, -1));
    const Array<float> weight(channels * 9, noise(13, -1));
    const Array<float> out(count);
    return run(
        name,
        [&] {
            depthwise3x3<<<blocks(count, 256), 256>>>(in.memory, weight.memory, out.memory,
                                                      channels, size, count);
        },
        [&] {
            return matches(out, [&](size_t i) {
                const int x = i % size;
                const int y = i / size % size;
                const size_t plane = i / size / size;
                double sum = 0;
                for (int k = 0; k < 9; ++k) {
                    const int ix = x + k % 3 - 1;
                    const int iy = y + k / 3 - 1;
                    if (std::min(ix, iy) >= 0 && std::max(ix, iy) < size)
                        sum += weight.first[plane % channels * 9 + k] *
                               in.first[(plane * size + iy) * size + ix];
                }
                return sum;
            });
        });
}

/// Windows of 3x3 that overlap by one, and where in the plane the largest was found: for the way
/// back.
__global__ void max_pool(const float* in, float* out, int* where, int size, u count)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const int half = size / 2;
    const int x = i % half;
    const int y = i / half % half;
    const float* plane = in + static_cast<size_t>(i / half / half) * size * size;
    float top = -1e30F;
    int at = -1;
    for (int iy = max(2 * y - 1, 0); iy <= 2 * y + 1; ++iy)
        for (int ix = max(2 * x - 1, 0); ix <= 2 * x + 1; ++ix)
            if (plane[iy * size + ix] > top) {
                at = iy * size + ix;
                top = plane[at];
            }
    out[i] = top;
    where[i] = at;
}

bool try_max_pool(const char* name)
{
    const int size = 64;
    const Array<float> in(n, noise(14, -1));
    const Array<float> out(n / 4);
    const Array<int> where(n / 4);
    return run(
        name,
        [&] {
            max_pool<<<blocks(n / 4, 256), 256>>>(in.memory, out.memory, where.memory, size, n / 4);
        },
        [&] {
            const std::vector<int> places = where.now();
            return matches(out, [&](size_t i) {
                const int x = i % (size / 2);
                const int y = i / (size / 2) % (size / 2);
                const float* plane = &in.first[i / (size * size / 4) * size * size];
                float top = -1;
                for (int k = 0; k < 9; ++k)
                    top = std::max(top, plane[std::max(2 * y + k / 3 - 1, 0) * size +
                                              std::max(2 * x + k % 3 - 1, 0)]);
                return plane[places[i]] == top ? top : 1e9F;
            });
        });
}

/// To twice the width and height; pixels lie in the middle of their squares.
__global__ void upsample_bilinear(const float* in, float* out, int size, u count)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const int wide = 2 * size;
    const float x = fmaxf((i % wide + 0.5F) / 2 - 0.5F, 0);
    const float y = fmaxf((i / wide % wide + 0.5F) / 2 - 0.5F, 0);
    const float* plane = in + static_cast<size_t>(i / wide / wide) * size * size;
    const int x0 = static_cast<int>(x);
    const int y0 = static_cast<int>(y);
    const int x1 = min(x0 + 1, size - 1);
    const int y1 = min(y0 + 1, size - 1);
    const float fx = x - x0;
    const float fy = y - y0;
    out[i] = (1 - fy) * ((1 - fx) * plane[y0 * size + x0] + fx * plane[y0 * size + x1]) +
             fy * ((1 - fx) * plane[y1 * size + x0] + fx * plane[y1 * size + x1]);
}

bool try_upsample_bilinear(const char* name)
{
    const int size = 64;
    const Array<float> in(n / 4, noise(15));
    const Array<float> out(n);
    return run(
        name, [&] { upsample_bilinear<<<blocks(n, 256), 256>>>(in.memory, out.memory, size, n); },
        [&] {
            // Each output takes 3/4 of the nearer pixel in each direction and 1/4 of the farther
            // one.
            return matches(out, [&](size_t i) {
                const int x = i % (2 * size);
                const int y = i / (2 * size) % (2 * size);
                const float* plane = &in.first[i / (4 * size * size) * size * size];
                const int fx = std::min(std::max(x / 2 + (x % 2 ? 1 : -1), 0), size - 1);
                const int fy = std::min(std::max(y / 2 + (y % 2 ? 1 : -1), 0), size - 1);
                const double near_row =
                    0.75 * plane[y / 2 * size + x / 2] + 0.25 * plane[y / 2 * size + fx];
                const double far_row =
                    0.75 * plane[fy * size + x / 2] + 0.25 * plane[fy * size + fx];
                return 0.75 * near_row + 0.25 * far_row;
            });
        });
}

/// For each pixel of each channel its neighbourhood becomes nine rows of a matrix, so that a
/// product convolves.
__global__ void im2col(const float* in, float* columns, int size, u count)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const int x = i % size;
    const int y = i / size % size;
    const int channel = i / size / size;
    const size_t pixels = static_cast<size_t>(size) * size;
    float* column = columns + channel * 9 * pixels + y * size + x;
    for (int ky = -1; ky <= 1; ++ky)
        for (int kx = -1; kx <= 1; ++kx) {
            const bool inside = y + ky >= 0 && y + ky < size && x + kx >= 0 && x + kx < size;
            *column = inside ? in[channel * pixels + (y + ky) * size + x + kx] : 0;
            column += pixels;
        }
}

bool try_im2col(const char* name)
{
    const int size = 64;
    const Array<float> in(n / 4, noise(16, 1, 2));
    const Array<float> columns(in.size * 9);
    return run(
        name,
        [&] { im2col<<<blocks(in.size, 512), 512>>>(in.memory, columns.memory, size, in.size); },
        [&] {
            return matches(columns, [&](size_t i) {
                const int x = i % size + i / (size * size) % 3 - 1;
                const int y = i / size % size + i / (size * size) % 9 / 3 - 1;
                const bool inside = std::min(x, y) >= 0 && std::max(x, y) < size;
                return inside ? in.first[i / (9 * size * size) * size * size + y * size + x] : 0;
            });
        });
}

/// The eight largest of each row, by a warp that takes the largest away eight times.
__global__ void top8_warp(const float* in, float* values, int* indices, u rows)
{
    const u row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float own[16];
#pragma unroll
    for (int k = 0; k < 16; ++k)
        own[k] = in[row * size_t{512} + k * 32 + lane];
    for (int taken = 0; taken < 8; ++taken) {
        float top = -1e30F;
        int at = 0;
#pragma unroll
        for (int k = 0; k < 16; ++k)
            if (own[k] > top) {
                top = own[k];
                at = k * 32 + lane;
            }
        for (int offset = 16; offset > 0; offset /= 2) {
            const float other = __shfl_xor_sync(full, top, offset);
            const int other_at = __shfl_xor_sync(full, at, offset);
            if (other > top || (other == top && other_at < at)) {
                top = other;
                at = other_at;
            }
        }
        if (lane == 0) {
            values[row * 8 + taken] = top;
            indices[row * 8 + taken] = at;
        }
#pragma unroll
        for (int k = 0; k < 16; ++k)
            if (at == k * 32 + lane)
                own[k] = -1e30F;
    }
}

bool try_top8_warp(const char* name)
{
    const u rows = n / 512;
    const Array<float> in(n, noise(17, -5, 5));
    const Array<float> values(rows * 8);
    const Array<int> indices(rows * 8);
    return run(
        name,
        [&] {
            top8_warp<<<blocks(rows, 4), 128>>>(in.memory, values.memory, indices.memory, rows);
        },
        [&] {
            const std::vector<int> places = indices.now();
            return matches(values, [&](size_t i) {
                std::vector<float> row(&in.first[i / 8 * 512], &in.first[i / 8 * 512] + 512);
                const float there = row[places[i]];
                std::nth_element(row.begin(), row.begin() + i % 8, row.end(), std::greater<>());
                return there == row[i % 8] ? there : 1e9F;
            });
        });
}

__global__ void dropout(const float* in, float* out, byte* mask, float probability, u seed,
                        size_t count)
{
    const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    if (i >= count)
        return;
    const float random = (mix(static_cast<u>(i) ^ seed) >> 8) * (1.0F / 16777216);
    const bool keep = random >= probability;
    mask[i] = keep;
    out[i] = keep ? in[i] / (1 - probability) : 0;
}

bool try_dropout(const char* name)
{
    const Array<float> in(2 * n, noise(18, 1, 2));
    const Array<float> out(2 * n);
    const Array<byte> mask(2 * n);
    return run(
        name,
        [&] {
            dropout<<<blocks(2 * n, 256), 256>>>(in.memory, out.memory, mask.memory, 0.25F, 77,
                                                 2 * n);
        },
        [&] {
            const std::vector<byte> kept = mask.now();
            const double share =
                static_cast<double>(std::count(kept.begin(), kept.end(), 1)) / kept.size();
            return std::fabs(share - 0.75) < 0.01 && matches(out, [&](size_t i) {
                       const bool keep = mix(static_cast<u>(i) ^ 77) >> 30 != 0;
                       return kept[i] != keep ? 1e9 : keep ? in.first[i] / 0.75 : 0;
                   });
        });
}

/// The new token's keys and values go to the end of each sequence: 8 heads of 128 halves.
__global__ void cache_append(const half* keys, const half* values, half* key_cache,
                             half* value_cache, const int* lengths, int capacity)
{
    const int head = blockIdx.x;
    const int sequence = blockIdx.y;
    const size_t from = (sequence * gridDim.x + head) * blockDim.x + threadIdx.x;
    const size_t to =
        ((sequence * size_t{gridDim.x} + head) * capacity + lengths[sequence]) * blockDim.x +
        threadIdx.x;
    key_cache[to] = keys[from];
    value_cache[to] = values[from];
}

bool try_cache_append(const char* name)
{
    const int batch = 64;
    const int heads = 8;
    const int width = 128;
    const int capacity = static_cast<int>(n / (batch * heads * width) + 1);
    const Array<half> keys(batch * heads * width, noise(19, 1, 2));
    const Array<half> values(keys.size, noise(20, 1, 2));
    const Array<half> key_cache(keys.size * capacity);
    const Array<half> value_cache(keys.size * capacity);
    const Array<int> lengths(batch, below(21, capacity));
    return run(
        name,
        [&] {
            cache_append<<<dim3(heads, batch), width>>>(keys.memory, values.memory,
                                                        key_cache.memory, value_cache.memory,
                                                        lengths.memory, capacity);
        },
        [&] {
            const std::vector<half> all_keys = key_cache.now();
            const std::vector<half> all_values = value_cache.now();
            for (size_t i = 0; i < all_keys.size(); ++i) {
                const size_t head = i / width / capacity;
                const bool here =
                    i / width % capacity == static_cast<size_t>(lengths.first[head / heads]);
                const size_t from = head * width + i % width;
                if (__half2float(all_keys[i]) != (here ? __half2float(keys.first[from]) : 0) ||
                    __half2float(all_values[i]) != (here ? __half2float(values.first[from]) : 0))
                    return false;
            }
            return true;
        });
}

/// silu(gate) * up, as between the matrices of a feed-forward network.
__global__ void gate_half2(const half2* gate, const half2* up, half2* out, size_t count)
{
    const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    if (i >= count)
        return;
    const float2 g = __half22float2(gate[i]);
    const float2 x = __half22float2(up[i]);
    out[i] = __floats2half2_rn(g.x / (1 + __expf(-g.x)) * x.x, g.y / (1 + __expf(-g.y)) * x.y);
}

bool try_gate_half2(const char* name)
{
    const Array<half> gate(2 * n, noise(22, -4, 4));
    const Array<half> up(2 * n, noise(23, -1));
    const Array<half> out(2 * n);
    const auto pairs = [](half* memory) { return reinterpret_cast<half2*>(memory); };
    return run(
        name,
        [&] {
            gate_half2<<<blocks(n, 256), 256>>>(pairs(gate.memory), pairs(up.memory),
                                                pairs(out.memory), n);
        },
        [&] {
            const std::vector<half> got = out.now();
            return sampled(got.size(), [&](size_t i) {
                const double g = __half2float(gate.first[i]);
                return near(__half2float(got[i]),
                            g / (1 + std::exp(-g)) * __half2float(up.first[i]), 1e-3);
            });
        });
}

/// What an optimiser's float weights become for the next forward pass.
__global__ void to_bfloat(const float4* in, __nv_bfloat162* out, size_t count)
{
    const size_t step = gridDim.x * size_t{blockDim.x};
    for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < count; i += step) {
        const float4 v = in[i];
        out[2 * i] = __floats2bfloat162_rn(v.x, v.y);
        out[2 * i + 1] = __floats2bfloat162_rn(v.z, v.w);
    }
}

bool try_to_bfloat(const char* name)
{
    const Array<float> in(4 * n, noise(24, -1));
    const Array<__nv_bfloat16> out(4 * n);
    return run(
        name,
        [&] {
            to_bfloat<<<2048, 256>>>(reinterpret_cast<float4*>(in.memory),
                                     reinterpret_cast<__nv_bfloat162*>(out.memory), n);
        },
        [&] {
            const std::vector<__nv_bfloat16> got = out.now();
            return sampled(got.size(), [&](size_t i) {
                const double error = __bfloat162float(got[i]) - in.first[i];
                return std::fabs(error) <= std::fabs(in.first[i]) / 256;
            });
        });
}

/// A row of 8-bit weights a block, with a scale for each row.
__global__ void int8_matrix_vector(const char4* weight, const float* scales, const float4* x,
                                   float* y, int columns)
{
    __shared__ float parts[4];
    const char4* row = weight + static_cast<size_t>(blockIdx.x) * (columns / 4);
    float sum = 0;
    for (int i = threadIdx.x; i < columns / 4; i += blockDim.x) {
        const char4 w = row[i];
        const float4 v = x[i];
        sum += w.x * v.x + w.y * v.y + w.z * v.z + w.w * v.w;
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(full, sum, offset);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        y[blockIdx.x] = (parts[0] + parts[1] + parts[2] + parts[3]) * scales[blockIdx.x];
}

bool try_int8_matrix_vector(const char* name)
{
    const int columns = 4096;
    const size_t rows = 4 * n / columns;
    const Array<signed char> weight(
        rows * columns, [](size_t i) { return static_cast<int>(below(25, 255)(i)) - 127; });
    const Array<float> scales(rows, noise(26, 0.001F, 0.01F));
    const Array<float> x(columns, noise(27, -1));
    const Array<float> y(rows);
    return run(
        name,
        [&] {
            int8_matrix_vector<<<rows, 128>>>(reinterpret_cast<char4*>(weight.memory),
                                              scales.memory, reinterpret_cast<float4*>(x.memory),
                                              y.memory, columns);
        },
        [&] {
            return matches(y, [&](size_t row) {
                const signed char* w = &weight.first[row * columns];
                return std::inner_product(w, w + columns, x.first.data(), 0.0) * scales.first[row];
            });
        });
}

/// The largest magnitude of each channel, channels last: what a quantisation scales by.
__global__ void channel_max(const float* in, u* tops, int channels, int rows_each)
{
    const int channel = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t first = blockIdx.y * size_t(rows_each);
    float top = 0;
    for (int r = 0; r < rows_each; ++r)
        top = fmaxf(top, fabsf(in[(first + r) * channels + channel]));
    atomicMax(tops + channel,
              __float_as_uint(top)); // of floats that are not negative the bits have the same order
}

bool try_channel_max(const char* name)
{
    const int channels = 512;
    const int rows_each = 64;
    const Array<float> in(2 * n, noise(28, -1));
    Array<u> tops(channels);
    const dim3 grid(channels / 128, in.size / channels / rows_each);
    return run(
        name, [&] { channel_max<<<grid, 128>>>(in.memory, tops.memory, channels, rows_each); },
        [&] {
            std::vector<float> expected(channels);
            for (size_t i = 0; i < in.size; ++i)
                expected[i % channels] = std::max(expected[i % channels], std::fabs(in.first[i]));
            return std::memcmp(tops.now().data(), expected.data(), channels * sizeof(float)) == 0;
        },
        [&] { tops.clear(); });
}

// --- matrices ------------------------------------------------------------------------------------

/// Whether c is the product of two square matrices: at sampled places.
bool is_product(const Array<float>& a, const Array<float>& b, const Array<float>& c, size_t size)
{
    return matches(c, [&](size_t i) {
        double sum = 0;
        for (size_t k = 0; k < size; ++k)
            sum += a.first[i / size * size + k] * b.first[k * size + i % size];
        return sum;
    });
}

__global__ void matmul_naive(const float* a, const float* b, float* c, int size)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= size || column >= size)
        return;
    float sum = 0;
    for (int k = 0; k < size; ++k)
        sum += a[row * size + k] * b[k * size + column];
    c[row * size + column] = sum;
}

__global__ void matmul_tiled(const float* a, const float* b, float* c, int size)
{
    __shared__ float as[32][32];
    __shared__ float bs[32][32];
    const int row = blockIdx.y * 32 + threadIdx.y;
    const int column = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    for (int tile = 0; tile < size; tile += 32) {
        as[threadIdx.y][threadIdx.x] = a[row * size + tile + threadIdx.x];
        bs[threadIdx.y][threadIdx.x] = b[(tile + threadIdx.y) * size + column];
        __syncthreads();
        for (int k = 0; k < 32; ++k)
            sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    c[row * size + column] = sum;
}

/// Each of 256 threads keeps 4x4 elements of the block's 64x64 in registers.
__global__ void matmul_registers(const float* a, const float* b, float* c, int size)
{
    __shared__ float as[16]
                       [64 + 4]; // transposed; padded, so that its stores meet fewer bank conflicts
    __shared__ float bs[16][64];
    const int tx = threadIdx.x % 16;
    const int ty = threadIdx.x / 16;
    const int row = blockIdx.y * 64;
    const int column = blockIdx.x * 64;
    float sums[4][4] = {};
    for (int tile = 0; tile < size; tile += 16) {
        for (int i = threadIdx.x; i < 16 * 64; i += 256) {
            as[i % 16][i / 16] = a[(row + i / 16) * size + tile + i % 16];
            bs[i / 64][i % 64] = b[(tile + i / 64) * size + column + i % 64];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            const float4 left = *reinterpret_cast<const float4*>(&as[k][ty * 4]);
            const float4 right = *reinterpret_cast<const float4*>(&bs[k][tx * 4]);
            const float l[4] = {left.x, left.y, left.z, left.w};
            const float r[4] = {right.x, right.y, right.z, right.w};
#pragma unroll
            for (int y = 0; y < 4; ++y)
#pragma unroll
                for (int x = 0; x < 4; ++x)
                    sums[y][x] += l[y] * r[x];
        }
        __syncthreads();
    }
#pragma unroll
    for (int y = 0; y < 4; ++y)
        *reinterpret_cast<float4*>(c + (row + ty * 4 + y) * size + column + tx * 4) =
            make_float4(sums[y][0], sums[y][1], sums[y][2], sums[y][3]);
}

template<class Multiply>
bool try_matmul(const char* name, Multiply multiply)
{
    const int size = side(4);
    const size_t count = static_cast<size_t>(size) * size;
    const Array<float> a(count, noise(29, -1));
    const Array<float> b(count, noise(30, -1));
    const Array<float> c(count);
    return run(
        name, [&] { multiply(a.memory, b.memory, c.memory, size); },
        [&] { return is_product(a, b, c, size); });
}

bool try_matmul_naive(const char* name)
{
    return try_matmul(name, [](const float* a, const float* b, float* c, int size) {
        matmul_naive<<<dim3(size / 16, size / 16), dim3(16, 16)>>>(a, b, c, size);
    });
}

bool try_matmul_tiled(const char* name)
{
    return try_matmul(name, [](const float* a, const float* b, float* c, int size) {
        matmul_tiled<<<dim3(size / 32, size / 32), dim3(32, 32)>>>(a, b, c, size);
    });
}

bool try_matmul_registers(const char* name)
{
    return try_matmul(name, [](const float* a, const float* b, float* c, int size) {
        matmul_registers<<<dim3(size / 64, size / 64), 256>>>(a, b, c, size);
    });
}

/// Each thread multiplies two matrices of 4x4, as of joints of a skeleton.
__global__ void multiply4x4(const float4* a, const float4* b, float4* c, size_t count)
{
    const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    if (i >= count)
        return;
    const float4 b0 = b[4 * i];
    const float4 b1 = b[4 * i + 1];
    const float4 b2 = b[4 * i + 2];
    const float4 b3 = b[4 * i + 3];
    for (int row = 0; row < 4; ++row) {
        const float4 l = a[4 * i + row];
        c[4 * i + row] = make_float4(l.x * b0.x + l.y * b1.x + l.z * b2.x + l.w * b3.x,
                                     l.x * b0.y + l.y * b1.y + l.z * b2.y + l.w * b3.y,
                                     l.x * b0.z + l.y * b1.z + l.z * b2.z + l.w * b3.z,
                                     l.x * b0.w + l.y * b1.w + l.z * b2.w + l.w * b3.w);
    }
}

bool try_multiply4x4(const char* name)
{
    const Array<float> a(n, noise(31, -1));
    const Array<float> b(n, noise(32, -1));
    const Array<float> c(n);
    const auto rows = [](float* memory) { return reinterpret_cast<float4*>(memory); };
    return run(
        name,
        [&] {
            multiply4x4<<<blocks(n / 16, 128), 128>>>(rows(a.memory), rows(b.memory),
                                                      rows(c.memory), n / 16);
        },
        [&] {
            return matches(c, [&](size_t i) {
                double sum = 0;
                for (size_t k = 0; k < 4; ++k)
                    sum += a.first[i / 4 * 4 + k] * b.first[i / 16 * 16 + k * 4 + i % 4];
                return sum;
            });
        });
}

/// A matrix of the batch for each z, by tiles that four rows of threads carry.
__global__ void transpose_batch(const double* in, double* out, int width, int height)
{
    __shared__ double tile[16][17];
    const size_t matrix = blockIdx.z * size_t(width) * height;
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    for (int k = 0; k < 16; k += 4)
        tile[threadIdx.y + k][threadIdx.x] = in[matrix + (y + k) * width + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    y = blockIdx.x * 16 + threadIdx.y;
    for (int k = 0; k < 16; k += 4)
        out[matrix + (y + k) * height + x] = tile[threadIdx.x][threadIdx.y + k];
}

bool try_transpose_batch(const char* name)
{
    const int width = 128;
    const int height = 64;
    const Array<double> in(n / 2, noise(33));
    const Array<double> out(n / 2);
    const dim3 grid(width / 16, height / 16, in.size / (width * height));
    return run(
        name, [&] { transpose_batch<<<grid, dim3(16, 4)>>>(in.memory, out.memory, width, height); },
        [&] {
            return matches(
                out,
                [&](size_t i) {
                    const size_t matrix = i / (width * height) * (width * height);
                    return in.first[matrix + i % height * width + i / height % width];
                },
                0);
        });
}

/// Many systems of three diagonals at once, interleaved: a thread eliminates and substitutes for
/// one (Thomas).
__global__ void tridiagonal(const float* lower, const float* diagonal, const float* upper,
                            const float* right, float* factors, float* x, int length, int systems)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems)
        return;
    float factor = upper[s] / diagonal[s];
    float value = right[s] / diagonal[s];
    factors[s] = factor;
    x[s] = value;
    for (int k = 1; k < length; ++k) {
        const size_t i = static_cast<size_t>(k) * systems + s;
        const float scale = 1 / (diagonal[i] - lower[i] * factor);
        factor = upper[i] * scale;
        value = (right[i] - lower[i] * value) * scale;
        factors[i] = factor;
        x[i] = value;
    }
    for (int k = length - 2; k >= 0; --k) {
        const size_t i = static_cast<size_t>(k) * systems + s;
        value = x[i] - factors[i] * value;
        x[i] = value;
    }
}

bool try_tridiagonal(const char* name)
{
    const int length = 128;
    const size_t systems = n / 2 / length;
    const Array<float> lower(n / 2, noise(34, -1));
    const Array<float> diagonal(n / 2, noise(35, 3, 4));
    const Array<float> upper(n / 2, noise(36, -1));
    const Array<float> right(n / 2, noise(37, -1));
    const Array<float> factors(n / 2);
    const Array<float> x(n / 2);
    return run(
        name,
        [&] {
            tridiagonal<<<blocks(systems, 128), 128>>>(lower.memory, diagonal.memory, upper.memory,
                                                       right.memory, factors.memory, x.memory,
                                                       length, systems);
        },
        [&] {
            const std::vector<float> found = x.now();
            return sampled(x.size, [&](size_t i) {
                double sum = diagonal.first[i] * found[i];
                if (i >= systems)
                    sum += lower.first[i] * found[i - systems];
                if (i + systems < x.size)
                    sum += upper.first[i] * found[i + systems];
                return near(sum, right.first[i], 1e-4);
            });
        });
}

/// As BLAS has it: every third x, every second y.
__global__ void axpy_strided(int count, float factor, const float* x, int step_x, float* y,
                             int step_y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        y[static_cast<size_t>(i) * step_y] += factor * x[static_cast<size_t>(i) * step_x];
}

bool try_axpy_strided(const char* name)
{
    const Array<float> x(3 * n, noise(38, -1));
    const Array<float> y(2 * n, noise(39, -1));
    return run(
        name, [&] { axpy_strided<<<blocks(n, 256), 256>>>(n, 0.5F, x.memory, 3, y.memory, 2); },
        [&] {
            return matches(y, [&](size_t i) {
                return y.first[i] + (i % 2 == 0 ? 0.5 * x.first[i / 2 * 3] : 0);
            });
        });
}

__global__ void dot(const float4* x, const float4* y, float* out, size_t count)
{
    __shared__ float parts[8];
    float sum = 0;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const float4 a = x[i];
        const float4 b = y[i];
        sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(full, sum, offset);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < 8 ? parts[threadIdx.x] : 0;
        for (int offset = 4; offset > 0; offset /= 2)
            sum += __shfl_down_sync(full, sum, offset);
        if (threadIdx.x == 0)
            atomicAdd(out, sum);
    }
}

bool try_dot(const char* name)
{
    const Array<float> x(4 * n, noise(40));
    const Array<float> y(4 * n, noise(41));
    Array<float> out(1);
    const auto fours = [](float* memory) { return reinterpret_cast<float4*>(memory); };
    return run(
        name, [&] { dot<<<1024, 256>>>(fours(x.memory), fours(y.memory), out.memory, n); },
        [&] {
            const double sum =
                std::inner_product(x.first.begin(), x.first.end(), y.first.begin(), 0.0);
            return near(out.now()[0], sum, 1e-5);
        },
        [&] { out.clear(); });
}

// --- sparse matrices and graphs ------------------------------------------------------------------

/// Where rows begin whose lengths differ as those of real graphs do: one in sixteen is eight times
/// as long.
std::vector<u> uneven_starts(size_t rows, u seed)
{
    std::vector<u> start(rows + 1);
    for (size_t i = 0; i < rows; ++i) {
        const u random = below(seed, 1U << 16)(i);
        start[i + 1] = start[i] + (2 + random % 15) * (random >> 12 == 0 ? 8 : 1);
    }
    return start;
}

/// Eight lanes a row.
__global__ void sparse_eight(const u* start, const u* column, const float* value, const float* x,
                             float* y, u rows)
{
    const u row = (blockIdx.x * blockDim.x + threadIdx.x) / 8;
    const u lane = threadIdx.x % 8;
    float sum = 0;
    if (row < rows)
        for (u k = start[row] + lane; k < start[row + 1]; k += 8)
            sum += value[k] * x[column[k]];
    for (int offset = 4; offset > 0; offset /= 2)
        sum += __shfl_down_sync(full, sum, offset, 8);
    if (lane == 0 && row < rows)
        y[row] = sum;
}

bool try_sparse_eight(const char* name)
{
    const size_t rows = n / 16;
    const Array<u> start(uneven_starts(rows, 42));
    const Array<u> column(start.first.back(), below(43, rows));
    const Array<float> value(column.size, noise(44, -1));
    const Array<float> x(rows, noise(45, -1));
    const Array<float> y(rows);
    return run(
        name,
        [&] {
            sparse_eight<<<blocks(rows * 8, 256), 256>>>(start.memory, column.memory, value.memory,
                                                         x.memory, y.memory, rows);
        },
        [&] {
            return matches(y, [&](size_t row) {
                double sum = 0;
                for (u k = start.first[row]; k < start.first[row + 1]; ++k)
                    sum += value.first[k] * x.first[column.first[k]];
                return sum;
            });
        });
}

/// ELLPACK: rows of at most 16, column after column; -1 fills up.
__global__ void sparse_ell(const int* column, const double* value, const double* x, double* y,
                           int rows)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    double sum = 0;
    for (int k = 0; k < 16; ++k) {
        const int c = column[k * rows + row];
        if (c >= 0)
            sum += value[k * rows + row] * x[c];
    }
    y[row] = sum;
}

bool try_sparse_ell(const char* name)
{
    const int rows = static_cast<int>(n / 16);
    const auto around = [=](size_t i) { // a band, with one in eight missing
        const int row = static_cast<int>(i % rows);
        const int random = static_cast<int>(below(46, 8000)(i));
        return random % 8 == 0 ? -1 : std::min(std::max(row + random - 4000, 0), rows - 1);
    };
    const Array<int> column(n, around);
    const Array<double> value(n, noise(47, -1));
    const Array<double> x(rows, noise(48, -1));
    const Array<double> y(rows);
    return run(
        name,
        [&] {
            sparse_ell<<<blocks(rows, 256), 256>>>(column.memory, value.memory, x.memory, y.memory,
                                                   rows);
        },
        [&] {
            return matches(
                y,
                [&](size_t row) {
                    double sum = 0;
                    for (size_t i = row; i < n; i += rows)
                        sum += column.first[i] < 0 ? 0 : value.first[i] * x.first[column.first[i]];
                    return sum;
                },
                1e-12);
        });
}

/// An element a thread, in no order.
__global__ void coo_scatter(const u* row, const u* column, const float* value, const float* x,
                            float* y, size_t count)
{
    const size_t k = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    if (k < count)
        atomicAdd(&y[row[k]], value[k] * x[column[k]]);
}

bool try_coo_scatter(const char* name)
{
    const size_t rows = n / 64;
    const Array<u> row(n / 4, below(49, rows));
    const Array<u> column(n / 4, below(50, rows));
    const Array<float> value(n / 4, noise(51, -1));
    const Array<float> x(rows, noise(52, -1));
    Array<float> y(rows);
    return run(
        name,
        [&] {
            coo_scatter<<<blocks(n / 4, 256), 256>>>(row.memory, column.memory, value.memory,
                                                     x.memory, y.memory, n / 4);
        },
        [&] {
            std::vector<double> expected(rows);
            for (size_t k = 0; k < n / 4; ++k)
                expected[row.first[k]] += value.first[k] * x.first[column.first[k]];
            return matches(y, expected);
        },
        [&] { y.clear(); });
}

constexpr u unseen = full;

/// The neighbours of a frontier that nobody has seen become the next one.
__global__ void bfs_step(const u* frontier, u length, const u* start, const u* column, u* distance,
                         u level, u* next, u* next_length)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= length)
        return;
    const u from = frontier[i];
    for (u k = start[from]; k < start[from + 1]; ++k) {
        const u to = column[k];
        if (distance[to] == unseen && atomicCAS(&distance[to], unseen, level) == unseen)
            next[atomicAdd(next_length, 1)] = to;
    }
}

bool try_bfs_step(const char* name)
{
    const size_t vertices = n / 8;
    const Array<u> start(uneven_starts(vertices, 53));
    const Array<u> column(start.first.back(), below(54, vertices));
    const auto at_first = [](size_t v) { return below(55, 16)(v) == 0 ? 3 : unseen; };
    Array<u> distance(vertices, at_first);
    std::vector<u> seen;
    for (u v = 0; v < vertices; ++v)
        if (distance.first[v] == 3)
            seen.push_back(v);
    const Array<u> frontier(seen);
    const Array<u> next(vertices);
    Array<u> next_length(1);
    return run(
        name,
        [&] {
            bfs_step<<<blocks(frontier.size, 256), 256>>>(
                frontier.memory, frontier.size, start.memory, column.memory, distance.memory, 4,
                next.memory, next_length.memory);
        },
        [&] {
            std::vector<u> expected = distance.first;
            for (const u v : seen)
                for (u k = start.first[v]; k < start.first[v + 1]; ++k)
                    expected[column.first[k]] = std::min(expected[column.first[k]], 4U);
            std::vector<u> found = next.now();
            found.resize(std::min<size_t>(next_length.now()[0], vertices));
            std::sort(found.begin(), found.end());
            std::vector<u> reached;
            for (u v = 0; v < vertices; ++v)
                if (expected[v] == 4)
                    reached.push_back(v);
            return distance.now() == expected && found == reached;
        },
        [&] {
            distance.reset();
            next_length.clear();
        });
}

/// Each page gathers from those that link to it; few pages have most of the links.
__global__ void pagerank_pull(const u* start, const u* source, const float* rank, const u* links,
                              float* next, u pages)
{
    const u page = blockIdx.x * blockDim.x + threadIdx.x;
    if (page >= pages)
        return;
    float sum = 0;
    for (u k = start[page]; k < start[page + 1]; ++k) {
        const u from = source[k];
        sum += rank[from] / links[from];
    }
    next[page] = 0.15F / pages + 0.85F * sum;
}

bool try_pagerank_pull(const char* name)
{
    const size_t pages = n / 16;
    const Array<u> start(uneven_starts(pages, 56));
    const auto popular = [=](size_t i) {
        const double random = noise(57)(i);
        return static_cast<u>(random * random * random * static_cast<double>(pages));
    };
    const Array<u> source(start.first.back(), popular);
    std::vector<u> count(pages);
    for (const u from : source.first)
        ++count[from];
    const Array<u> links(count);
    const Array<float> rank(pages, noise(58));
    const Array<float> next(pages);
    return run(
        name,
        [&] {
            pagerank_pull<<<blocks(pages, 128), 128>>>(start.memory, source.memory, rank.memory,
                                                       links.memory, next.memory, pages);
        },
        [&] {
            return matches(next, [&](size_t page) {
                double sum = 0;
                for (u k = start.first[page]; k < start.first[page + 1]; ++k)
                    sum += rank.first[source.first[k]] / links.first[source.first[k]];
                return 0.15 / pages + 0.85 * sum;
            });
        });
}

// --- counting, sorting and searching -------------------------------------------------------------

/// How often each byte occurs: four a load, counters of the block in shared memory.
__global__ void histogram_bytes(const u* in, u* counts, size_t words)
{
    __shared__ u own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
        const u word = in[i];
        atomicAdd(&own[word & 255], 1);
        atomicAdd(&own[word >> 8 & 255], 1);
        atomicAdd(&own[word >> 16 & 255], 1);
        atomicAdd(&own[word >> 24], 1);
    }
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}

bool try_histogram_bytes(const char* name)
{
    const auto letters = [](size_t i) { // some occur much more often than others
        const float random = noise(59)(i);
        return static_cast<byte>(255 * random * random);
    };
    const Array<byte> in(4 * n, letters);
    Array<u> counts(256);
    return run(
        name,
        [&] { histogram_bytes<<<528, 256>>>(reinterpret_cast<u*>(in.memory), counts.memory, n); },
        [&] {
            std::vector<u> expected(256);
            for (const byte b : in.first)
                ++expected[b];
            return counts.now() == expected;
        },
        [&] { counts.clear(); });
}

/// Inclusive sums within blocks of 512, and the sum of each (Hillis and Steele).
__global__ void scan_blocks(const int* in, int* out, int* sums)
{
    __shared__ int buffer[2][512];
    const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    int from = 0;
    buffer[0][threadIdx.x] = in[i];
    __syncthreads();
    for (int offset = 1; offset < 512; offset *= 2) {
        int sum = buffer[from][threadIdx.x];
        if (threadIdx.x >= offset)
            sum += buffer[from][threadIdx.x - offset];
        from = 1 - from;
        buffer[from][threadIdx.x] = sum;
        __syncthreads();
    }
    out[i] = buffer[from][threadIdx.x];
    if (threadIdx.x == 511)
        sums[blockIdx.x] = buffer[from][511];
}

bool try_scan_blocks(const char* name)
{
    const Array<int> in(n, below(60, 1000));
    const Array<int> out(n);
    const Array<int> sums(n / 512);
    return run(
        name, [&] { scan_blocks<<<n / 512, 512>>>(in.memory, out.memory, sums.memory); },
        [&] {
            const auto up_to = [&](size_t i) {
                return std::accumulate(&in.first[i / 512 * 512], &in.first[i] + 1, 0);
            };
            return matches(out, up_to, 0) &&
                   matches(
                       sums, [&](size_t b) { return up_to(b * 512 + 511); }, 0);
        });
}

/// Sums of runs of equal keys: by a scan in each warp, whose last lane of a run adds to memory.
__global__ void segment_sums(const u* key, const float* value, float* sums)
{
    const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    const int lane = threadIdx.x % 32;
    const u own = key[i];
    float sum = value[i];
    for (int offset = 1; offset < 32; offset *= 2) {
        const float other = __shfl_up_sync(full, sum, offset);
        const u other_key = __shfl_up_sync(full, own, offset);
        if (lane >= offset && other_key == own)
            sum += other;
    }
    const u after = __shfl_down_sync(full, own, 1);
    if (lane == 31 || after != own)
        atomicAdd(&sums[own], sum);
}

bool try_segment_sums(const char* name)
{
    std::vector<u> keys;
    u segment = 0;
    for (; keys.size() < n; ++segment)
        keys.resize(std::min(n, keys.size() + 1 + below(61, 24)(segment)), segment);
    const Array<u> key(keys);
    const Array<float> value(n, noise(62, -1));
    Array<float> sums(segment);
    return run(
        name, [&] { segment_sums<<<n / 256, 256>>>(key.memory, value.memory, sums.memory); },
        [&] {
            std::vector<double> expected(segment);
            for (size_t i = 0; i < n; ++i)
                expected[keys[i]] += value.first[i];
            return matches(sums, expected);
        },
        [&] { sums.clear(); });
}

/// One of the many steps of a bitonic sort: partners are `distance` apart.
__global__ void bitonic_step(u* keys, u distance, u size)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    const u partner = i ^ distance;
    if (partner <= i)
        return;
    const u a = keys[i];
    const u b = keys[partner];
    const bool rises = (i & size) == 0;
    if ((a > b) == rises) {
        keys[i] = b;
        keys[partner] = a;
    }
}

bool try_bitonic_step(const char* name)
{
    const u distance = 8192;
    const u size = 32768;
    Array<u> keys(n, [](size_t i) { return mix(i); });
    return run(
        name, [&] { bitonic_step<<<n / 512, 512>>>(keys.memory, distance, size); },
        [&] {
            return matches(
                keys,
                [&](size_t i) {
                    const u a = keys.first[i];
                    const u b = keys.first[i ^ distance];
                    const bool lower = (i & distance) == 0;
                    return lower == ((i & size) == 0) ? std::min(a, b) : std::max(a, b);
                },
                0);
        },
        [&] { keys.reset(); });
}

/// The first pass of a radix sort: how often each block has each digit of eight bits, digit after
/// digit.
__global__ void radix_count(const u* keys, u* counts, int shift)
{
    __shared__ u own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    const size_t first = blockIdx.x * size_t{4096};
    for (int k = threadIdx.x; k < 4096; k += blockDim.x)
        atomicAdd(&own[keys[first + k] >> shift & 255], 1);
    __syncthreads();
    counts[threadIdx.x * gridDim.x + blockIdx.x] = own[threadIdx.x];
}

bool try_radix_count(const char* name)
{
    const Array<u> keys(n, [](size_t i) { return mix(i + 7); });
    const size_t tiles = n / 4096;
    const Array<u> counts(256 * tiles);
    return run(
        name, [&] { radix_count<<<tiles, 256>>>(keys.memory, counts.memory, 8); },
        [&] {
            std::vector<u> expected(counts.size);
            for (size_t i = 0; i < n; ++i)
                ++expected[(keys.first[i] >> 8) % 256 * tiles + i / 4096];
            return counts.now() == expected;
        });
}

/// Each thread finds where its 16 elements of the merged array begin in both, and merges them.
__global__ void merge_sorted(const u* a, u a_size, const u* b, u b_size, u* out)
{
    const u begin = (blockIdx.x * blockDim.x + threadIdx.x) * 16;
    if (begin >= a_size + b_size)
        return;
    u low = begin > b_size ? begin - b_size : 0;
    u high = min(begin, a_size);
    while (low < high) {
        const u middle = (low + high) / 2;
        if (a[middle] <= b[begin - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    u i = low;
    u j = begin - low;
    for (u k = begin; k < min(begin + 16, a_size + b_size); ++k)
        out[k] = j >= b_size || (i < a_size && a[i] <= b[j]) ? a[i++] : b[j++];
}

bool try_merge_sorted(const char* name)
{
    const auto rising = [](u seed) {
        return [=](size_t i) { return i * 16 + below(seed, 16)(i); };
    };
    const Array<u> a(n / 2, rising(63));
    const Array<u> b(n / 4, [&](size_t i) { return 2 * rising(64)(i); });
    const Array<u> out(a.size + b.size);
    return run(
        name,
        [&] {
            merge_sorted<<<blocks(out.size / 16, 128), 128>>>(a.memory, a.size, b.memory, b.size,
                                                              out.memory);
        },
        [&] {
            std::vector<u> expected(out.size);
            std::merge(a.first.begin(), a.first.end(), b.first.begin(), b.first.end(),
                       expected.begin());
            return out.now() == expected;
        });
}

__global__ void lower_bound(const u* sorted, u size, const u* wanted, u* found, u count)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const u key = wanted[i];
    u low = 0;
    u high = size;
    while (low < high) {
        const u middle = (low + high) / 2;
        if (sorted[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    found[i] = low;
}

bool try_lower_bound(const char* name)
{
    const Array<u> sorted(n, [](size_t i) { return i * 8 + below(65, 8)(i); });
    const Array<u> wanted(n / 8, below(66, 8 * n));
    const Array<u> found(n / 8);
    return run(
        name,
        [&] {
            lower_bound<<<blocks(n / 8, 256), 256>>>(sorted.memory, n, wanted.memory, found.memory,
                                                     n / 8);
        },
        [&] {
            return matches(
                found,
                [&](size_t i) {
                    const auto& all = sorted.first;
                    return std::lower_bound(all.begin(), all.end(), wanted.first[i]) - all.begin();
                },
                0);
        });
}

constexpr u no_key = full;

/// Open addressing: from the place that the key's hash says to the first free one.
__global__ void hash_lookup(const uint2* table, u mask, const u* keys, u* values, u count)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const u key = keys[i];
    u value = no_key;
    for (u at = mix(key) & mask;; at = (at + 1) & mask) {
        const uint2 slot = table[at];
        if (slot.x == key)
            value = slot.y;
        if (slot.x == key || slot.x == no_key)
            break;
    }
    values[i] = value;
}

bool try_hash_lookup(const char* name)
{
    const size_t slots = n / 4;
    const size_t known = slots / 16 * 11;
    std::vector<uint2> filled(slots, make_uint2(no_key, 0));
    for (u k = 0; k < known; ++k) {
        size_t at = mix(k * 5) % slots;
        while (filled[at].x != no_key)
            at = (at + 1) % slots;
        filled[at] = make_uint2(k * 5, k ^ 12345);
    }
    const Array<uint2> table(filled);
    const auto half_known = [=](size_t i) { return below(67, 2 * known)(i) * 5; };
    const Array<u> keys(n / 4, half_known);
    const Array<u> values(n / 4);
    return run(
        name,
        [&] {
            hash_lookup<<<blocks(n / 4, 256), 256>>>(table.memory, slots - 1, keys.memory,
                                                     values.memory, n / 4);
        },
        [&] {
            return matches(
                values,
                [&](size_t i) {
                    const u k = keys.first[i] / 5;
                    return k < known ? k ^ 12345 : no_key;
                },
                0);
        });
}

struct Node
{
    int next;
    float value;
};

/// Lists of different lengths whose nodes lie anywhere.
__global__ void list_sums(const int* heads, const Node* nodes, float* sums, int lists)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= lists)
        return;
    float sum = 0;
    for (int at = heads[i]; at >= 0; at = nodes[at].next)
        sum += nodes[at].value;
    sums[i] = sum;
}

bool try_list_sums(const char* name)
{
    const size_t lists = n / 32;
    std::vector<int> last(lists, -1);
    std::vector<double> expected(lists);
    const auto add = [&](size_t i) { // at the head of any list
        const u list = below(68, lists)(i);
        const Node node = {last[list], noise(69, -1)(i)};
        last[list] = static_cast<int>(i);
        expected[list] += node.value;
        return node;
    };
    const Array<Node> nodes(n / 4, add);
    const Array<int> heads(last);
    const Array<float> sums(lists);
    return run(
        name,
        [&] {
            list_sums<<<blocks(lists, 128), 128>>>(heads.memory, nodes.memory, sums.memory, lists);
        },
        [&] { return matches(sums, expected); });
}

/// Keeps what exceeds a threshold: ranks in the block by atomics in shared memory, one in global
/// memory a block.
__global__ void compact_block(const float* in, float threshold, float* out, u* count, size_t size)
{
    __shared__ u kept;
    __shared__ u base;
    if (threadIdx.x == 0)
        kept = 0;
    __syncthreads();
    const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    const float value = i < size ? in[i] : threshold;
    u rank = 0;
    if (value > threshold)
        rank = atomicAdd(&kept, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        base = atomicAdd(count, kept);
    __syncthreads();
    if (value > threshold)
        out[base + rank] = value;
}

bool try_compact_block(const char* name)
{
    const Array<float> in(2 * n, noise(70));
    const Array<float> out(2 * n);
    Array<u> count(1);
    return run(
        name,
        [&] {
            compact_block<<<blocks(2 * n, 512), 512>>>(in.memory, 0.9F, out.memory, count.memory,
                                                       2 * n);
        },
        [&] {
            std::vector<float> expected;
            for (const float value : in.first)
                if (value > 0.9F)
                    expected.push_back(value);
            std::vector<float> found = out.now();
            found.resize(std::min<size_t>(count.now()[0], found.size()));
            std::sort(found.begin(), found.end());
            std::sort(expected.begin(), expected.end());
            return found == expected;
        },
        [&] { count.clear(); });
}

// --- physics -------------------------------------------------------------------------------------

__global__ void stencil9(const float* in, float* out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    const float* p = in + static_cast<size_t>(y) * width + x;
    const float edges = p[-1] + p[1] + p[-width] + p[width];
    const float corners = p[-width - 1] + p[-width + 1] + p[width - 1] + p[width + 1];
    out[static_cast<size_t>(y) * width + x] = (4 * edges + corners - 20 * p[0]) / 6;
}

bool try_stencil9(const char* name)
{
    const int width = side(-1);
    const int height = static_cast<int>(2 * n / width);
    const Array<float> in(2 * n, noise(71));
    const Array<float> out(2 * n);
    const dim3 grid(blocks(width, 32), blocks(height, 8));
    return run(
        name, [&] { stencil9<<<grid, dim3(32, 8)>>>(in.memory, out.memory, width, height); },
        [&] {
            return matches(out, [&](size_t i) {
                const int x = i % width;
                const int y = i / width;
                if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
                    return 0.0;
                const int weights[9] = {1, 4, 1, 4, -20, 4, 1, 4, 1};
                double sum = 0;
                for (int k = 0; k < 9; ++k)
                    sum += weights[k] * in.first[(y + k / 3 - 1) * size_t(width) + x + k % 3 - 1];
                return sum / 6;
            });
        });
}

/// Heat in a box: a block walks along z, with the plane it is in in shared memory and its
/// neighbours in registers.
__global__ void heat3d_walk(const float* in, float* out, int nx, int ny, int nz, float rate)
{
    __shared__ float plane[10][34];
    const int x = blockIdx.x * 32 + threadIdx.x;
    const int y = blockIdx.y * 8 + threadIdx.y;
    const int tx = threadIdx.x + 1;
    const int ty = threadIdx.y + 1;
    const size_t step = static_cast<size_t>(nx) * ny;
    size_t i = static_cast<size_t>(y) * nx + x;
    float below = 0;
    float here = in[i];
    for (int z = 0; z < nz; ++z, i += step) {
        const float above = z + 1 < nz ? in[i + step] : 0;
        plane[ty][tx] = here;
        if (threadIdx.y == 0)
            plane[0][tx] = y > 0 ? in[i - nx] : 0;
        if (threadIdx.y == 7)
            plane[9][tx] = y + 1 < ny ? in[i + nx] : 0;
        if (threadIdx.x == 0)
            plane[ty][0] = x > 0 ? in[i - 1] : 0;
        if (threadIdx.x == 31)
            plane[ty][33] = x + 1 < nx ? in[i + 1] : 0;
        __syncthreads();
        out[i] = here + rate * (plane[ty - 1][tx] + plane[ty + 1][tx] + plane[ty][tx - 1] +
                                plane[ty][tx + 1] + below + above - 6 * here);
        __syncthreads();
        below = here;
        here = above;
    }
}

bool try_heat3d_walk(const char* name)
{
    const int nx = 256;
    const int ny = 256;
    const int nz = static_cast<int>(n / (nx * ny));
    const Array<float> in(n, noise(72));
    const Array<float> out(n);
    return run(
        name,
        [&] {
            heat3d_walk<<<dim3(nx / 32, ny / 8), dim3(32, 8)>>>(in.memory, out.memory, nx, ny, nz,
                                                                0.1F);
        },
        [&] {
            return matches(out, [&](size_t i) {
                const int x = i % nx;
                const int y = i / nx % ny;
                const int z = i / nx / ny;
                const auto at = [&](int dx, int dy, int dz) {
                    const bool inside = x + dx >= 0 && x + dx < nx && y + dy >= 0 && y + dy < ny &&
                                        z + dz >= 0 && z + dz < nz;
                    return inside ? in.first[i + (dz * ny + dy) * nx + dx] : 0;
                };
                return at(0, 0, 0) +
                       0.1 * (at(-1, 0, 0) + at(1, 0, 0) + at(0, -1, 0) + at(0, 1, 0) +
                              at(0, 0, -1) + at(0, 0, 1) - 6 * at(0, 0, 0));
            });
        });
}

/// Yee's scheme in two dimensions: the magnetic field follows the electric one.
__global__ void fdtd_magnetic(const float* ez, const float* material, float* hx, float* hy,
                              int size)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size - 1 || y >= size - 1)
        return;
    const size_t i = static_cast<size_t>(y) * size + x;
    const float e = ez[i];
    hx[i] -= material[i] * (ez[i + size] - e);
    hy[i] += material[i] * (ez[i + 1] - e);
}

bool try_fdtd_magnetic(const char* name)
{
    const int size = side(0);
    const size_t count = static_cast<size_t>(size) * size;
    const Array<float> ez(count, noise(73, -1));
    const Array<float> material(count, noise(74));
    const Array<float> hx(count, noise(75, -1));
    const Array<float> hy(count, noise(76, -1));
    const dim3 grid(blocks(size, 64), blocks(size, 4));
    return run(
        name,
        [&] {
            fdtd_magnetic<<<grid, dim3(64, 4)>>>(ez.memory, material.memory, hx.memory, hy.memory,
                                                 size);
        },
        [&] {
            const auto change = [&](size_t i, size_t step) {
                const bool edge = i % size == size_t(size) - 1 || i / size == size_t(size) - 1;
                return edge ? 0 : material.first[i] * (ez.first[i + step] - ez.first[i]);
            };
            return matches(hx, [&](size_t i) { return hx.first[i] - change(i, size); }) &&
                   matches(hy, [&](size_t i) { return hy.first[i] + change(i, 1); });
        });
}

/// Lattice Boltzmann with nine velocities: populations are pulled from upstream, then relax.
/// Periodic.
__global__ void lattice_boltzmann(const float* in, float* out, int width, int height, float omega)
{
    constexpr int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
    constexpr int cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    const size_t cells = static_cast<size_t>(width) * height;
    float f[9];
#pragma unroll
    for (int k = 0; k < 9; ++k) {
        const int from_x = (x - cx[k] + width) % width;
        const int from_y = (y - cy[k] + height) % height;
        f[k] = in[k * cells + static_cast<size_t>(from_y) * width + from_x];
    }
    float density = 0;
    float ux = 0;
    float uy = 0;
#pragma unroll
    for (int k = 0; k < 9; ++k) {
        density += f[k];
        ux += cx[k] * f[k];
        uy += cy[k] * f[k];
    }
    ux /= density;
    uy /= density;
    const float square = 1.5F * (ux * ux + uy * uy);
#pragma unroll
    for (int k = 0; k < 9; ++k) {
        const float weight = k == 0 ? 4.0F / 9 : k < 5 ? 1.0F / 9 : 1.0F / 36;
        const float along = 3 * (cx[k] * ux + cy[k] * uy);
        const float rest = weight * density * (1 + along + 0.5F * along * along - square);
        out[k * cells + static_cast<size_t>(y) * width + x] = f[k] + omega * (rest - f[k]);
    }
}

bool try_lattice_boltzmann(const char* name)
{
    const int width = side(2);
    const int height = static_cast<int>(n / 4 / width);
    const size_t cells = n / 4;
    const Array<float> in(9 * cells, noise(77, 0.1F, 0.2F));
    const Array<float> out(9 * cells);
    return run(
        name,
        [&] {
            lattice_boltzmann<<<dim3(width / 128, height), 128>>>(in.memory, out.memory, width,
                                                                  height, 0.8F);
        },
        [&] {
            const int velocity[9][2] = {{0, 0}, {1, 0},  {0, 1},   {-1, 0}, {0, -1},
                                        {1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
            return matches(out, [&](size_t i) {
                const int x = i % width;
                const int y = i / width % height;
                double f[9];
                double sum[3] = {};
                for (int k = 0; k < 9; ++k) {
                    const size_t row = (y - velocity[k][1] + height) % height;
                    f[k] = in.first[k * cells + row * width + (x - velocity[k][0] + width) % width];
                    sum[0] += f[k];
                    sum[1] += f[k] * velocity[k][0];
                    sum[2] += f[k] * velocity[k][1];
                }
                const double ux = sum[1] / sum[0];
                const double uy = sum[2] / sum[0];
                const size_t k = i / cells;
                const double cu = velocity[k][0] * ux + velocity[k][1] * uy;
                const double weight = (k == 0 ? 16 : k < 5 ? 4 : 1) / 36.0;
                const double rest =
                    weight * sum[0] * (1 + 3 * cu + 4.5 * cu * cu - 1.5 * (ux * ux + uy * uy));
                return 0.2 * f[k] + 0.8 * rest;
            });
        });
}

/// Gravity of all on all, by tiles of 256 bodies in shared memory.
__global__ void nbody(const float4* bodies, float4* acceleration, int count)
{
    __shared__ float4 tile[256];
    const int i = blockIdx.x * 256 + threadIdx.x;
    const float4 own = bodies[i];
    float ax = 0;
    float ay = 0;
    float az = 0;
    for (int first = 0; first < count; first += 256) {
        tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 256; ++k) {
            const float dx = tile[k].x - own.x;
            const float dy = tile[k].y - own.y;
            const float dz = tile[k].z - own.z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3F);
            const float pull = tile[k].w * inverse * inverse * inverse;
            ax += dx * pull;
            ay += dy * pull;
            az += dz * pull;
        }
        __syncthreads();
    }
    acceleration[i] = make_float4(ax, ay, az, 0);
}

/// Points in a box with something at each: x, y, z and w.
std::vector<float4> scattered(size_t count, u seed, float box)
{
    std::vector<float4> points(count);
    const auto random = noise(seed);
    for (size_t i = 0; i < count; ++i)
        points[i] = make_float4(box * random(4 * i), box * random(4 * i + 1),
                                box * random(4 * i + 2), random(4 * i + 3));
    return points;
}

bool try_nbody(const char* name)
{
    const size_t count = std::max<size_t>(n / 1024, 256);
    const Array<float4> bodies(scattered(count, 78, 1));
    const Array<float4> acceleration(count);
    return run(
        name, [&] { nbody<<<count / 256, 256>>>(bodies.memory, acceleration.memory, count); },
        [&] {
            const std::vector<float4> got = acceleration.now();
            const double many = static_cast<double>(count);
            for (size_t i = 0; i < count; i += 1 + i / 8) {
                double sum[3] = {};
                for (const float4& other : bodies.first) {
                    const double d[3] = {other.x - bodies.first[i].x, other.y - bodies.first[i].y,
                                         other.z - bodies.first[i].z};
                    const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 1e-3;
                    for (int k = 0; k < 3; ++k)
                        sum[k] += d[k] * other.w / (square * std::sqrt(square));
                }
                if (std::fabs(got[i].x - sum[0]) + std::fabs(got[i].y - sum[1]) +
                        std::fabs(got[i].z - sum[2]) >
                    1e-4 * many)
                    return false;
            }
            return true;
        });
}

/// Atoms near a lattice, with a list of 32 neighbours each; many of those are beyond the cutoff.
__global__ void lennard_jones(const float4* position, const int* neighbours, float4* force,
                              int atoms)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= atoms)
        return;
    const float4 own = position[i];
    float4 f = make_float4(0, 0, 0, 0);
    for (int k = 0; k < 32; ++k) {
        const float4 other = position[neighbours[k * atoms + i]];
        const float dx = own.x - other.x;
        const float dy = own.y - other.y;
        const float dz = own.z - other.z;
        const float square = dx * dx + dy * dy + dz * dz;
        if (square < 6.25F) {
            const float inverse = 1 / square;
            const float sixth = inverse * inverse * inverse;
            const float pull = 24 * inverse * sixth * (2 * sixth - 1);
            f.x += pull * dx;
            f.y += pull * dy;
            f.z += pull * dz;
            f.w += 4 * sixth * (sixth - 1);
        }
    }
    force[i] = f;
}

bool try_lennard_jones(const char* name)
{
    const int atoms = static_cast<int>(n / 32);
    std::vector<float4> lattice(atoms); // 32 x 32 x many, with a distance of about 1.2
    for (int i = 0; i < atoms; ++i)
        lattice[i] = make_float4(1.2F * (i % 32) + noise(79, 0, 0.1F)(i),
                                 1.2F * (i / 32 % 32) + noise(80, 0, 0.1F)(i),
                                 1.2F * (i / 1024) + noise(81, 0, 0.1F)(i), 0);
    const auto around = [=](size_t i) {
        const auto offset = [=](u seed) { return static_cast<int>(below(seed, 5)(i)) - 2; };
        const int own = static_cast<int>(i % atoms);
        const int other = (own + offset(82) + 32 * offset(83) + 1024 * offset(84) + atoms) % atoms;
        return other == own ? (own + 1) % atoms : other;
    };
    const Array<float4> position(lattice);
    const Array<int> neighbours(size_t{32} * atoms, around);
    const Array<float4> force(atoms);
    return run(
        name,
        [&] {
            lennard_jones<<<blocks(atoms, 128), 128>>>(position.memory, neighbours.memory,
                                                       force.memory, atoms);
        },
        [&] {
            const std::vector<float4> got = force.now();
            return sampled(atoms, [&](size_t i) {
                double sum[4] = {};
                for (int k = 0; k < 32; ++k) {
                    const float4 a = lattice[i];
                    const float4 b = lattice[neighbours.first[size_t(k) * atoms + i]];
                    const double d[3] = {a.x - b.x, a.y - b.y, a.z - b.z};
                    const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                    if (square >= 6.25)
                        continue;
                    for (int axis = 0; axis < 3; ++axis)
                        sum[axis] +=
                            d[axis] * (48 * std::pow(square, -7) - 24 * std::pow(square, -4));
                    sum[3] += 4 * (std::pow(square, -6) - std::pow(square, -3));
                }
                return near(got[i].x, sum[0], 1e-3) && near(got[i].y, sum[1], 1e-3) &&
                       near(got[i].z, sum[2], 1e-3) && near(got[i].w, sum[3], 1e-3);
            });
        });
}

/// Each particle's charge goes to the four nodes around it. Particles have been sorted by rows some
/// steps ago.
__global__ void deposit_charge(const float* px, const float* py, const float* charge, float* grid,
                               int size, u count)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const int x = static_cast<int>(px[i]);
    const int y = static_cast<int>(py[i]);
    const float fx = px[i] - x;
    const float fy = py[i] - y;
    const float q = charge[i];
    atomicAdd(&grid[y * size + x], q * (1 - fx) * (1 - fy));
    atomicAdd(&grid[y * size + x + 1], q * fx * (1 - fy));
    atomicAdd(&grid[(y + 1) * size + x], q * (1 - fx) * fy);
    atomicAdd(&grid[(y + 1) * size + x + 1], q * fx * fy);
}

bool try_deposit_charge(const char* name)
{
    const int size = side(6);
    const size_t count = n / 4;
    const float end = static_cast<float>(size - 1) - 0.01F;
    const auto drifted = [=](size_t i) {
        const float row = end * static_cast<float>(i) / static_cast<float>(count);
        return std::min(std::max(row + noise(86, -4, 4)(i), 0.0F), end);
    };
    const Array<float> px(count, noise(85, 0, end));
    const Array<float> py(count, drifted);
    const Array<float> charge(count, noise(87));
    Array<float> grid(static_cast<size_t>(size) * size);
    return run(
        name,
        [&] {
            deposit_charge<<<blocks(count, 256), 256>>>(px.memory, py.memory, charge.memory,
                                                        grid.memory, size, count);
        },
        [&] {
            std::vector<double> expected(grid.size);
            for (size_t i = 0; i < count; ++i)
                for (int corner = 0; corner < 4; ++corner) {
                    const int x = static_cast<int>(px.first[i]) + corner % 2;
                    const int y = static_cast<int>(py.first[i]) + corner / 2;
                    expected[y * size + x] += charge.first[i] * (1 - std::fabs(px.first[i] - x)) *
                                              (1 - std::fabs(py.first[i] - y));
                }
            return matches(grid, expected);
        },
        [&] { grid.clear(); });
}

/// One stage of a fast Fourier transform of radix two, out of place (Stockham).
__global__ void fft_stage(const float2* in, float2* out, u half, u span)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= half)
        return;
    const u k = i % span;
    float sine;
    float cosine;
    sincosf(-3.14159265F * k / span, &sine, &cosine);
    const float2 a = in[i];
    const float2 b = in[i + half];
    const float2 turned = make_float2(b.x * cosine - b.y * sine, b.x * sine + b.y * cosine);
    const u to = (i - k) * 2 + k;
    out[to] = make_float2(a.x + turned.x, a.y + turned.y);
    out[to + span] = make_float2(a.x - turned.x, a.y - turned.y);
}

bool try_fft_stage(const char* name)
{
    const size_t half = n / 2;
    const u span = 16;
    const Array<float> in(4 * half, noise(88, -1));
    const Array<float> out(4 * half);
    return run(
        name,
        [&] {
            fft_stage<<<blocks(half, 256), 256>>>(reinterpret_cast<float2*>(in.memory),
                                                  reinterpret_cast<float2*>(out.memory), half,
                                                  span);
        },
        [&] {
            return matches(out, [&](size_t at) {
                const size_t group = at / 2 / (2 * span);
                const size_t k = at / 2 % span;
                const bool upper = at / 2 % (2 * span) >= span;
                const float* a = &in.first[2 * (group * span + k)];
                const float* b = a + 2 * half;
                const double angle = -std::acos(-1.0) * (static_cast<double>(k) / span + upper);
                const double c = std::cos(angle);
                const double s = std::sin(angle);
                return at % 2 == 0 ? a[0] + b[0] * c - b[1] * s : a[1] + b[0] * s + b[1] * c;
            });
        });
}

// --- arithmetic ----------------------------------------------------------------------------------

/// Each thread throws 256 darts with a generator of its own.
__global__ void monte_carlo_pi(u* hits, int darts)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    u state = mix(i + 1) | 1;
    u inside = 0;
    for (int k = 0; k < darts; ++k) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        const float x = (state & 0xffff) * (1.0F / 65536);
        const float y = (state >> 16) * (1.0F / 65536);
        inside += x * x + y * y < 1;
    }
    hits[i] = inside;
}

bool try_monte_carlo_pi(const char* name)
{
    const int darts = 256;
    const Array<u> hits(n / 256);
    return run(
        name, [&] { monte_carlo_pi<<<hits.size / 128, 128>>>(hits.memory, darts); },
        [&] {
            double sum = 0;
            for (const u h : hits.now())
                sum += h;
            const bool round = std::fabs(4 * sum / darts / hits.size - 3.14159) < 0.05;
            return round && matches(
                                hits,
                                [&](size_t i) {
                                    u state = mix(static_cast<u>(i) + 1) | 1;
                                    int inside = 0;
                                    for (int k = 0; k < darts; ++k) {
                                        state ^= state << 13;
                                        state ^= state >> 17;
                                        state ^= state << 5;
                                        inside += std::hypot(state % 65536, state / 65536) < 65536;
                                    }
                                    return inside;
                                },
                                0.006);
        });
}

__device__ float normal_below(float x)
{
    return 0.5F * erfcf(-x * 0.70710678F);
}

__global__ void black_scholes(const float* price, const float* strike, const float* years,
                              float* call, float* put, float rate, float volatility, size_t count)
{
    const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    if (i >= count)
        return;
    const float s = price[i];
    const float k = strike[i];
    const float t = years[i];
    const float spread = volatility * sqrtf(t);
    const float d1 = (logf(s / k) + (rate + 0.5F * volatility * volatility) * t) / spread;
    const float d2 = d1 - spread;
    const float discounted = k * expf(-rate * t);
    call[i] = s * normal_below(d1) - discounted * normal_below(d2);
    put[i] = discounted * normal_below(-d2) - s * normal_below(-d1);
}

bool try_black_scholes(const char* name)
{
    const size_t count = n / 2;
    const Array<float> price(count, noise(89, 5, 30));
    const Array<float> strike(count, noise(90, 1, 100));
    const Array<float> years(count, noise(91, 0.25F, 10));
    const Array<float> call(count);
    const Array<float> put(count);
    return run(
        name,
        [&] {
            black_scholes<<<blocks(count, 128), 128>>>(price.memory, strike.memory, years.memory,
                                                       call.memory, put.memory, 0.02F, 0.3F, count);
        },
        [&] {
            const auto parity = [&](size_t i) { // of call and put
                return price.first[i] - strike.first[i] * std::exp(-0.02 * years.first[i]);
            };
            const auto value = [&](size_t i) {
                const double spread = 0.3 * std::sqrt(years.first[i]);
                const double d1 =
                    (std::log(price.first[i] / strike.first[i]) + 0.065 * years.first[i]) / spread;
                const auto normal = [](double x) { return (1 + std::erf(x / std::sqrt(2.0))) / 2; };
                return price.first[i] * normal(d1) +
                       (parity(i) - price.first[i]) * normal(d1 - spread);
            };
            return matches(call, value) &&
                   matches(put, [&](size_t i) { return value(i) - parity(i); });
        });
}

__global__ void mandelbrot(byte* out, int size, int most)
{
    const int px = blockIdx.x * blockDim.x + threadIdx.x;
    const int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= size || py >= size)
        return;
    const float cx = -2 + 3.0F * px / size;
    const float cy = -1.5F + 3.0F * py / size;
    float x = 0;
    float y = 0;
    int k = 0;
    while (k < most && x * x + y * y < 4) {
        const float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        ++k;
    }
    out[py * size + px] = static_cast<byte>(k);
}

bool try_mandelbrot(const char* name)
{
    const int size = side(4);
    const int most = 200;
    const Array<byte> out(static_cast<size_t>(size) * size);
    const dim3 grid(blocks(size, 16), blocks(size, 16));
    return run(
        name, [&] { mandelbrot<<<grid, dim3(16, 16)>>>(out.memory, size, most); },
        [&] {
            // On the edge of the set rounding decides: some pixels may differ.
            const std::vector<byte> got = out.now();
            int differ = 0;
            sampled(out.size, [&](size_t i) {
                const double cx = -2 + 3.0 * (i % size) / size;
                const double cy = -1.5 + 3.0 * (i / size) / size;
                double x = 0;
                double y = 0;
                int k = 0;
                for (; k < most && x * x + y * y < 4; ++k) {
                    const double next = x * x - y * y + cx;
                    y = 2 * x * y + cy;
                    x = next;
                }
                differ += got[i] != k;
                return true;
            });
            return differ < 100;
        });
}

// --- bytes ---------------------------------------------------------------------------------------

__constant__ u round_keys[44];

/// Ten rounds of lookups as AES makes them, tables in shared memory; the tables are not those of
/// AES.
__global__ void cipher_rounds(const uint4* in, const u* tables, uint4* out, u count)
{
    __shared__ u t[4][256];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x)
        t[i / 256][i % 256] = tables[i];
    __syncthreads();
    for (u i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        uint4 s = in[i];
        s.x ^= round_keys[0];
        s.y ^= round_keys[1];
        s.z ^= round_keys[2];
        s.w ^= round_keys[3];
        for (int r = 4; r < 44; r += 4) {
            uint4 next;
            next.x = t[0][s.x >> 24] ^ t[1][s.y >> 16 & 255] ^ t[2][s.z >> 8 & 255] ^
                     t[3][s.w & 255] ^ round_keys[r];
            next.y = t[0][s.y >> 24] ^ t[1][s.z >> 16 & 255] ^ t[2][s.w >> 8 & 255] ^
                     t[3][s.x & 255] ^ round_keys[r + 1];
            next.z = t[0][s.z >> 24] ^ t[1][s.w >> 16 & 255] ^ t[2][s.x >> 8 & 255] ^
                     t[3][s.y & 255] ^ round_keys[r + 2];
            next.w = t[0][s.w >> 24] ^ t[1][s.x >> 16 & 255] ^ t[2][s.y >> 8 & 255] ^
                     t[3][s.z & 255] ^ round_keys[r + 3];
            s = next;
        }
        out[i] = s;
    }
}

bool try_cipher_rounds(const char* name)
{
    const size_t count = n / 16;
    const Array<u> in(4 * count, [](size_t i) { return mix(i); });
    const Array<u> tables(1024, [](size_t i) { return mix(i + 5000); });
    const Array<u> out(4 * count);
    u keys[44];
    for (u k = 0; k < 44; ++k)
        keys[k] = mix(k + 9000);
    cudaMemcpyToSymbol(round_keys, keys, sizeof keys);
    return run(
        name,
        [&] {
            cipher_rounds<<<528, 256>>>(reinterpret_cast<uint4*>(in.memory), tables.memory,
                                        reinterpret_cast<uint4*>(out.memory), count);
        },
        [&] {
            return matches(
                out,
                [&](size_t i) {
                    u state[4];
                    for (int w = 0; w < 4; ++w)
                        state[w] = in.first[i / 4 * 4 + w] ^ keys[w];
                    for (int r = 1; r <= 10; ++r) {
                        u next[4];
                        for (int w = 0; w < 4; ++w) {
                            next[w] = keys[4 * r + w];
                            for (int b = 0; b < 4; ++b)
                                next[w] ^= tables.first[b * 256 +
                                                        (state[(w + b) % 4] >> (24 - 8 * b)) % 256];
                        }
                        std::copy(next, next + 4, state);
                    }
                    return state[i % 4];
                },
                0);
        });
}

__constant__ char pattern[12];

__global__ void find_text(const char* text, size_t size, int length, u* found)
{
    const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    if (i + length > size)
        return;
    int k = 0;
    while (k < length && text[i + k] == pattern[k])
        ++k;
    if (k == length)
        atomicAdd(found, 1);
}

bool try_find_text(const char* name)
{
    const std::string wanted = "abacabadabac";
    std::vector<char> letters(4 * n);
    for (size_t i = 0; i < letters.size(); ++i)
        letters[i] = static_cast<char>('a' + below(92, 5)(i));
    for (size_t i = 0; i + 12 <= letters.size(); i += 50000)
        std::copy(wanted.begin(), wanted.end(), letters.begin() + static_cast<std::ptrdiff_t>(i));
    std::copy(wanted.begin(), wanted.end(), letters.end() - 12);
    const Array<char> text(letters);
    Array<u> found(1);
    cudaMemcpyToSymbol(pattern, wanted.data(), 12);
    return run(
        name,
        [&] {
            find_text<<<blocks(text.size, 256), 256>>>(text.memory, text.size, 12, found.memory);
        },
        [&] {
            u expected = 0;
            for (auto at = letters.begin();; ++at, ++expected) {
                at = std::search(at, letters.end(), wanted.begin(), wanted.end());
                if (at == letters.end())
                    return found.now()[0] == expected;
            }
        },
        [&] { found.clear(); });
}

__constant__ u crc_table[256];

/// The checksum of each chunk, a thread a chunk, byte by byte.
__global__ void crc_chunks(const byte* in, u* checksums, int chunk, u count)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const byte* own = in + static_cast<size_t>(i) * chunk;
    u crc = full;
    for (int k = 0; k < chunk; ++k)
        crc = crc_table[(crc ^ own[k]) & 255] ^ crc >> 8;
    checksums[i] = ~crc;
}

bool try_crc_chunks(const char* name)
{
    const int chunk = 512;
    const auto shift = [](u crc) { return crc >> 1 ^ (crc % 2 == 1 ? 0xedb88320 : 0); };
    std::vector<u> table(256);
    for (u b = 0; b < 256; ++b) {
        table[b] = b;
        for (int bit = 0; bit < 8; ++bit)
            table[b] = shift(table[b]);
    }
    const Array<byte> in(n, below(93, 256));
    const Array<u> checksums(n / chunk);
    cudaMemcpyToSymbol(crc_table, table.data(), 1024);
    return run(
        name,
        [&] {
            crc_chunks<<<blocks(checksums.size, 128), 128>>>(in.memory, checksums.memory, chunk,
                                                             checksums.size);
        },
        [&] {
            return matches(
                checksums,
                [&](size_t i) {
                    u crc = full;
                    for (int k = 0; k < chunk * 8; ++k)
                        crc = shift(k % 8 == 0 ? crc ^ in.first[i * chunk + k / 8] : crc);
                    return ~crc;
                },
                0);
        });
}

// --- images --------------------------------------------------------------------------------------

/// To NV12, as video encoders take it: a thread has a square of four pixels, which share a colour.
__global__ void rgb_to_nv12(const uchar3* in, byte* luma, uchar2* chroma, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width / 2 || y >= height / 2)
        return;
    int red = 0;
    int green = 0;
    int blue = 0;
    for (int k = 0; k < 4; ++k) {
        const size_t at = static_cast<size_t>(2 * y + k / 2) * width + 2 * x + k % 2;
        const uchar3 p = in[at];
        luma[at] = static_cast<byte>(((66 * p.x + 129 * p.y + 25 * p.z + 128) >> 8) + 16);
        red += p.x;
        green += p.y;
        blue += p.z;
    }
    const int cb = ((-38 * red - 74 * green + 112 * blue + 512) >> 10) + 128;
    const int cr = ((112 * red - 94 * green - 18 * blue + 512) >> 10) + 128;
    chroma[static_cast<size_t>(y) * (width / 2) + x] = make_uchar2(cb, cr);
}

bool try_rgb_to_nv12(const char* name)
{
    const int width = 3840;
    const int height = static_cast<int>(n / width / 2 * 2);
    const size_t pixels = static_cast<size_t>(width) * height;
    const Array<byte> in(3 * pixels, below(94, 256));
    const Array<byte> luma(pixels);
    const Array<byte> chroma(pixels / 2);
    const dim3 grid(blocks(width / 2, 32), blocks(height / 2, 8));
    return run(
        name,
        [&] {
            rgb_to_nv12<<<grid, dim3(32, 8)>>>(reinterpret_cast<uchar3*>(in.memory), luma.memory,
                                               reinterpret_cast<uchar2*>(chroma.memory), width,
                                               height);
        },
        [&] {
            const auto light = [&](size_t i) {
                const byte* p = &in.first[3 * i];
                return std::floor(16.5 + (66 * p[0] + 129 * p[1] + 25 * p[2]) / 256.0);
            };
            const auto colour = [&](size_t i) {
                const size_t corner = i / width * 2 * width + i % width / 2 * 2;
                const int blue_weights[3] = {-38, -74, 112};
                const int red_weights[3] = {112, -94, -18};
                double sum = 0;
                for (const size_t at : {corner, corner + 1, corner + width, corner + width + 1})
                    for (int c = 0; c < 3; ++c)
                        sum += (i % 2 == 0 ? blue_weights : red_weights)[c] * in.first[3 * at + c];
                return std::floor(128.5 + sum / 1024);
            };
            return matches(luma, light, 0) && matches(chroma, colour, 0);
        });
}

__global__ void sobel(const byte* in, byte* out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    const auto at = [=](int dx, int dy) -> int { return in[(y + dy) * width + x + dx]; };
    const int gx = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
    const int gy = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
    out[y * width + x] = static_cast<byte>(min(abs(gx) + abs(gy), 255));
}

bool try_sobel(const char* name)
{
    const int width = side(0);
    const int height = static_cast<int>(n / width);
    const Array<byte> in(n, below(95, 64));
    const Array<byte> out(n);
    const dim3 grid(blocks(width, 16), blocks(height, 16));
    return run(
        name, [&] { sobel<<<grid, dim3(16, 16)>>>(in.memory, out.memory, width, height); },
        [&] {
            return matches(
                out,
                [&](size_t i) {
                    const int x = i % width;
                    const int y = i / width;
                    if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
                        return 0;
                    const int weights[9] = {-1, 0, 1, -2, 0, 2, -1, 0, 1};
                    int gx = 0;
                    int gy = 0;
                    for (int k = 0; k < 9; ++k) {
                        const int pixel = in.first[(y + k / 3 - 1) * width + x + k % 3 - 1];
                        gx += weights[k] * pixel;
                        gy += weights[k % 3 * 3 + k / 3] * pixel;
                    }
                    return std::min(std::abs(gx) + std::abs(gy), 255);
                },
                0);
        });
}

/// The median of nine by sorting them in an array of the thread's own, as in many a first version.
__global__ void median3x3(const float* in, float* out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float window[9];
    for (int k = 0; k < 9; ++k) {
        const int ix = min(max(x + k % 3 - 1, 0), width - 1);
        const int iy = min(max(y + k / 3 - 1, 0), height - 1);
        window[k] = in[iy * width + ix];
    }
    for (int i = 0; i < 5; ++i)
        for (int k = i + 1; k < 9; ++k)
            if (window[k] < window[i]) {
                const float swap = window[i];
                window[i] = window[k];
                window[k] = swap;
            }
    out[y * width + x] = window[4];
}

bool try_median3x3(const char* name)
{
    const int width = side(2);
    const int height = static_cast<int>(n / 4 / width);
    const Array<float> in(n / 4, noise(96));
    const Array<float> out(n / 4);
    const dim3 grid(blocks(width, 32), blocks(height, 4));
    return run(
        name, [&] { median3x3<<<grid, dim3(32, 4)>>>(in.memory, out.memory, width, height); },
        [&] {
            return matches(
                out,
                [&](size_t i) {
                    std::vector<float> window;
                    for (int k = 0; k < 9; ++k) {
                        const int x = std::min(std::max(static_cast<int>(i % width) + k % 3 - 1, 0),
                                               width - 1);
                        const int y = std::min(std::max(static_cast<int>(i / width) + k / 3 - 1, 0),
                                               height - 1);
                        window.push_back(in.first[y * width + x]);
                    }
                    std::sort(window.begin(), window.end());
                    return window[4];
                },
                0);
        });
}

/// The first half of an integral image: the sums along each row, a block a row, 256 pixels at a
/// time.
__global__ void integral_rows(const byte* in, u* out, int width)
{
    __shared__ u sums[8];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const size_t row = static_cast<size_t>(blockIdx.x) * width;
    u carry = 0;
    for (int x = threadIdx.x; x < width; x += 256) {
        u sum = in[row + x];
        for (int offset = 1; offset < 32; offset *= 2) {
            const u other = __shfl_up_sync(full, sum, offset);
            if (lane >= offset)
                sum += other;
        }
        if (lane == 31)
            sums[warp] = sum;
        __syncthreads();
        u before = carry;
        for (int w = 0; w < 8; ++w) {
            if (w < warp)
                before += sums[w];
            carry += sums[w];
        }
        out[row + x] = before + sum;
        __syncthreads();
    }
}

bool try_integral_rows(const char* name)
{
    const int width = 2048;
    const Array<byte> in(n, below(97, 256));
    const Array<u> out(n);
    return run(
        name, [&] { integral_rows<<<n / width, 256>>>(in.memory, out.memory, width); },
        [&] {
            return matches(
                out,
                [&](size_t i) {
                    return std::accumulate(&in.first[i / width * width], &in.first[i] + 1, 0U);
                },
                0);
        });
}

/// Smooths and keeps edges: neighbours within two pixels count by how near and how alike they are.
__global__ void bilateral(const float* in, float* out, int width, int height, float alike)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    const float centre = in[y * width + x];
    float sum = 0;
    float weights = 0;
    for (int dy = -2; dy <= 2; ++dy)
        for (int dx = -2; dx <= 2; ++dx) {
            const int ix = min(max(x + dx, 0), width - 1);
            const int iy = min(max(y + dy, 0), height - 1);
            const float value = in[iy * width + ix];
            const float difference = value - centre;
            const float weight =
                expf(-0.25F * (dx * dx + dy * dy) - alike * difference * difference);
            sum += weight * value;
            weights += weight;
        }
    out[y * width + x] = sum / weights;
}

bool try_bilateral(const char* name)
{
    const int width = side(2);
    const int height = static_cast<int>(n / 4 / width);
    const Array<float> in(n / 4, noise(98));
    const Array<float> out(n / 4);
    const dim3 grid(blocks(width, 16), blocks(height, 16));
    return run(
        name, [&] { bilateral<<<grid, dim3(16, 16)>>>(in.memory, out.memory, width, height, 8); },
        [&] {
            return matches(out, [&](size_t i) {
                const int x = i % width;
                const int y = i / width;
                double sum = 0;
                double weights = 0;
                for (int k = 0; k < 25; ++k) {
                    const int dx = k % 5 - 2;
                    const int dy = k / 5 - 2;
                    const int row = std::min(std::max(y + dy, 0), height - 1);
                    const double value =
                        in.first[row * width + std::min(std::max(x + dx, 0), width - 1)];
                    const double weight = std::exp(-0.25 * (dx * dx + dy * dy) -
                                                   8 * std::pow(value - in.first[i], 2));
                    sum += weight * value;
                    weights += weight;
                }
                return sum / weights;
            });
        });
}

// --- all of them ---------------------------------------------------------------------------------

const Kernel kernels[] = {
    {"attention_scores", try_attention_scores},
    {"softmax_online", try_softmax_online},
    {"group_norm", try_group_norm},
    {"conv3x3_nchw", try_conv3x3_nchw},
    {"conv3x3_nhwc", try_conv3x3_nhwc},
    {"depthwise3x3", try_depthwise3x3},
    {"max_pool", try_max_pool},
    {"upsample_bilinear", try_upsample_bilinear},
    {"im2col", try_im2col},
    {"top8_warp", try_top8_warp},
    {"dropout", try_dropout},
    {"cache_append", try_cache_append},
    {"gate_half2", try_gate_half2},
    {"to_bfloat", try_to_bfloat},
    {"int8_matrix_vector", try_int8_matrix_vector},
    {"channel_max", try_channel_max},
    {"matmul_naive", try_matmul_naive},
    {"matmul_tiled", try_matmul_tiled},
    {"matmul_registers", try_matmul_registers},
    {"multiply4x4", try_multiply4x4},
    {"transpose_batch", try_transpose_batch},
    {"tridiagonal", try_tridiagonal},
    {"axpy_strided", try_axpy_strided},
    {"dot", try_dot},
    {"sparse_eight", try_sparse_eight},
    {"sparse_ell", try_sparse_ell},
    {"coo_scatter", try_coo_scatter},
    {"bfs_step", try_bfs_step},
    {"pagerank_pull", try_pagerank_pull},
    {"histogram_bytes", try_histogram_bytes},
    {"scan_blocks", try_scan_blocks},
    {"segment_sums", try_segment_sums},
    {"bitonic_step", try_bitonic_step},
    {"radix_count", try_radix_count},
    {"merge_sorted", try_merge_sorted},
    {"lower_bound", try_lower_bound},
    {"hash_lookup", try_hash_lookup},
    {"list_sums", try_list_sums},
    {"compact_block", try_compact_block},
    {"stencil9", try_stencil9},
    {"heat3d_walk", try_heat3d_walk},
    {"fdtd_magnetic", try_fdtd_magnetic},
    {"lattice_boltzmann", try_lattice_boltzmann},
    {"nbody", try_nbody},
    {"lennard_jones", try_lennard_jones},
    {"deposit_charge", try_deposit_charge},
    {"fft_stage", try_fft_stage},
    {"monte_carlo_pi", try_monte_carlo_pi},
    {"black_scholes", try_black_scholes},
    {"mandelbrot", try_mandelbrot},
    {"cipher_rounds", try_cipher_rounds},
    {"find_text", try_find_text},
    {"crc_chunks", try_crc_chunks},
    {"rgb_to_nv12", try_rgb_to_nv12},
    {"sobel", try_sobel},
    {"median3x3", try_median3x3},
    {"integral_rows", try_integral_rows},
    {"bilateral", try_bilateral},
};

int main(int argc, char** argv)
{
    return run_kernels(argc, argv, kernels);
}
