// Kernels as people of many fields write them, made by somebody who had not seen the time model: of networks, matrices,
// pictures, signals, graphs, tables, texts and simulations. Each is followed by what launches it and by a check of what
// it leaves behind.
//
// kernel_set.hpp says what the program is told and prints. Of 2^18 numbers:
// WITH -DLOG2N=18
// RUN => 0 layer_norm_backward,yes\n(\w+,yes\n){38}asian_paths,yes
// SLOW
#include "kernel_set.hpp"

#include <utility>

const char* const kernels_name = "chores";

// --- networks ------------------------------------------------------------------------------------

/// The gradient of a layer norm's input, rows of 1024: a block a row, four numbers a thread.
__global__ void layer_norm_backward(const float4* x, const float4* gradient, const float4* weight, const float* mean,
                                    const float* scale, float4* out)
{
    __shared__ float2 parts[8];
    const size_t at = blockIdx.x * size_t{256} + threadIdx.x;
    const float middle = mean[blockIdx.x];
    const float rstd = scale[blockIdx.x];
    float4 h = x[at];
    float4 g = gradient[at];
    const float4 w = weight[threadIdx.x];
    h = make_float4((h.x - middle) * rstd, (h.y - middle) * rstd, (h.z - middle) * rstd, (h.w - middle) * rstd);
    g = make_float4(g.x * w.x, g.y * w.y, g.z * w.z, g.w * w.w);
    float sum = g.x + g.y + g.z + g.w;
    float dot = g.x * h.x + g.y * h.y + g.z * h.z + g.w * h.w;
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_xor_sync(full, sum, offset);
        dot += __shfl_xor_sync(full, dot, offset);
    }
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = make_float2(sum, dot);
    __syncthreads();
    sum = 0;
    dot = 0;
    for (int k = 0; k < 8; ++k) {
        sum += parts[k].x;
        dot += parts[k].y;
    }
    sum /= 1024;
    dot /= 1024;
    out[at] = make_float4(rstd * (g.x - sum - h.x * dot), rstd * (g.y - sum - h.y * dot),
                          rstd * (g.z - sum - h.z * dot), rstd * (g.w - sum - h.w * dot));
}

bool try_layer_norm_backward(const char* name)
{
    const size_t rows = n / 1024;
    const Array<float> x(n, noise(1, -1));
    const Array<float> gradient(n, noise(2, -1));
    const Array<float> weight(1024, noise(3, 0.5F, 1.5F));
    const Array<float> mean(rows, noise(4, -0.1F, 0.1F));
    const Array<float> scale(rows, noise(5, 1.5F, 2));
    const Array<float> out(n);
    return run(
        name,
        [&] {
            layer_norm_backward<<<static_cast<u>(rows), 256>>>(
                reinterpret_cast<const float4*>(x.memory), reinterpret_cast<const float4*>(gradient.memory),
                reinterpret_cast<const float4*>(weight.memory), mean.memory, scale.memory,
                reinterpret_cast<float4*>(out.memory));
        },
        [&] {
            return matches(out, [&](size_t i) {
                const size_t row = i / 1024;
                const auto hat = [&](size_t c) {
                    return (double{x.first[row * 1024 + c]} - mean.first[row]) * scale.first[row];
                };
                const auto g = [&](size_t c) { return double{gradient.first[row * 1024 + c]} * weight.first[c]; };
                double sum = 0;
                double dot = 0;
                for (size_t c = 0; c < 1024; ++c) {
                    sum += g(c);
                    dot += g(c) * hat(c);
                }
                return scale.first[row] * (g(i % 1024) - sum / 1024 - hat(i % 1024) * dot / 1024);
            });
        });
}

/// Mean and variance of each of 64 channels over images of 256 pixels: a block a channel.
template<class T>
__global__ void batch_norm_stats(const T* in, float* mean, float* variance, int images)
{
    __shared__ float sums[512];
    __shared__ float squares[512];
    const int channel = blockIdx.x;
    const int channels = gridDim.x;
    float sum = 0;
    float square = 0;
    for (int i = threadIdx.x; i < images * 256; i += blockDim.x) {
        const float v = static_cast<float>(in[(static_cast<size_t>(i / 256) * channels + channel) * 256 + i % 256]);
        sum += v;
        square += v * v;
    }
    sums[threadIdx.x] = sum;
    squares[threadIdx.x] = square;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
            squares[threadIdx.x] += squares[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        const float m = sums[0] / (images * 256);
        mean[channel] = m;
        variance[channel] = squares[0] / (images * 256) - m * m;
    }
}

bool try_batch_norm_stats(const char* name)
{
    const int images = static_cast<int>(n / 4 / 64 / 256);
    const Array<__half> in(n / 4, noise(6, -1, 2));
    const Array<float> mean(64);
    const Array<float> variance(64);
    return run(
        name, [&] { batch_norm_stats<__half><<<64, 512>>>(in.memory, mean.memory, variance.memory, images); },
        [&] {
            std::vector<double> sums(64);
            std::vector<double> squares(64);
            for (size_t i = 0; i < in.size; ++i) {
                const double v = __half2float(in.first[i]);
                sums[i / 256 % 64] += v;
                squares[i / 256 % 64] += v * v;
            }
            for (size_t c = 0; c < 64; ++c) {
                sums[c] /= images * 256.0;
                squares[c] = squares[c] / (images * 256.0) - sums[c] * sums[c];
            }
            return matches(mean, sums) && matches(variance, squares);
        });
}

/// Chooses two of eight experts for each token, weighs them and gives the token a place in the queue of each.
__global__ void route_experts(const float4* logits, uchar2* chosen, float2* weights, uint2* slots, u* count, u tokens)
{
    __shared__ u here[8];
    __shared__ u base[8];
    if (threadIdx.x < 8)
        here[threadIdx.x] = 0;
    __syncthreads();
    const u t = blockIdx.x * blockDim.x + threadIdx.x;
    int first = 0;
    int second = 0;
    uint2 rank = make_uint2(0, 0);
    if (t < tokens) {
        const float4 low = logits[2 * t];
        const float4 high = logits[2 * t + 1];
        const float v[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
        float most = -1e30F;
        float next = -1e30F;
#pragma unroll
        for (int e = 0; e < 8; ++e)
            if (v[e] > most) {
                next = most;
                second = first;
                most = v[e];
                first = e;
            } else if (v[e] > next) {
                next = v[e];
                second = e;
            }
        const float share = 1 / (1 + __expf(next - most));
        chosen[t] = make_uchar2(static_cast<byte>(first), static_cast<byte>(second));
        weights[t] = make_float2(share, 1 - share);
        rank.x = atomicAdd(&here[first], 1);
        rank.y = atomicAdd(&here[second], 1);
    }
    __syncthreads();
    if (threadIdx.x < 8)
        base[threadIdx.x] = atomicAdd(&count[threadIdx.x], here[threadIdx.x]);
    __syncthreads();
    if (t < tokens)
        slots[t] = make_uint2(base[first] + rank.x, base[second] + rank.y);
}

bool try_route_experts(const char* name)
{
    const u tokens = static_cast<u>(n / 16);
    const Array<float> logits(size_t{tokens} * 8, noise(7, -2, 2));
    const Array<uchar2> chosen(tokens);
    const Array<float2> weights(tokens);
    const Array<uint2> slots(tokens);
    Array<u> count(8);
    return run(
        name,
        [&] {
            route_experts<<<blocks(tokens, 256), 256>>>(reinterpret_cast<const float4*>(logits.memory), chosen.memory,
                                                        weights.memory, slots.memory, count.memory, tokens);
        },
        [&] {
            const std::vector<uchar2> choice = chosen.now();
            const std::vector<float2> share = weights.now();
            const std::vector<uint2> slot = slots.now();
            std::vector<std::vector<bool>> taken(8, std::vector<bool>(tokens));
            std::vector<u> expected(8);
            const auto take = [&](size_t expert, u place) {
                ++expected[expert];
                if (place >= tokens || taken[expert][place])
                    return false;
                taken[expert][place] = true;
                return true;
            };
            for (size_t t = 0; t < tokens; ++t) {
                const float* v = &logits.first[t * 8];
                const auto first = std::max_element(v, v + 8) - v;
                auto second = first == 0 ? 1 : 0;
                for (int e = 0; e < 8; ++e)
                    if (e != first && v[e] > v[second])
                        second = e;
                if (choice[t].x != first || choice[t].y != second)
                    return false;
                if (!near(share[t].x, 1 / (1 + std::exp(double{v[second]} - v[first])), 1e-4) ||
                    !near(share[t].y, 1.0 - share[t].x, 1e-4))
                    return false;
                if (!take(choice[t].x, slot[t].x) || !take(choice[t].y, slot[t].y))
                    return false;
            }
            for (size_t e = 0; e < 8; ++e) // all places below the count, so none is left out
                if (std::find(taken[e].begin(), taken[e].end(), false) - taken[e].begin() != expected[e])
                    return false;
            return count.now() == expected;
        },
        [&] { count.clear(); });
}

/// The gradient of the logits of a large vocabulary: probabilities less one where the label is, times a loss scale.
__global__ void cross_entropy_backward(const __half* logits, const u* labels, __half* out, int words, float scale)
{
    __shared__ float parts[32];
    const __half* row = logits + static_cast<size_t>(blockIdx.x) * words;
    float most = -1e30F;
    for (int w = threadIdx.x; w < words; w += blockDim.x)
        most = fmaxf(most, __half2float(row[w]));
    for (int offset = 16; offset > 0; offset /= 2)
        most = fmaxf(most, __shfl_xor_sync(full, most, offset));
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = most;
    __syncthreads();
    most = parts[threadIdx.x % 32];
    for (int offset = 16; offset > 0; offset /= 2)
        most = fmaxf(most, __shfl_xor_sync(full, most, offset));
    __syncthreads();
    float sum = 0;
    for (int w = threadIdx.x; w < words; w += blockDim.x)
        sum += __expf(__half2float(row[w]) - most);
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(full, sum, offset);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = parts[threadIdx.x % 32];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(full, sum, offset);
    const int label = static_cast<int>(labels[blockIdx.x]);
    for (int w = threadIdx.x; w < words; w += blockDim.x) {
        const float p = __expf(__half2float(row[w]) - most) / sum;
        out[static_cast<size_t>(blockIdx.x) * words + w] = __float2half(scale * (w == label ? p - 1 : p));
    }
}

bool try_cross_entropy_backward(const char* name)
{
    const int words = 50257;
    const size_t rows = n / words;
    const Array<__half> logits(rows * words, noise(8, -4, 4));
    const Array<u> labels(rows, below(9, words));
    const Array<__half> out(rows * words);
    return run(
        name,
        [&] {
            cross_entropy_backward<<<static_cast<u>(rows), 1024>>>(logits.memory, labels.memory, out.memory, words,
                                                                   4096);
        },
        [&] {
            std::vector<double> sums(rows);
            for (size_t i = 0; i < logits.size; ++i)
                sums[i / words] += std::exp(__half2float(logits.first[i]));
            const std::vector<__half> now = out.now();
            const auto right = [&](size_t i) {
                const double p = std::exp(double{__half2float(logits.first[i])}) / sums[i / words];
                return near(__half2float(now[i]), 4096 * (i % words == labels.first[i / words] ? p - 1 : p), 2e-3);
            };
            for (size_t row = 0; row < rows; ++row)
                if (!right(row * words + labels.first[row]))
                    return false;
            return sampled(out.size, right);
        });
}

/// A step of the Lion optimiser: gradients of 16 bits, weights and momentum of 32, and a copy of the weights in 16.
__global__ void lion_step(const __nv_bfloat16* gradient, float* weight, float* momentum, __nv_bfloat16* copy,
                          float rate, float decay, size_t count)
{
    for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < count; i += size_t{gridDim.x} * blockDim.x) {
        const float g = __bfloat162float(gradient[i]);
        const float m = momentum[i];
        float w = weight[i];
        const float c = 0.9F * m + 0.1F * g;
        const float direction = c > 0 ? 1.0F : c < 0 ? -1.0F : 0.0F;
        w -= rate * (direction + decay * w);
        weight[i] = w;
        momentum[i] = 0.99F * m + 0.01F * g;
        copy[i] = __float2bfloat16(w);
    }
}

bool try_lion_step(const char* name)
{
    const size_t count = n / 2;
    const Array<__nv_bfloat16> gradient(count, noise(10, -4, 4));
    Array<float> weight(count, noise(11, -1));
    Array<float> momentum(count, noise(12, -1));
    const Array<__nv_bfloat16> copy(count);
    return run(
        name,
        [&] {
            lion_step<<<792, 256>>>(gradient.memory, weight.memory, momentum.memory, copy.memory, 0.01F, 0.1F, count);
        },
        [&] {
            const std::vector<float> w = weight.now();
            const std::vector<float> m = momentum.now();
            const std::vector<__nv_bfloat16> rounded = copy.now();
            return sampled(count, [&](size_t i) {
                const double g = __bfloat162float(gradient.first[i]);
                const double c = 0.9 * momentum.first[i] + 0.1 * g;
                const double expected = weight.first[i] - 0.01 * ((c > 0 ? 1 : -1) + 0.1 * weight.first[i]);
                return (near(w[i], expected, 1e-5) || std::fabs(c) < 1e-6) &&
                       near(m[i], 0.99 * momentum.first[i] + 0.01 * g, 1e-5) &&
                       near(__bfloat162float(rounded[i]), w[i], 4e-3);
            });
        },
        [&] {
            weight.reset();
            momentum.reset();
        });
}

struct Nibbles
{
    __half scale;
    byte pairs[16];
};

/// A vector times weights of four bits, 32 of which share a scale: a warp a row.
__global__ void dequant_matvec(const Nibbles* weights, const float* x, float* y, int groups)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    float sum = 0;
    for (int g = lane; g < groups; g += 32) {
        const Nibbles& group = weights[static_cast<size_t>(row) * groups + g];
        float part = 0;
#pragma unroll
        for (int k = 0; k < 16; ++k) {
            const int pair = group.pairs[k];
            part += static_cast<float>(pair % 16 - 8) * x[g * 32 + k];
            part += static_cast<float>(pair / 16 - 8) * x[g * 32 + 16 + k];
        }
        sum += part * __half2float(group.scale);
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(full, sum, offset);
    if (lane == 0)
        y[row] = sum;
}

bool try_dequant_matvec(const char* name)
{
    const int groups = 128;
    const size_t rows = n / 1024;
    const Array<Nibbles> weights(rows * groups, [](size_t i) {
        Nibbles group;
        group.scale = __float2half(noise(13, 0.01F, 0.05F)(i));
        for (size_t k = 0; k < 16; ++k)
            group.pairs[k] = static_cast<byte>(mix(static_cast<u>(i * 4 + k / 4)) >> k % 4 * 8);
        return group;
    });
    const Array<float> x(groups * 32, noise(14, -1));
    const Array<float> y(rows);
    return run(
        name, [&] { dequant_matvec<<<blocks(rows, 4), 128>>>(weights.memory, x.memory, y.memory, groups); },
        [&] {
            return matches(
                y,
                [&](size_t row) {
                    double sum = 0;
                    for (size_t g = 0; g < groups; ++g) {
                        const Nibbles& group = weights.first[row * groups + g];
                        const double scale = __half2float(group.scale);
                        for (size_t k = 0; k < 16; ++k)
                            sum += scale * ((group.pairs[k] % 16 - 8) * double{x.first[g * 32 + k]} +
                                            (group.pairs[k] / 16 - 8) * double{x.first[g * 32 + 16 + k]});
                    }
                    return sum;
                },
                1e-3);
        });
}

// --- matrices ------------------------------------------------------------------------------------

/// A symmetric matrix of nine diagonals times a vector; only the five of the upper half are kept.
__global__ void banded_multiply(const double* bands, const int* distance, const double* x, double* y, int rows)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows)
        return;
    double sum = bands[i] * x[i];
    for (int d = 1; d < 5; ++d) {
        const int far = __ldg(&distance[d]);
        const double* band = bands + static_cast<size_t>(d) * rows;
        if (i + far < rows)
            sum += band[i] * x[i + far];
        if (i - far >= 0)
            sum += band[i - far] * x[i - far];
    }
    y[i] = sum;
}

bool try_banded_multiply(const char* name)
{
    const int rows = static_cast<int>(n / 8);
    const Array<int> distance(std::vector<int>{0, 1, 2, 96, 4096});
    const Array<double> bands(size_t{5} * rows, noise(15, -1));
    const Array<double> x(rows, noise(16, -1));
    const Array<double> y(rows);
    return run(
        name,
        [&] { banded_multiply<<<blocks(rows, 128), 128>>>(bands.memory, distance.memory, x.memory, y.memory, rows); },
        [&] {
            return matches(
                y,
                [&](size_t row) {
                    const long long i = static_cast<long long>(row);
                    double sum = 0;
                    for (int d = -4; d < 5; ++d) {
                        const long long far = distance.first[std::abs(d)];
                        const long long column = d < 0 ? i - far : i + far;
                        if (column >= 0 && column < rows)
                            sum += bands.first[std::abs(d) * static_cast<long long>(rows) + std::min(i, column)] *
                                   x.first[column];
                    }
                    return sum;
                },
                1e-9);
        });
}

struct Matrix6
{
    float at[6][6];
};

/// The factor L of L times its transpose, of many matrices of six rows: a thread a matrix.
__device__ void factorise(const Matrix6& in, Matrix6& out)
{
#pragma unroll
    for (int i = 0; i < 6; ++i) {
#pragma unroll
        for (int j = 0; j < 6; ++j) {
            if (j > i) {
                out.at[i][j] = 0;
                continue;
            }
            float sum = in.at[i][j];
#pragma unroll
            for (int k = 0; k < j; ++k)
                sum -= out.at[i][k] * out.at[j][k];
            out.at[i][j] = i == j ? sqrtf(sum) : sum / out.at[j][j];
        }
    }
}

__global__ void cholesky_small(const Matrix6* in, Matrix6* out, int count)
{
    const int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= count)
        return;
    const Matrix6 mine = in[m];
    Matrix6 factor;
    factorise(mine, factor);
    out[m] = factor;
}

bool try_cholesky_small(const char* name)
{
    const int count = static_cast<int>(n / 64);
    const Array<Matrix6> in(count, [](size_t m) {
        Matrix6 matrix;
        for (size_t i = 0; i < 6; ++i)
            for (size_t j = 0; j < 6; ++j)
                matrix.at[i][j] = noise(17, -1)(m * 36 + std::max(i, j) * 6 + std::min(i, j)) + (i == j ? 8.0F : 0.0F);
        return matrix;
    });
    const Array<Matrix6> out(count);
    return run(
        name, [&] { cholesky_small<<<blocks(count, 64), 64>>>(in.memory, out.memory, count); },
        [&] {
            const std::vector<Matrix6> now = out.now();
            return sampled(count, [&](size_t m) {
                for (size_t i = 0; i < 6; ++i)
                    for (size_t j = 0; j < 6; ++j) {
                        double sum = 0;
                        for (size_t k = 0; k < 6; ++k)
                            sum += double{now[m].at[i][k]} * now[m].at[j][k];
                        if (!near(sum, in.first[m].at[i][j], 1e-5) || (j > i && now[m].at[i][j] != 0) ||
                            (i == j && !(now[m].at[i][j] > 0)))
                            return false;
                    }
                return true;
            });
        });
}

/// A step of an LU decomposition, columns after one another: what is right of and below the pivot.
__global__ void lu_update(double* a, int size, int k)
{
    const int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    const int j = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (i < size && j < size)
        a[static_cast<size_t>(j) * size + i] -= a[static_cast<size_t>(k) * size + i] /
                                                a[static_cast<size_t>(k) * size + k] *
                                                a[static_cast<size_t>(j) * size + k];
}

bool try_lu_update(const char* name)
{
    const int size = side(6);
    const int k = size / 16;
    const size_t count = static_cast<size_t>(size) * size;
    Array<double> a(count, noise(18, 1, 2));
    return run(
        name,
        [&] {
            lu_update<<<dim3(blocks(size - k - 1, 32), blocks(size - k - 1, 8)), dim3(32, 8)>>>(a.memory, size, k);
        },
        [&] {
            const std::vector<double>& b = a.first;
            return matches(
                a,
                [&](size_t at) {
                    const int i = static_cast<int>(at % size);
                    const int j = static_cast<int>(at / size);
                    const size_t column = static_cast<size_t>(k) * size;
                    if (i <= k || j <= k)
                        return b[at];
                    return b[at] - b[column + i] / b[column + k] * b[static_cast<size_t>(j) * size + k];
                },
                1e-9);
        },
        [&] { a.reset(); });
}

/// A symmetric matrix times a vector, of which the lower half is kept, rows after one another: a thread a row.
__global__ void symmetric_packed(const float* a, const float* x, float* y, int size)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size)
        return;
    float sum = 0;
    for (int j = 0; j < size; ++j) {
        const int row = j > i ? j : i;
        const int column = j > i ? i : j;
        sum += a[static_cast<size_t>(row) * (row + 1) / 2 + column] * x[j];
    }
    y[i] = sum;
}

bool try_symmetric_packed(const char* name)
{
    const size_t size = static_cast<size_t>(side(0));
    const Array<float> a(size * (size + 1) / 2, noise(19, -1));
    const Array<float> x(size, noise(20, -1));
    const Array<float> y(size);
    return run(
        name,
        [&] { symmetric_packed<<<blocks(size, 32), 32>>>(a.memory, x.memory, y.memory, static_cast<int>(size)); },
        [&] {
            std::vector<double> expected(size);
            for (size_t i = 0; i < size; ++i)
                for (size_t j = 0; j <= i; ++j) {
                    const double v = a.first[i * (i + 1) / 2 + j];
                    expected[i] += v * x.first[j];
                    if (i != j)
                        expected[j] += v * x.first[i];
                }
            return matches(y, expected);
        });
}

/// Products of many matrices of 16 rows in halves, summed as floats: a block a pair.
__global__ void batched_halves(const __half* a, const __half* b, __half* c)
{
    __shared__ __half left[16][16];
    __shared__ __half right[16][17];
    const size_t at = blockIdx.x * size_t{256} + threadIdx.y * 16 + threadIdx.x;
    left[threadIdx.y][threadIdx.x] = a[at];
    right[threadIdx.y][threadIdx.x] = b[at];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 16; ++k)
        sum += __half2float(left[threadIdx.y][k]) * __half2float(right[k][threadIdx.x]);
    c[at] = __float2half(sum);
}

bool try_batched_halves(const char* name)
{
    const size_t count = n / 2;
    const Array<__half> a(count, noise(21, -1));
    const Array<__half> b(count, noise(22, -1));
    const Array<__half> c(count);
    return run(
        name,
        [&] { batched_halves<<<static_cast<u>(count / 256), dim3(16, 16)>>>(a.memory, b.memory, c.memory); },
        [&] {
            const std::vector<__half> now = c.now();
            return sampled(count, [&](size_t i) {
                const size_t matrix = i / 256 * 256;
                double sum = 0;
                for (size_t k = 0; k < 16; ++k)
                    sum += double{__half2float(a.first[i / 16 * 16 + k])} *
                           __half2float(b.first[matrix + k * 16 + i % 16]);
                return near(__half2float(now[i]), sum, 2e-3);
            });
        });
}

/// A sparse matrix of blocks of 4 by 4 times a vector: a warp takes two blocks of a row at a time.
__global__ void sparse_blocks(const u* start, const u* column, const float* values, const float* x, float* y, u rows)
{
    const u row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    const u lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    const u end = start[row + 1];
    for (u k = start[row] + lane / 16; k < end; k += 2)
        sum += values[k * size_t{16} + lane % 16] * x[column[k] * 4 + lane % 4];
    sum += __shfl_xor_sync(full, sum, 16);
    sum += __shfl_xor_sync(full, sum, 2);
    sum += __shfl_xor_sync(full, sum, 1);
    if (lane < 16 && lane % 4 == 0)
        y[row * 4 + lane / 4] = sum;
}

bool try_sparse_blocks(const char* name)
{
    const u rows = static_cast<u>(n / 256);
    std::vector<u> begin(rows + 1);
    for (u r = 0; r < rows; ++r)
        begin[r + 1] = begin[r] + 3 + mix(r + 23) % 8;
    const Array<u> start(begin);
    const Array<u> column(begin.back(), below(24, rows));
    const Array<float> values(size_t{begin.back()} * 16, noise(25, -1));
    const Array<float> x(size_t{rows} * 4, noise(26, -1));
    const Array<float> y(size_t{rows} * 4);
    return run(
        name,
        [&] {
            sparse_blocks<<<blocks(rows, 8), 256>>>(start.memory, column.memory, values.memory, x.memory, y.memory,
                                                    rows);
        },
        [&] {
            return matches(y, [&](size_t i) {
                double sum = 0;
                for (size_t k = begin[i / 4]; k < begin[i / 4 + 1]; ++k)
                    for (size_t c = 0; c < 4; ++c)
                        sum += double{values.first[k * 16 + i % 4 * 4 + c]} * x.first[size_t{column.first[k]} * 4 + c];
                return sum;
            });
        });
}

// --- pictures ------------------------------------------------------------------------------------

/// Where each square of 16 pixels was in the picture before, up to four pixels away: a thread a place.
__global__ void motion_search(const byte* now, const byte* before, u* best, int width, int height)
{
    __shared__ byte mine[16][16];
    __shared__ byte window[24][24];
    __shared__ u least;
    const int left = blockIdx.x * 16;
    const int top = blockIdx.y * 16;
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        mine[i / 16][i % 16] = now[static_cast<size_t>(top + i / 16) * width + left + i % 16];
    for (int i = threadIdx.x; i < 576; i += blockDim.x) {
        const int x = min(max(left + i % 24 - 4, 0), width - 1);
        const int y = min(max(top + i / 24 - 4, 0), height - 1);
        window[i / 24][i % 24] = before[static_cast<size_t>(y) * width + x];
    }
    if (threadIdx.x == 0)
        least = full;
    __syncthreads();
    if (threadIdx.x < 81) {
        const int right = threadIdx.x % 9;
        const int down = threadIdx.x / 9;
        u sum = 0;
        for (int y = 0; y < 16; ++y)
            for (int x = 0; x < 16; ++x)
                sum += abs(mine[y][x] - window[y + down][x + right]);
        atomicMin(&least, sum << 8 | threadIdx.x);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        best[blockIdx.y * gridDim.x + blockIdx.x] = least;
}

bool try_motion_search(const char* name)
{
    const int size = side(0);
    const size_t count = static_cast<size_t>(size) * size;
    const Array<byte> before(count, [](size_t i) { return mix(static_cast<u>(i)) >> 24; });
    const Array<byte> now(count, [&](size_t i) { // moved by an amount of each row of squares, and a little noise
        const size_t moved = i + mix(static_cast<u>(i / size / 16)) % 4;
        return before.first[moved < count ? moved : i] ^ mix(static_cast<u>(i) + 27) % 4;
    });
    const Array<u> best(count / 256);
    return run(
        name,
        [&] {
            motion_search<<<dim3(size / 16, size / 16), 96>>>(now.memory, before.memory, best.memory, size, size);
        },
        [&] {
            const std::vector<u> found = best.now();
            for (size_t b = 0; b < best.size; b += b < 256 ? 1 : 13) {
                const int left = static_cast<int>(b % (size / 16)) * 16;
                const int top = static_cast<int>(b / (size / 16)) * 16;
                int window[24][24];
                for (int y = 0; y < 24; ++y)
                    for (int x = 0; x < 24; ++x)
                        window[y][x] = before.first[static_cast<size_t>(std::clamp(top + y - 4, 0, size - 1)) * size +
                                                    std::clamp(left + x - 4, 0, size - 1)];
                u least = full;
                for (u place = 0; place < 81; ++place) {
                    u sum = 0;
                    for (int y = 0; y < 16; ++y)
                        for (int x = 0; x < 16; ++x)
                            sum += std::abs(now.first[static_cast<size_t>(top + y) * size + left + x] -
                                            window[y + place / 9][x + place % 9]);
                    least = std::min(least, sum << 8 | place);
                }
                if (found[b] != least)
                    return false;
            }
            return true;
        });
}

/// A pixel of a sensor that is mirrored at the edges, so that it keeps its colour.
__host__ __device__ int sensor(const unsigned short* raw, int x, int y, int width, int height)
{
    x = x < 0 ? -x : x >= width ? 2 * width - 2 - x : x;
    y = y < 0 ? -y : y >= height ? 2 * height - 2 - y : y;
    return raw[static_cast<size_t>(y) * width + x];
}

/// Three colours for each pixel of a sensor that saw one of them, 12 bits each.
__global__ void demosaic(const unsigned short* raw, uchar4* out, int width, int height)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    const auto at = [&](int dx, int dy) { return sensor(raw, x + dx, y + dy, width, height); };
    const int here = at(0, 0);
    const int level = (at(-1, 0) + at(1, 0)) / 2;
    const int upright = (at(0, -1) + at(0, 1)) / 2;
    int r;
    int g;
    int b;
    if (x % 2 == y % 2) {
        const int corners = (at(-1, -1) + at(1, -1) + at(-1, 1) + at(1, 1)) / 4;
        g = (level + upright) / 2;
        r = x % 2 == 0 ? here : corners;
        b = x % 2 == 0 ? corners : here;
    } else {
        g = here;
        r = y % 2 == 0 ? level : upright;
        b = y % 2 == 0 ? upright : level;
    }
    out[static_cast<size_t>(y) * width + x] =
        make_uchar4(static_cast<byte>(r >> 4), static_cast<byte>(g >> 4), static_cast<byte>(b >> 4), 255);
}

bool try_demosaic(const char* name)
{
    const int size = side(0);
    const size_t count = static_cast<size_t>(size) * size;
    const Array<unsigned short> raw(count, below(28, 4096));
    const Array<uchar4> out(count);
    return run(
        name,
        [&] {
            demosaic<<<dim3(blocks(size, 32), blocks(size, 8)), dim3(32, 8)>>>(raw.memory, out.memory, size, size);
        },
        [&] {
            const std::vector<uchar4> now = out.now();
            return sampled(count, [&](size_t i) {
                const int x = static_cast<int>(i % size);
                const int y = static_cast<int>(i / size);
                const auto at = [&](int dx, int dy) { return sensor(raw.first.data(), x + dx, y + dy, size, size); };
                const int level = (at(-1, 0) + at(1, 0)) / 2;
                const int upright = (at(0, -1) + at(0, 1)) / 2;
                const int corners = (at(-1, -1) + at(1, -1) + at(-1, 1) + at(1, 1)) / 4;
                const int kind = y % 2 * 2 + x % 2; // of a square: red, green; green, blue
                const int r[4] = {at(0, 0), level, upright, corners};
                const int g[4] = {(level + upright) / 2, at(0, 0), at(0, 0), (level + upright) / 2};
                const int b[4] = {corners, upright, level, at(0, 0)};
                return now[i].x == r[kind] >> 4 && now[i].y == g[kind] >> 4 && now[i].z == b[kind] >> 4 &&
                       now[i].w == 255;
            });
        });
}

/// A picture turned by some angle, whose sine and cosine have 14 bits after the point.
__global__ void rotate_image(const uchar4* in, uchar4* out, int size, int sine, int cosine)
{
    const int x = blockIdx.x * 16 + threadIdx.x;
    const int y = blockIdx.y * 16 + threadIdx.y;
    const int dx = x - size / 2;
    const int dy = y - size / 2;
    const int fromx = ((cosine * dx + sine * dy) >> 14) + size / 2;
    const int fromy = ((cosine * dy - sine * dx) >> 14) + size / 2;
    uchar4 colour = make_uchar4(0, 0, 0, 0);
    if (fromx >= 0 && fromx < size && fromy >= 0 && fromy < size)
        colour = in[fromy * size + fromx];
    out[y * size + x] = colour;
}

bool try_rotate_image(const char* name)
{
    const int size = side(2);
    const int sine = 9397; // of 35 degrees
    const int cosine = 13421;
    const size_t count = static_cast<size_t>(size) * size;
    const Array<uchar4> in(count, [](size_t i) {
        const u m = mix(static_cast<u>(i) + 29);
        return make_uchar4(m & 255, m >> 8 & 255, m >> 16 & 255, 255);
    });
    const Array<uchar4> out(count);
    return run(
        name,
        [&] {
            rotate_image<<<dim3(size / 16, size / 16), dim3(16, 16)>>>(in.memory, out.memory, size, sine, cosine);
        },
        [&] {
            const std::vector<uchar4> now = out.now();
            return sampled(count, [&](size_t i) {
                const long long dx = static_cast<long long>(i % size) - size / 2;
                const long long dy = static_cast<long long>(i / size) - size / 2;
                const double x = std::floor((cosine * dx + sine * dy) / 16384.0) + size / 2;
                const double y = std::floor((cosine * dy - sine * dx) / 16384.0) + size / 2;
                if (x < 0 || y < 0 || x >= size || y >= size)
                    return std::memcmp(&now[i], "\0\0\0\0", 4) == 0;
                return std::memcmp(&now[i], &in.first[static_cast<size_t>(y) * size + static_cast<size_t>(x)], 4) == 0;
            });
        });
}

// --- signals -------------------------------------------------------------------------------------

__constant__ float filter_taps[64];

/// A filter of 64 taps that keeps every fourth sample; the samples of a block are in shared memory.
__global__ void fir_decimate(const float* in, float* out)
{
    __shared__ float window[256 * 4 + 64];
    const size_t first = blockIdx.x * size_t{1024};
    for (int i = threadIdx.x; i < 256 * 4 + 64; i += 256)
        window[i] = in[first + i];
    __syncthreads();
    float sum = 0;
#pragma unroll 8
    for (int k = 0; k < 64; ++k)
        sum += filter_taps[k] * window[threadIdx.x * 4 + k];
    out[blockIdx.x * size_t{256} + threadIdx.x] = sum;
}

bool try_fir_decimate(const char* name)
{
    const Array<float> in(n + 64, noise(30, -1));
    const Array<float> out(n / 4);
    float taps[64];
    for (int k = 0; k < 64; ++k)
        taps[k] = 0.02F * (1 + std::cos((static_cast<float>(k) - 31.5F) * 0.1F));
    cudaMemcpyToSymbol(filter_taps, taps, sizeof taps);
    return run(
        name, [&] { fir_decimate<<<static_cast<u>(n / 1024), 256>>>(in.memory, out.memory); },
        [&] {
            return matches(out, [&](size_t i) {
                double sum = 0;
                for (size_t k = 0; k < 64; ++k)
                    sum += double{taps[k]} * in.first[i * 4 + k];
                return sum;
            });
        });
}

/// Fourier transforms of 256 numbers each, whole in shared memory: a block of 128 threads each.
__global__ void fft256(const float2* in, float2* out)
{
    __shared__ float2 data[256];
    const int t = threadIdx.x;
    const size_t first = blockIdx.x * size_t{256};
    data[__brev(t) >> 24] = in[first + t];
    data[__brev(t + 128) >> 24] = in[first + t + 128];
    __syncthreads();
    for (int half = 1; half < 256; half *= 2) {
        const int k = t % half;
        const int low = t / half * half * 2 + k;
        float sine;
        float cosine;
        sincosf(-3.14159265F * k / half, &sine, &cosine);
        const float2 a = data[low];
        const float2 b = data[low + half];
        const float2 turned = make_float2(b.x * cosine - b.y * sine, b.x * sine + b.y * cosine);
        data[low] = make_float2(a.x + turned.x, a.y + turned.y);
        data[low + half] = make_float2(a.x - turned.x, a.y - turned.y);
        __syncthreads();
    }
    out[first + t] = data[t];
    out[first + t + 128] = data[t + 128];
}

bool try_fft256(const char* name)
{
    const size_t count = n / 2;
    const Array<float2> in(count, [](size_t i) { return make_float2(noise(31, -1)(i), noise(32, -1)(i)); });
    const Array<float2> out(count);
    return run(
        name, [&] { fft256<<<static_cast<u>(count / 256), 128>>>(in.memory, out.memory); },
        [&] {
            std::vector<double> cosines(256);
            std::vector<double> sines(256);
            for (size_t k = 0; k < 256; ++k) {
                cosines[k] = std::cos(-6.283185307179586 * static_cast<double>(k) / 256);
                sines[k] = std::sin(-6.283185307179586 * static_cast<double>(k) / 256);
            }
            const std::vector<float2> now = out.now();
            return sampled(count, [&](size_t i) {
                const float2* from = &in.first[i / 256 * 256];
                double x = 0;
                double y = 0;
                for (size_t k = 0; k < 256; ++k) {
                    const size_t turn = k * (i % 256) % 256;
                    x += from[k].x * cosines[turn] - from[k].y * sines[turn];
                    y += from[k].x * sines[turn] + from[k].y * cosines[turn];
                }
                return near(now[i].x, x, 2e-4) && near(now[i].y, y, 2e-4);
            });
        });
}

struct Biquad
{
    float b0, b1, b2, a1, a2;
};

/// A recursive filter of each of many channels, which lie side by side: a thread a channel walks through time.
__global__ void biquad_channels(const float* in, const Biquad* filters, float* out, int channels, int time)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels)
        return;
    const Biquad f = filters[c];
    float z1 = 0;
    float z2 = 0;
    for (int t = 0; t < time; ++t) {
        const float x = in[static_cast<size_t>(t) * channels + c];
        const float y = f.b0 * x + z1;
        z1 = f.b1 * x - f.a1 * y + z2;
        z2 = f.b2 * x - f.a2 * y;
        out[static_cast<size_t>(t) * channels + c] = y;
    }
}

bool try_biquad_channels(const char* name)
{
    const int time = 1024;
    const int channels = static_cast<int>(n / 2048);
    const Array<float> in(static_cast<size_t>(channels) * time, noise(33, -1));
    const Array<Biquad> filters(channels, [](size_t c) {
        return Biquad{noise(34, 0.2F, 0.6F)(c), noise(35, -0.3F, 0.3F)(c), noise(36, -0.2F, 0.2F)(c),
                      noise(37, -1, 0.5F)(c), noise(38, 0.2F, 0.6F)(c)};
    });
    const Array<float> out(in.size);
    return run(
        name,
        [&] {
            biquad_channels<<<blocks(channels, 64), 64>>>(in.memory, filters.memory, out.memory, channels, time);
        },
        [&] {
            const std::vector<float> now = out.now();
            for (size_t c = 0; c < filters.size; c += c < 64 ? 1 : 5) {
                const Biquad& f = filters.first[c];
                double x1 = 0;
                double x2 = 0;
                double y1 = 0;
                double y2 = 0;
                for (size_t t = 0; t < time; ++t) {
                    const double x = in.first[t * channels + c];
                    const double y = f.b0 * x + f.b1 * x1 + f.b2 * x2 - f.a1 * y1 - f.a2 * y2;
                    if (!near(now[t * channels + c], y, 1e-4))
                        return false;
                    x2 = x1;
                    x1 = x;
                    y2 = y1;
                    y1 = y;
                }
            }
            return true;
        });
}

// --- graphs --------------------------------------------------------------------------------------

/// How many triangles a graph has: a thread an edge compares the sorted neighbours of both ends.
__global__ void count_triangles(const u* start, const u* column, const u* source, unsigned long long* total, u edges)
{
    const u e = blockIdx.x * blockDim.x + threadIdx.x;
    u found = 0;
    if (e < edges) {
        u a = start[source[e]];
        u b = start[column[e]];
        const u enda = start[source[e] + 1];
        const u endb = start[column[e] + 1];
        while (a < enda && b < endb) {
            const u x = column[a];
            const u y = column[b];
            found += x == y;
            a += x <= y;
            b += y <= x;
        }
    }
    for (int offset = 16; offset > 0; offset /= 2)
        found += __shfl_down_sync(full, found, offset);
    if (threadIdx.x % 32 == 0 && found > 0)
        atomicAdd(total, static_cast<unsigned long long>(found));
}

bool try_count_triangles(const char* name)
{
    const u vertices = static_cast<u>(n / 64);
    std::vector<u> begin(1, 0);
    std::vector<u> to;
    std::vector<u> from;
    for (u v = 0; v < vertices; ++v) {
        u other = v;
        for (u k = 0; k < mix(v + 39) % 12; ++k) {
            other += 1 + mix(v * 16 + k) % 3;
            if (other >= vertices)
                break;
            to.push_back(other);
            from.push_back(v);
        }
        begin.push_back(static_cast<u>(to.size()));
    }
    const u edges = static_cast<u>(to.size());
    const Array<u> start(begin);
    const Array<u> column(to);
    const Array<u> source(from);
    Array<unsigned long long> total(1);
    return run(
        name,
        [&] {
            count_triangles<<<blocks(edges, 128), 128>>>(start.memory, column.memory, source.memory, total.memory,
                                                         edges);
        },
        [&] {
            unsigned long long expected = 0;
            for (u e = 0; e < edges; ++e)
                for (u k = begin[from[e]]; k < begin[from[e] + 1]; ++k)
                    expected += std::binary_search(to.begin() + begin[to[e]], to.begin() + begin[to[e] + 1], to[k]);
            return total.now()[0] == expected;
        },
        [&] { total.clear(); });
}

struct Edge
{
    u from, to, weight;
};

/// One round of shortest paths over a list of edges; most vertices have not been reached yet.
__global__ void relax_edges(const Edge* edges, const u* distance, u* next, u count)
{
    const u e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= count)
        return;
    const Edge edge = edges[e];
    const u here = distance[edge.from];
    if (here == full)
        return;
    if (here + edge.weight < distance[edge.to])
        atomicMin(&next[edge.to], here + edge.weight);
}

bool try_relax_edges(const char* name)
{
    const u count = static_cast<u>(n / 4);
    const u vertices = static_cast<u>(n / 32);
    const Array<Edge> edges(count, [&](size_t i) {
        return Edge{below(40, vertices)(i), below(41, vertices)(i), 1 + below(42, 1000)(i)};
    });
    const Array<u> distance(vertices, [](size_t v) {
        const u m = mix(static_cast<u>(v) + 43);
        return m % 3 == 0 ? m / 3 % 100000 : full;
    });
    Array<u> next(distance.first);
    return run(
        name,
        [&] { relax_edges<<<blocks(count, 512), 512>>>(edges.memory, distance.memory, next.memory, count); },
        [&] {
            std::vector<u> expected = distance.first;
            for (const Edge& edge : edges.first)
                if (distance.first[edge.from] != full)
                    expected[edge.to] = std::min(expected[edge.to], distance.first[edge.from] + edge.weight);
            return next.now() == expected;
        },
        [&] { next.reset(); });
}

// --- tables --------------------------------------------------------------------------------------

/// Sales up to a day, summed by six groups: price after discount in hundredths, and how many.
__global__ void group_totals(const int* day, const long long* price, const byte* discount, const byte* group,
                             unsigned long long* totals, int last, size_t count)
{
    __shared__ unsigned long long sums[8][6];
    __shared__ u counts[8][6];
    const int warp = threadIdx.x / 32;
    if (threadIdx.x < 48) {
        sums[threadIdx.x / 6][threadIdx.x % 6] = 0;
        counts[threadIdx.x / 6][threadIdx.x % 6] = 0;
    }
    __syncthreads();
    for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < count; i += size_t{gridDim.x} * blockDim.x)
        if (day[i] <= last) {
            const int g = group[i];
            atomicAdd(&sums[warp][g], static_cast<unsigned long long>(price[i] * (100 - discount[i])));
            atomicAdd(&counts[warp][g], 1U);
        }
    __syncthreads();
    if (threadIdx.x < 6) {
        unsigned long long sum = 0;
        unsigned long long rows = 0;
        for (int w = 0; w < 8; ++w) {
            sum += sums[w][threadIdx.x];
            rows += counts[w][threadIdx.x];
        }
        atomicAdd(&totals[threadIdx.x], sum);
        atomicAdd(&totals[6 + threadIdx.x], rows);
    }
}

bool try_group_totals(const char* name)
{
    const size_t count = n / 2;
    const Array<int> day(count, below(44, 2500));
    const Array<long long> price(count, below(45, 10000000));
    const Array<byte> discount(count, below(46, 11));
    const Array<byte> group(count, below(47, 6));
    Array<unsigned long long> totals(12);
    return run(
        name,
        [&] {
            group_totals<<<528, 256>>>(day.memory, price.memory, discount.memory, group.memory, totals.memory, 1800,
                                       count);
        },
        [&] {
            std::vector<unsigned long long> expected(12);
            for (size_t i = 0; i < count; ++i)
                if (day.first[i] <= 1800) {
                    expected[group.first[i]] += price.first[i] * (100 - discount.first[i]);
                    ++expected[6 + group.first[i]];
                }
            return totals.now() == expected;
        },
        [&] { totals.clear(); });
}

struct Node
{
    u key, payload, next;
};

/// Probes a table of chains: the sum of what belongs to the rows of the same key.
__global__ void join_chains(const u* probe, const u* heads, const Node* nodes, u* out, u mask, u count)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const u key = probe[i];
    u sum = 0;
    for (u at = heads[mix(key) & mask]; at != full; at = nodes[at].next)
        if (nodes[at].key == key)
            sum += nodes[at].payload;
    out[i] = sum;
}

bool try_join_chains(const char* name)
{
    const u rows = static_cast<u>(n / 16);
    const u count = static_cast<u>(n / 4);
    const u mask = rows - 1;
    std::vector<u> first(rows, full);
    std::vector<Node> chain(rows);
    std::vector<u> sums(rows); // of each key
    for (u r = 0; r < rows; ++r) {
        const u key = below(48, rows)(r);
        chain[r] = {key, mix(r), first[mix(key) & mask]};
        first[mix(key) & mask] = r;
        sums[key] += mix(r);
    }
    const Array<u> heads(first);
    const Array<Node> nodes(chain);
    const Array<u> probe(count, below(49, size_t{rows} * 3 / 2));
    const Array<u> out(count);
    return run(
        name,
        [&] {
            join_chains<<<blocks(count, 256), 256>>>(probe.memory, heads.memory, nodes.memory, out.memory, mask, count);
        },
        [&] {
            const std::vector<u> now = out.now();
            for (size_t i = 0; i < count; ++i)
                if (now[i] != (probe.first[i] < rows ? sums[probe.first[i]] : 0))
                    return false;
            return true;
        });
}

/// Codes of 12 bits, one after another, and what they stand for.
__global__ void dictionary_decode(const u* words, const double* dictionary, double* out, u count)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const u bit = i * 12;
    const u shift = bit % 32;
    u code = words[bit / 32] >> shift;
    if (shift > 20)
        code |= words[bit / 32 + 1] << (32 - shift);
    out[i] = __ldg(&dictionary[code & 4095]);
}

bool try_dictionary_decode(const char* name)
{
    const u count = static_cast<u>(n / 2);
    std::vector<u> packed(count / 8 * 3);
    const auto code = below(50, 4096);
    for (u i = 0; i < count; ++i) {
        const uint64_t bits = uint64_t{code(i)} << i * 12 % 32;
        packed[i * 12 / 32] |= static_cast<u>(bits);
        if (bits >> 32 != 0)
            packed[i * 12 / 32 + 1] |= static_cast<u>(bits >> 32);
    }
    const Array<u> words(packed);
    const Array<double> dictionary(4096, noise(51, -100, 100));
    const Array<double> out(count);
    return run(
        name,
        [&] { dictionary_decode<<<blocks(count, 512), 512>>>(words.memory, dictionary.memory, out.memory, count); },
        [&] {
            const std::vector<double> now = out.now();
            for (size_t i = 0; i < count; ++i)
                if (now[i] != dictionary.first[code(i)])
                    return false;
            return true;
        });
}

/// How many rows are in two bitmaps and not in a third: four words a load.
__global__ void bitmap_count(const uint4* a, const uint4* b, const uint4* without, unsigned long long* total, u count)
{
    __shared__ u parts[32];
    u found = 0;
    for (u i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const uint4 x = a[i];
        const uint4 y = b[i];
        const uint4 z = without[i];
        found += __popc(x.x & y.x & ~z.x) + __popc(x.y & y.y & ~z.y) + __popc(x.z & y.z & ~z.z) +
                 __popc(x.w & y.w & ~z.w);
    }
    for (int offset = 16; offset > 0; offset /= 2)
        found += __shfl_down_sync(full, found, offset);
    if (threadIdx.x % 32 == 0)
        parts[threadIdx.x / 32] = found;
    __syncthreads();
    if (threadIdx.x < 32) {
        found = parts[threadIdx.x];
        for (int offset = 16; offset > 0; offset /= 2)
            found += __shfl_down_sync(full, found, offset);
        if (threadIdx.x == 0)
            atomicAdd(total, static_cast<unsigned long long>(found));
    }
}

bool try_bitmap_count(const char* name)
{
    const auto bits = [](u seed) { return [=](size_t i) { return mix(static_cast<u>(i) + seed * 0x9e3779b9); }; };
    const Array<u> a(n / 2, bits(52));
    const Array<u> b(n / 2, bits(53));
    const Array<u> without(n / 2, bits(54));
    Array<unsigned long long> total(1);
    return run(
        name,
        [&] {
            bitmap_count<<<264, 1024>>>(reinterpret_cast<const uint4*>(a.memory),
                                        reinterpret_cast<const uint4*>(b.memory),
                                        reinterpret_cast<const uint4*>(without.memory), total.memory,
                                        static_cast<u>(n / 8));
        },
        [&] {
            unsigned long long expected = 0;
            for (size_t i = 0; i < n / 2; ++i)
                expected += __builtin_popcount(a.first[i] & b.first[i] & ~without.first[i]);
            return total.now()[0] == expected;
        },
        [&] { total.clear(); });
}

/// Moves keys and values to where four bits of the key belong; what a block has of a digit keeps its order.
__global__ void radix_scatter(const u* keys, const u* values, const u* offsets, u* keys_out, u* values_out, u shift)
{
    __shared__ u counts[8][16];
    const u i = blockIdx.x * 256 + threadIdx.x;
    const u warp = threadIdx.x / 32;
    const u lane = threadIdx.x % 32;
    if (threadIdx.x < 128)
        counts[threadIdx.x / 16][threadIdx.x % 16] = 0;
    __syncthreads();
    const u key = keys[i];
    const u digit = key >> shift & 15;
    u peers = full;
    for (u b = 0; b < 4; ++b) {
        const u vote = __ballot_sync(full, digit >> b & 1);
        peers &= (digit >> b & 1) != 0 ? vote : ~vote;
    }
    const u rank = __popc(peers & ((1U << lane) - 1));
    if (rank == 0)
        counts[warp][digit] = __popc(peers);
    __syncthreads();
    if (threadIdx.x < 16) {
        u sum = offsets[threadIdx.x * gridDim.x + blockIdx.x];
        for (u w = 0; w < 8; ++w) {
            const u count = counts[w][threadIdx.x];
            counts[w][threadIdx.x] = sum;
            sum += count;
        }
    }
    __syncthreads();
    const u to = counts[warp][digit] + rank;
    keys_out[to] = key;
    values_out[to] = values[i];
}

bool try_radix_scatter(const char* name)
{
    const size_t count = n / 2;
    const size_t parts = count / 256;
    const u shift = 8;
    const Array<u> keys(count, [](size_t i) { return mix(static_cast<u>(i) + 55); });
    const Array<u> values(count, [](size_t i) { return i; });
    std::vector<u> first(16 * parts);
    for (size_t i = 0; i < count; ++i)
        ++first[(keys.first[i] >> shift & 15) * parts + i / 256];
    u sum = 0;
    for (u& entry : first)
        sum += std::exchange(entry, sum);
    const Array<u> offsets(first);
    const Array<u> keys_out(count);
    const Array<u> values_out(count);
    return run(
        name,
        [&] {
            radix_scatter<<<static_cast<u>(parts), 256>>>(keys.memory, values.memory, offsets.memory, keys_out.memory,
                                                          values_out.memory, shift);
        },
        [&] {
            std::vector<u> next(16);
            for (size_t d = 0; d < 16; ++d)
                next[d] = first[d * parts];
            const std::vector<u> key = keys_out.now();
            const std::vector<u> value = values_out.now();
            for (size_t i = 0; i < count; ++i) {
                const u to = next[keys.first[i] >> shift & 15]++;
                if (key[to] != keys.first[i] || value[to] != i)
                    return false;
            }
            return true;
        });
}

/// Sums of all before each, in one block: what comes between the two halves of a long prefix sum.
__global__ void scan_single(const long long* in, long long* out, int count)
{
    __shared__ long long sums[32];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    long long carry = 0;
    for (int first = 0; first < count; first += blockDim.x) {
        const int i = first + threadIdx.x;
        const long long mine = i < count ? in[i] : 0;
        long long sum = mine;
        for (int offset = 1; offset < 32; offset *= 2) {
            const long long other = __shfl_up_sync(full, sum, offset);
            if (lane >= offset)
                sum += other;
        }
        if (lane == 31)
            sums[warp] = sum;
        __syncthreads();
        if (warp == 0) {
            long long all = sums[lane];
            for (int offset = 1; offset < 32; offset *= 2) {
                const long long other = __shfl_up_sync(full, all, offset);
                if (lane >= offset)
                    all += other;
            }
            sums[lane] = all;
        }
        __syncthreads();
        const long long before = carry + (warp > 0 ? sums[warp - 1] : 0);
        if (i < count)
            out[i] = before + sum - mine;
        carry += sums[31];
        __syncthreads();
    }
}

bool try_scan_single(const char* name)
{
    const int count = static_cast<int>(n / 256) - 5;
    const Array<long long> in(count, [](size_t i) { return static_cast<long long>(mix(static_cast<u>(i))) * 1000; });
    const Array<long long> out(count);
    return run(
        name, [&] { scan_single<<<1, 1024>>>(in.memory, out.memory, count); },
        [&] {
            const std::vector<long long> now = out.now();
            long long sum = 0;
            for (size_t i = 0; i < in.size; ++i) {
                if (now[i] != sum)
                    return false;
                sum += in.first[i];
            }
            return true;
        });
}

// --- texts and codes -----------------------------------------------------------------------------

/// Numbers kept as a base and 128 small steps: a warp a frame, four numbers a lane.
__global__ void delta_decode(const int* base, const uchar4* steps, int4* out, int frames)
{
    const int frame = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (frame >= frames)
        return;
    const uchar4 step = steps[static_cast<size_t>(frame) * 32 + lane];
    const int mine = step.x + step.y + step.z + step.w;
    int sum = mine;
    for (int offset = 1; offset < 32; offset *= 2) {
        const int other = __shfl_up_sync(full, sum, offset);
        if (lane >= offset)
            sum += other;
    }
    int4 value;
    value.x = base[frame] + sum - mine + step.x;
    value.y = value.x + step.y;
    value.z = value.y + step.z;
    value.w = value.z + step.w;
    out[static_cast<size_t>(frame) * 32 + lane] = value;
}

bool try_delta_decode(const char* name)
{
    const int frames = static_cast<int>(n / 128);
    const Array<int> base(frames, below(56, 1000000000));
    const Array<byte> steps(n, below(57, 256));
    const Array<int> out(n);
    return run(
        name,
        [&] {
            delta_decode<<<blocks(frames, 8), 256>>>(base.memory, reinterpret_cast<const uchar4*>(steps.memory),
                                                     reinterpret_cast<int4*>(out.memory), frames);
        },
        [&] {
            const std::vector<int> now = out.now();
            int value = 0;
            for (size_t i = 0; i < n; ++i) {
                if (i % 128 == 0)
                    value = base.first[i / 128];
                value += steps.first[i];
                if (now[i] != value)
                    return false;
            }
            return true;
        });
}

/// The fields of a text as numbers with two digits after the point, in hundredths: a thread a field.
__global__ void parse_decimals(const char* text, const u* start, int* out, u fields)
{
    const u f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f >= fields)
        return;
    const char* at = text + start[f];
    const bool negative = *at == '-';
    if (negative)
        ++at;
    int value = 0;
    for (; *at != ','; ++at)
        if (*at != '.')
            value = value * 10 + (*at - '0');
    out[f] = negative ? -value : value;
}

bool try_parse_decimals(const char* name)
{
    const u fields = static_cast<u>(n / 8);
    std::vector<int> numbers(fields);
    std::vector<u> begin(fields);
    std::vector<char> letters;
    for (u f = 0; f < fields; ++f) {
        const u m = mix(f + 58);
        u size = 1; // how many digits: three to nine
        for (u k = 0; k < 3 + m % 7; ++k)
            size *= 10;
        const u value = size / 10 + mix(m) % (size - size / 10);
        numbers[f] = m >> 30 == 0 ? -static_cast<int>(value) : static_cast<int>(value);
        begin[f] = static_cast<u>(letters.size());
        if (numbers[f] < 0)
            letters.push_back('-');
        for (u place = size / 10; place > 0; place /= 10) {
            letters.push_back(static_cast<char>('0' + value / place % 10));
            if (place == 100)
                letters.push_back('.');
        }
        letters.push_back(',');
    }
    const Array<char> text(letters);
    const Array<u> start(begin);
    const Array<int> out(fields);
    return run(
        name, [&] { parse_decimals<<<blocks(fields, 256), 256>>>(text.memory, start.memory, out.memory, fields); },
        [&] { return out.now() == numbers; });
}

/// The best local match of a read of 32 letters in a piece of 64: a warp a pair, a lane a letter.
__global__ void align_reads(const byte* reads, const byte* pieces, int* score)
{
    const int pair = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    const byte mine = reads[pair * 32 + lane];
    const byte* piece = pieces + static_cast<size_t>(pair) * 64;
    int here = 0;
    int before = 0;
    int best = 0;
    for (int step = 0; step < 64 + 31; ++step) {
        int above = __shfl_up_sync(full, here, 1);
        if (lane == 0)
            above = 0;
        const int column = step - lane;
        if (column >= 0 && column < 64) {
            const int diagonal = before + (piece[column] == mine ? 2 : -1);
            here = max(max(0, diagonal), max(above, here) - 2);
            best = max(best, here);
        }
        before = above;
    }
    for (int offset = 16; offset > 0; offset /= 2)
        best = max(best, __shfl_xor_sync(full, best, offset));
    if (lane == 0)
        score[pair] = best;
}

bool try_align_reads(const char* name)
{
    const size_t pairs = n / 512;
    const Array<byte> pieces(pairs * 64, below(59, 4));
    const Array<byte> reads(pairs * 32, [&](size_t i) { // from somewhere in the piece, with a tenth of errors
        const size_t from = i / 32 * 64 + mix(static_cast<u>(i / 32)) % 33 + i % 32;
        const u m = mix(static_cast<u>(i) + 60);
        return m % 10 == 0 ? m >> 30 : pieces.first[from];
    });
    const Array<int> score(pairs);
    return run(
        name, [&] { align_reads<<<blocks(pairs, 4), 128>>>(reads.memory, pieces.memory, score.memory); },
        [&] {
            const std::vector<int> now = score.now();
            return sampled(pairs, [&](size_t pair) {
                int table[33][65] = {};
                int best = 0;
                for (size_t i = 1; i <= 32; ++i)
                    for (size_t j = 1; j <= 64; ++j) {
                        const bool same = reads.first[pair * 32 + i - 1] == pieces.first[pair * 64 + j - 1];
                        table[i][j] = std::max({0, table[i - 1][j - 1] + (same ? 2 : -1), table[i - 1][j] - 2,
                                                table[i][j - 1] - 2});
                        best = std::max(best, table[i][j]);
                    }
                return now[pair] == best;
            });
        });
}

/// How often each eight bases occur in a genome of two bits a base: a thread goes over 16 places.
__global__ void count_kmers(const u* genome, u* table, u words)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 >= words)
        return;
    const unsigned long long both = static_cast<unsigned long long>(genome[i + 1]) << 32 | genome[i];
    for (int k = 0; k < 16; ++k)
        atomicAdd(&table[both >> 2 * k & 65535], 1U);
}

bool try_count_kmers(const char* name)
{
    const u words = static_cast<u>(n / 16);
    const Array<u> genome(words, [](size_t i) { return mix(static_cast<u>(i) + 61); });
    Array<u> table(65536);
    return run(
        name, [&] { count_kmers<<<blocks(words, 256), 256>>>(genome.memory, table.memory, words); },
        [&] {
            std::vector<u> expected(65536);
            for (size_t base = 0; base < (size_t{words} - 1) * 16; ++base) {
                const uint64_t both = uint64_t{genome.first[base / 16 + 1]} << 32 | genome.first[base / 16];
                ++expected[both >> base % 16 * 2 & 65535];
            }
            return table.now() == expected;
        },
        [&] { table.clear(); });
}

// --- simulation ----------------------------------------------------------------------------------

__constant__ u flip_below[5];

/// Half a sweep over spins that point up or down: those of one colour of a board turn with some chance.
__global__ void ising_sweep(signed char* spins, int size, int colour, u seed)
{
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + ((y + colour) & 1);
    if (x >= size || y >= size)
        return;
    const int up = (y + size - 1) % size;
    const int down = (y + 1) % size;
    const int left = (x + size - 1) % size;
    const int right = (x + 1) % size;
    const int around = spins[up * size + x] + spins[down * size + x] + spins[y * size + left] + spins[y * size + right];
    const int spin = spins[y * size + x];
    if (mix(static_cast<u>(y * size + x) + seed) < flip_below[(spin * around + 4) / 2])
        spins[y * size + x] = static_cast<signed char>(-spin);
}

bool try_ising_sweep(const char* name)
{
    const int size = side(0);
    const u seed = 62;
    const size_t count = static_cast<size_t>(size) * size;
    Array<signed char> spins(count, [](size_t i) { return mix(static_cast<u>(i)) % 3 == 0 ? -1 : 1; });
    const u chance[5] = {full, full, 0x80000000, 742000000, 128000000};
    cudaMemcpyToSymbol(flip_below, chance, sizeof chance);
    return run(
        name,
        [&] {
            ising_sweep<<<dim3(blocks(size / 2, 64), blocks(size, 4)), dim3(64, 4)>>>(spins.memory, size, 1, seed);
        },
        [&] {
            const std::vector<signed char> now = spins.now();
            const std::vector<signed char>& old = spins.first;
            return sampled(count, [&](size_t i) {
                const size_t x = i % size;
                const size_t y = i / size;
                if ((x + y) % 2 == 0)
                    return now[i] == old[i];
                const int around = old[(y + size - 1) % size * size + x] + old[(y + 1) % size * size + x] +
                                   old[y * size + (x + size - 1) % size] + old[y * size + (x + 1) % size];
                const bool flips = mix(static_cast<u>(i) + seed) < chance[(old[i] * around + 4) / 2];
                return now[i] == (flips ? -old[i] : old[i]);
            });
        },
        [&] { spins.reset(); });
}

/// The neighbours of each particle, up to 32 of them, looked for in the 27 cells around it.
__global__ void cell_neighbours(const float4* place, const u* start, u* count, u* list, int3 cells, u particles)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= particles)
        return;
    const float4 me = place[i];
    const int cx = static_cast<int>(me.x) / 64;
    const int cy = static_cast<int>(me.y) / 64;
    const int cz = static_cast<int>(me.z) / 64;
    u found = 0;
    for (int z = max(cz - 1, 0); z <= min(cz + 1, cells.z - 1); ++z)
        for (int y = max(cy - 1, 0); y <= min(cy + 1, cells.y - 1); ++y)
            for (int x = max(cx - 1, 0); x <= min(cx + 1, cells.x - 1); ++x) {
                const int cell = (z * cells.y + y) * cells.x + x;
                for (u j = start[cell]; j < start[cell + 1]; ++j) {
                    const float4 other = place[j];
                    const float dx = other.x - me.x;
                    const float dy = other.y - me.y;
                    const float dz = other.z - me.z;
                    if (j != i && dx * dx + dy * dy + dz * dz < 64 * 64) {
                        if (found < 32)
                            list[found * particles + i] = j;
                        ++found;
                    }
                }
            }
    count[i] = found;
}

bool try_cell_neighbours(const char* name)
{
    const u particles = static_cast<u>(n / 32);
    const int bits = log2n - 7;
    const int3 cells = make_int3(1 << (bits + 2) / 3, 1 << (bits + 1) / 3, 1 << bits / 3);
    const u boxes = 1U << bits;
    const auto cell_of = below(63, boxes);
    std::vector<u> begin(boxes + 1);
    for (u p = 0; p < particles; ++p)
        ++begin[cell_of(p) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<float4> where;
    for (u c = 0; c < boxes; ++c)
        for (u p = begin[c]; p < begin[c + 1]; ++p) {
            const u m = mix(p + 64);
            where.push_back(make_float4(static_cast<float>(c % cells.x * 64 + m % 64),
                                        static_cast<float>(c / cells.x % cells.y * 64 + m / 64 % 64),
                                        static_cast<float>(c / cells.x / cells.y * 64 + m / 4096 % 64), 1));
        }
    const Array<float4> place(where);
    const Array<u> start(begin);
    const Array<u> count(particles);
    const Array<u> list(size_t{particles} * 32);
    return run(
        name,
        [&] {
            cell_neighbours<<<blocks(particles, 128), 128>>>(place.memory, start.memory, count.memory, list.memory,
                                                             cells, particles);
        },
        [&] {
            const std::vector<u> counted = count.now();
            const std::vector<u> listed = list.now();
            return sampled(particles, [&](size_t i) {
                const int x = static_cast<int>(where[i].x);
                const int y = static_cast<int>(where[i].y);
                const int z = static_cast<int>(where[i].z);
                u found = 0;
                for (int k = 0; k < 27; ++k) {
                    const int cx = x / 64 + k % 3 - 1;
                    const int cy = y / 64 + k / 3 % 3 - 1;
                    const int cz = z / 64 + k / 9 - 1;
                    if (cx < 0 || cy < 0 || cz < 0 || cx >= cells.x || cy >= cells.y || cz >= cells.z)
                        continue;
                    const int cell = (cz * cells.y + cy) * cells.x + cx;
                    for (u j = begin[cell]; j < begin[cell + 1]; ++j) {
                        const int dx = static_cast<int>(where[j].x) - x;
                        const int dy = static_cast<int>(where[j].y) - y;
                        const int dz = static_cast<int>(where[j].z) - z;
                        if (j == i || dx * dx + dy * dy + dz * dz >= 4096)
                            continue;
                        if (found < 32 && listed[size_t{found} * particles + i] != j)
                            return false;
                        ++found;
                    }
                }
                return counted[i] == found;
            });
        });
}

struct Triangle
{
    int a, b, c;
};

/// What each triangle of a mesh adds to the diagonal of the stiffness matrix, and to the mass of its corners.
__global__ void assemble_elements(const Triangle* triangles, const float2* corners, float* diagonal, float* mass,
                                  int count)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= count)
        return;
    const Triangle tri = triangles[t];
    const float2 a = corners[tri.a];
    const float2 b = corners[tri.b];
    const float2 c = corners[tri.c];
    const float twice = fabsf((b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y));
    const float ab = (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
    const float bc = (b.x - c.x) * (b.x - c.x) + (b.y - c.y) * (b.y - c.y);
    const float ca = (c.x - a.x) * (c.x - a.x) + (c.y - a.y) * (c.y - a.y);
    atomicAdd(&diagonal[tri.a], bc / (2 * twice));
    atomicAdd(&diagonal[tri.b], ca / (2 * twice));
    atomicAdd(&diagonal[tri.c], ab / (2 * twice));
    atomicAdd(&mass[tri.a], twice / 6);
    atomicAdd(&mass[tri.b], twice / 6);
    atomicAdd(&mass[tri.c], twice / 6);
}

bool try_assemble_elements(const char* name)
{
    const int size = side(4);
    const int count = 2 * (size - 1) * (size - 1);
    const Array<Triangle> triangles(count, [&](size_t t) {
        const int cell = static_cast<int>(t / 2);
        const int corner = cell / (size - 1) * size + cell % (size - 1);
        if (t % 2 == 0)
            return Triangle{corner, corner + 1, corner + size};
        return Triangle{corner + 1, corner + size + 1, corner + size};
    });
    const Array<float2> corners(static_cast<size_t>(size) * size, [&](size_t i) {
        return make_float2(static_cast<float>(i % size) + noise(65, 0, 0.3F)(i),
                           static_cast<float>(i / size) + noise(66, 0, 0.3F)(i));
    });
    Array<float> diagonal(corners.size);
    Array<float> mass(corners.size);
    return run(
        name,
        [&] {
            assemble_elements<<<blocks(count, 256), 256>>>(triangles.memory, corners.memory, diagonal.memory,
                                                           mass.memory, count);
        },
        [&] {
            std::vector<double> stiff(corners.size);
            std::vector<double> weight(corners.size);
            for (const Triangle& tri : triangles.first) {
                const int at[3] = {tri.a, tri.b, tri.c};
                for (int k = 0; k < 3; ++k) {
                    const float2 a = corners.first[at[k]];
                    const float2 b = corners.first[at[(k + 1) % 3]];
                    const float2 c = corners.first[at[(k + 2) % 3]];
                    const double twice = std::fabs((double{b.x} - a.x) * (double{c.y} - a.y) -
                                                   (double{c.x} - a.x) * (double{b.y} - a.y));
                    const double x = double{b.x} - c.x;
                    const double y = double{b.y} - c.y;
                    stiff[at[k]] += (x * x + y * y) / (2 * twice);
                    weight[at[k]] += twice / 6;
                }
            }
            return matches(diagonal, stiff) && matches(mass, weight);
        },
        [&] {
            diagonal.clear();
            mass.clear();
        });
}

/// A step of water that flows over a square with a rim: depth and flow, of doubles.
__global__ void shallow_water(const double* h, const double* u0, const double* v0, double* h1, double* u1, double* v1,
                              int size, double ratio)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size || y >= size)
        return;
    const int i = y * size + x;
    if (x == 0 || y == 0 || x == size - 1 || y == size - 1) {
        h1[i] = h[i];
        u1[i] = 0;
        v1[i] = 0;
        return;
    }
    const int w = i - 1;
    const int e = i + 1;
    const int s = i - size;
    const int t = i + size;
    const double g = 9.81 / 2;
    h1[i] = (h[w] + h[e] + h[s] + h[t]) / 4 - ratio * (u0[e] - u0[w] + v0[t] - v0[s]);
    u1[i] = (u0[w] + u0[e] + u0[s] + u0[t]) / 4 -
            ratio * (u0[e] * u0[e] / h[e] + g * h[e] * h[e] - u0[w] * u0[w] / h[w] - g * h[w] * h[w] +
                     u0[t] * v0[t] / h[t] - u0[s] * v0[s] / h[s]);
    v1[i] = (v0[w] + v0[e] + v0[s] + v0[t]) / 4 -
            ratio * (v0[t] * v0[t] / h[t] + g * h[t] * h[t] - v0[s] * v0[s] / h[s] - g * h[s] * h[s] +
                     u0[e] * v0[e] / h[e] - u0[w] * v0[w] / h[w]);
}

bool try_shallow_water(const char* name)
{
    const int size = side(3);
    const size_t count = static_cast<size_t>(size) * size;
    const Array<double> h(count, noise(67, 1, 2));
    const Array<double> across(count, noise(68, -0.5F, 0.5F));
    const Array<double> along(count, noise(69, -0.5F, 0.5F));
    const Array<double> h1(count);
    const Array<double> across1(count);
    const Array<double> along1(count);
    return run(
        name,
        [&] {
            shallow_water<<<dim3(blocks(size, 64), blocks(size, 4)), dim3(64, 4)>>>(
                h.memory, across.memory, along.memory, h1.memory, across1.memory, along1.memory, size, 0.05);
        },
        [&] {
            const auto inside = [&](size_t i) {
                const size_t x = i % size;
                const size_t y = i / size;
                return x > 0 && y > 0 && x + 1 < static_cast<size_t>(size) && y + 1 < static_cast<size_t>(size);
            };
            const std::vector<double>& p = across.first;
            const std::vector<double>& q = along.first;
            const auto mean = [&](const std::vector<double>& f, size_t i) {
                return (f[i - 1] + f[i + 1] + f[i - size] + f[i + size]) / 4;
            };
            const auto push = [&](const std::vector<double>& f, size_t i) {
                return f[i] * f[i] / h.first[i] + 9.81 / 2 * h.first[i] * h.first[i];
            };
            const auto cross = [&](size_t i) { return p[i] * q[i] / h.first[i]; };
            return matches(
                       h1,
                       [&](size_t i) {
                           return inside(i) ? mean(h.first, i) -
                                                  0.05 * (p[i + 1] - p[i - 1] + q[i + size] - q[i - size])
                                            : h.first[i];
                       },
                       1e-9) &&
                   matches(
                       across1,
                       [&](size_t i) {
                           return inside(i) ? mean(p, i) - 0.05 * (push(p, i + 1) - push(p, i - 1) + cross(i + size) -
                                                                   cross(i - size))
                                            : 0;
                       },
                       1e-9) &&
                   matches(
                       along1,
                       [&](size_t i) {
                           return inside(i) ? mean(q, i) - 0.05 * (push(q, i + size) - push(q, i - size) +
                                                                   cross(i + 1) - cross(i - 1))
                                            : 0;
                       },
                       1e-9);
        });
}

// --- geometry ------------------------------------------------------------------------------------

/// Which corners of each cube of a volume are inside a surface, and how many cubes the surface cuts.
__global__ void marching_classify(const float* field, byte* kind, u* cut, int3 size, float level)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    u corners = 0;
    if (x < size.x - 1 && y < size.y - 1 && z < size.z - 1) {
        const size_t at = (static_cast<size_t>(z) * size.y + y) * size.x + x;
        const size_t plane = static_cast<size_t>(size.x) * size.y;
        corners |= (field[at] < level ? 1 : 0) | (field[at + 1] < level ? 2 : 0);
        corners |= (field[at + size.x] < level ? 4 : 0) | (field[at + size.x + 1] < level ? 8 : 0);
        corners |= (field[at + plane] < level ? 16 : 0) | (field[at + plane + 1] < level ? 32 : 0);
        corners |= (field[at + plane + size.x] < level ? 64 : 0) | (field[at + plane + size.x + 1] < level ? 128 : 0);
        kind[at] = static_cast<byte>(corners);
    }
    const u votes = __ballot_sync(full, corners != 0 && corners != 255);
    const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    if (thread % 32 == 0 && votes != 0)
        atomicAdd(cut, static_cast<u>(__popc(votes)));
}

bool try_marching_classify(const char* name)
{
    const int3 size = make_int3(256, 256, static_cast<int>(n / 65536));
    const Array<float> field(n, [](size_t i) { // lumps
        return noise(70)(i / 65536 / 8 * 1024 + i / 256 % 256 / 8 * 32 + i % 256 / 8) + noise(71, -0.05F, 0.05F)(i);
    });
    const Array<byte> kind(n);
    Array<u> cut(1);
    return run(
        name,
        [&] {
            marching_classify<<<dim3(32, 32, blocks(size.z, 4)), dim3(8, 8, 4)>>>(field.memory, kind.memory, cut.memory,
                                                                                  size, 0.5F);
        },
        [&] {
            const std::vector<byte> now = kind.now();
            u expected = 0;
            for (size_t z = 0; z + 1 < static_cast<size_t>(size.z); ++z)
                for (size_t y = 0; y < 255; ++y)
                    for (size_t x = 0; x < 255; ++x) {
                        const size_t at = (z * 256 + y) * 256 + x;
                        u corners = 0;
                        for (u k = 0; k < 8; ++k)
                            corners |= (field.first[at + k % 2 + k / 2 % 2 * 256 + k / 4 * 65536] < 0.5F ? 1U : 0U)
                                       << k;
                        if (now[at] != corners)
                            return false;
                        expected += corners != 0 && corners != 255;
                    }
            return cut.now()[0] == expected;
        },
        [&] { cut.clear(); });
}

struct Ray
{
    float x, y, z, dx, dy, dz;
};

__constant__ float4 spheres[64];

/// The first of 64 spheres that a ray meets, and how far away.
__global__ void ray_spheres(const Ray* rays, float* distance, int* which, u count)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const Ray ray = rays[i];
    float least = 1e30F;
    int met = -1;
    for (int s = 0; s < 64; ++s) {
        const float4 ball = spheres[s];
        const float x = ball.x - ray.x;
        const float y = ball.y - ray.y;
        const float z = ball.z - ray.z;
        const float along = x * ray.dx + y * ray.dy + z * ray.dz;
        const float under = along * along - (x * x + y * y + z * z) + ball.w * ball.w;
        if (under > 0) {
            const float t = along - sqrtf(under);
            if (t > 0 && t < least) {
                least = t;
                met = s;
            }
        }
    }
    distance[i] = least;
    which[i] = met;
}

bool try_ray_spheres(const char* name)
{
    const u count = static_cast<u>(n / 16);
    std::vector<float4> balls(64);
    for (size_t s = 0; s < 64; ++s)
        balls[s] = make_float4(noise(72, -10, 10)(s), noise(73, -10, 10)(s), noise(74, 3, 20)(s),
                               noise(75, 0.3F, 1.5F)(s));
    cudaMemcpyToSymbol(spheres, balls.data(), sizeof spheres);
    const Array<Ray> rays(count, [](size_t i) {
        const float x = noise(76, -0.5F, 0.5F)(i);
        const float y = noise(77, -0.5F, 0.5F)(i);
        const float length = std::sqrt(x * x + y * y + 1);
        return Ray{noise(78, -1)(i), noise(79, -1)(i), 0, x / length, y / length, 1 / length};
    });
    const Array<float> distance(count);
    const Array<int> which(count);
    return run(
        name,
        [&] { ray_spheres<<<blocks(count, 128), 128>>>(rays.memory, distance.memory, which.memory, count); },
        [&] {
            const std::vector<float> far = distance.now();
            const std::vector<int> met = which.now();
            u close = 0; // where rounding decides
            u hits = 0;
            u seen = 0;
            const bool right = sampled(count, [&](size_t i) {
                const Ray& ray = rays.first[i];
                double least = 1e30;
                double second = 1e30;
                int expected = -1;
                bool doubtful = false;
                for (int s = 0; s < 64; ++s) {
                    const double x = double{balls[s].x} - ray.x;
                    const double y = double{balls[s].y} - ray.y;
                    const double z = double{balls[s].z} - ray.z;
                    const double along = x * ray.dx + y * ray.dy + z * ray.dz;
                    const double under = along * along - (x * x + y * y + z * z) + double{balls[s].w} * balls[s].w;
                    doubtful = doubtful || std::fabs(under) < 2e-3;
                    if (under <= 0)
                        continue;
                    const double t = along - std::sqrt(under);
                    doubtful = doubtful || std::fabs(t) < 1e-2;
                    if (t > 0 && t < least) {
                        second = least;
                        least = t;
                        expected = s;
                    } else if (t > 0 && t < second) {
                        second = t;
                    }
                }
                ++seen;
                hits += expected >= 0;
                if (doubtful || second - least < 1e-2) {
                    if (expected >= 0 || doubtful) {
                        ++close;
                        return true;
                    }
                }
                return met[i] == expected && near(far[i], expected < 0 ? double{1e30F} : least, 1e-3);
            });
            return right && hits > seen / 20 && close < seen / 5;
        });
}

/// How many boxes each box touches: down a tree of boxes, with a stack.
__global__ void tree_overlaps(const int4* tree, u* touched, u count)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const int4 me = tree[count + i];
    u stack[32];
    int depth = 0;
    stack[depth++] = 1;
    u found = 0;
    while (depth > 0) {
        const u node = stack[--depth];
        const int4 box = tree[node];
        if (box.x > me.z || box.z < me.x || box.y > me.w || box.w < me.y)
            continue;
        if (node >= count) {
            found += node != count + i;
        } else {
            stack[depth++] = 2 * node;
            stack[depth++] = 2 * node + 1;
        }
    }
    touched[i] = found;
}

bool try_tree_overlaps(const char* name)
{
    const u count = static_cast<u>(n / 64);
    const auto spread = [](u i) { // the even bits of a number, next to each other
        u x = 0;
        for (u b = 0; b < 16; ++b)
            x |= (i >> 2 * b & 1) << b;
        return static_cast<int>(x);
    };
    std::vector<int4> boxes(size_t{2} * count);
    for (u i = 0; i < count; ++i) {
        const u m = mix(i + 80);
        const int x = spread(i) * 16 + static_cast<int>(m % 16);
        const int y = spread(i >> 1) * 16 + static_cast<int>(m / 16 % 16);
        const int wide = 4 + static_cast<int>(m >> 8 & 31);
        const int high = 4 + static_cast<int>(m >> 16 & 31);
        boxes[count + i] = make_int4(x, y, x + wide, y + high);
    }
    for (u node = count - 1; node > 0; --node) {
        const int4 a = boxes[2 * node];
        const int4 b = boxes[2 * node + 1];
        boxes[node] = make_int4(std::min(a.x, b.x), std::min(a.y, b.y), std::max(a.z, b.z), std::max(a.w, b.w));
    }
    const Array<int4> tree(boxes);
    const Array<u> touched(count);
    return run(
        name, [&] { tree_overlaps<<<blocks(count, 64), 64>>>(tree.memory, touched.memory, count); },
        [&] {
            const std::vector<u> now = touched.now();
            return sampled(count, [&](size_t i) {
                const int4 me = boxes[count + i];
                const int cx = spread(static_cast<u>(i));
                const int cy = spread(static_cast<u>(i) >> 1);
                u found = 0;
                for (int y = std::max(cy - 4, 0); y <= cy + 4; ++y)
                    for (int x = std::max(cx - 4, 0); x <= cx + 4; ++x) {
                        u other = 0;
                        for (u b = 0; b < 16; ++b)
                            other |= (static_cast<u>(x) >> b & 1) << 2 * b |
                                     (static_cast<u>(y) >> b & 1) << (2 * b + 1);
                        if (other >= count || other == i)
                            continue;
                        const int4 box = boxes[count + other];
                        found += box.x <= me.z && box.z >= me.x && box.y <= me.w && box.w >= me.y;
                    }
                return now[i] == found;
            });
        });
}

// --- numbers -------------------------------------------------------------------------------------

const u sha_words[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
__constant__ u sha_constants[64];

__host__ __device__ u turn(u x, int by)
{
    return x >> by | x << (32 - by);
}

/// SHA-256 of eight words, which fit one block: `w` holds them, `h` is what comes out.
__host__ __device__ void sha256(u* w, u* h, const u* constants)
{
    const u first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    w[8] = 0x80000000;
    for (int k = 9; k < 15; ++k)
        w[k] = 0;
    w[15] = 256;
    u s[8];
    for (int k = 0; k < 8; ++k)
        s[k] = first[k];
#pragma unroll
    for (int k = 0; k < 64; ++k) {
        if (k >= 16) {
            const u a = w[(k + 1) % 16];
            const u b = w[(k + 14) % 16];
            w[k % 16] += (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[(k + 9) % 16] + (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
        }
        const u t1 = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) +
                     constants[k] + w[k % 16];
        const u t2 = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) +
                     ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        for (int j = 7; j > 0; --j)
            s[j] = s[j - 1];
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int k = 0; k < 8; ++k)
        h[k] = first[k] + s[k];
}

/// The hashes of keys of 32 bytes: a thread a key.
__global__ void sha256_keys(const uint4* keys, uint4* hashes, u count)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const uint4 low = keys[2 * i];
    const uint4 high = keys[2 * i + 1];
    u w[16] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
    u h[8];
    sha256(w, h, sha_constants);
    hashes[2 * i] = make_uint4(h[0], h[1], h[2], h[3]);
    hashes[2 * i + 1] = make_uint4(h[4], h[5], h[6], h[7]);
}

bool try_sha256_keys(const char* name)
{
    const u count = static_cast<u>(n / 32);
    const Array<u> keys(size_t{count} * 8, [](size_t i) { return mix(static_cast<u>(i) + 81); });
    const Array<u> hashes(size_t{count} * 8);
    cudaMemcpyToSymbol(sha_constants, sha_words, sizeof sha_words);
    return run(
        name,
        [&] {
            sha256_keys<<<blocks(count, 192), 192>>>(reinterpret_cast<const uint4*>(keys.memory),
                                                     reinterpret_cast<uint4*>(hashes.memory), count);
        },
        [&] {
            const std::vector<u> now = hashes.now();
            return sampled(count, [&](size_t i) {
                u w[16];
                u h[8];
                std::copy_n(&keys.first[i * 8], 8, w);
                sha256(w, h, sha_words);
                return std::equal(h, h + 8, &now[i * 8]);
            });
        });
}

__host__ __device__ u twice(u x) // four numbers of GF(256), each times two
{
    return (x << 1 & 0xfefefefe) ^ (x >> 7 & 0x01010101) * 0x1d;
}

/// The two parities of a RAID of some disks, 16 bytes of each a thread.
template<int disks>
__global__ void raid6_parity(const uint4* data, uint4* p, uint4* q, size_t each)
{
    const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    if (i >= each)
        return;
    uint4 sum = make_uint4(0, 0, 0, 0);
    uint4 weighed = sum;
#pragma unroll
    for (int d = disks - 1; d >= 0; --d) {
        const uint4 v = data[d * each + i];
        sum = make_uint4(sum.x ^ v.x, sum.y ^ v.y, sum.z ^ v.z, sum.w ^ v.w);
        weighed = make_uint4(twice(weighed.x) ^ v.x, twice(weighed.y) ^ v.y, twice(weighed.z) ^ v.z,
                             twice(weighed.w) ^ v.w);
    }
    p[i] = sum;
    q[i] = weighed;
}

bool try_raid6_parity(const char* name)
{
    const size_t each = n / 16;
    const Array<u> data(each * 4 * 6, [](size_t i) { return mix(static_cast<u>(i) + 82); });
    const Array<u> p(each * 4);
    const Array<u> q(each * 4);
    return run(
        name,
        [&] {
            raid6_parity<6><<<blocks(each, 256), 256>>>(reinterpret_cast<const uint4*>(data.memory),
                                                        reinterpret_cast<uint4*>(p.memory),
                                                        reinterpret_cast<uint4*>(q.memory), each);
        },
        [&] {
            const std::vector<u> sum = p.now();
            const std::vector<u> weighed = q.now();
            const auto times = [](u a, u b) { // of two bytes
                u product = 0;
                for (; b != 0; b >>= 1, a = a << 1 ^ (a >= 128 ? 0x11d : 0))
                    product ^= (b & 1) != 0 ? a : 0;
                return product;
            };
            return sampled(each * 4, [&](size_t i) {
                u first = 0;
                u second = 0;
                for (size_t d = 0; d < 6; ++d) {
                    const u v = data.first[d * each * 4 + i];
                    first ^= v;
                    for (u b = 0; b < 32; b += 8)
                        second ^= times(v >> b & 255, 1U << d) << b;
                }
                return sum[i] == first && weighed[i] == second;
            });
        });
}

/// A number from above 0 to 1, and the next state of what makes them.
__host__ __device__ double uniform(u& state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return (state + 1.0) / 4294967296.0;
}

/// What an option on the mean of 128 prices pays, on each of many paths.
__global__ void asian_paths(double* payoff, u paths, double price, double strike, double drift, double spread)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= paths)
        return;
    u state = mix(i) | 1;
    double level = 0;
    double sum = 0;
    for (int t = 0; t < 64; ++t) {
        const double radius = sqrt(-2 * log(uniform(state)));
        double sine;
        double cosine;
        sincos(6.283185307179586 * uniform(state), &sine, &cosine);
        level += drift + spread * radius * cosine;
        sum += exp(level);
        level += drift + spread * radius * sine;
        sum += exp(level);
    }
    payoff[i] = fmax(price * sum / 128 - strike, 0.0);
}

bool try_asian_paths(const char* name)
{
    const u paths = static_cast<u>(n / 32);
    const Array<double> payoff(paths);
    return run(
        name, [&] { asian_paths<<<blocks(paths, 128), 128>>>(payoff.memory, paths, 100, 98, 0.0001, 0.02); },
        [&] {
            return matches(
                payoff,
                [&](size_t i) {
                    u state = mix(static_cast<u>(i)) | 1;
                    double level = 0;
                    double sum = 0;
                    for (int t = 0; t < 64; ++t) {
                        const double radius = std::sqrt(-2 * std::log(uniform(state)));
                        const double angle = 6.283185307179586 * uniform(state);
                        sum += std::exp(level += 0.0001 + 0.02 * radius * std::cos(angle));
                        sum += std::exp(level += 0.0001 + 0.02 * radius * std::sin(angle));
                    }
                    return std::fmax(100 * sum / 128 - 98, 0.0);
                },
                1e-6);
        });
}

const Kernel kernels[] = {
    {"layer_norm_backward", try_layer_norm_backward},
    {"batch_norm_stats", try_batch_norm_stats},
    {"route_experts", try_route_experts},
    {"cross_entropy_backward", try_cross_entropy_backward},
    {"lion_step", try_lion_step},
    {"dequant_matvec", try_dequant_matvec},
    {"banded_multiply", try_banded_multiply},
    {"cholesky_small", try_cholesky_small},
    {"lu_update", try_lu_update},
    {"symmetric_packed", try_symmetric_packed},
    {"batched_halves", try_batched_halves},
    {"sparse_blocks", try_sparse_blocks},
    {"motion_search", try_motion_search},
    {"demosaic", try_demosaic},
    {"rotate_image", try_rotate_image},
    {"fir_decimate", try_fir_decimate},
    {"fft256", try_fft256},
    {"biquad_channels", try_biquad_channels},
    {"count_triangles", try_count_triangles},
    {"relax_edges", try_relax_edges},
    {"group_totals", try_group_totals},
    {"join_chains", try_join_chains},
    {"dictionary_decode", try_dictionary_decode},
    {"bitmap_count", try_bitmap_count},
    {"radix_scatter", try_radix_scatter},
    {"scan_single", try_scan_single},
    {"delta_decode", try_delta_decode},
    {"parse_decimals", try_parse_decimals},
    {"align_reads", try_align_reads},
    {"count_kmers", try_count_kmers},
    {"ising_sweep", try_ising_sweep},
    {"cell_neighbours", try_cell_neighbours},
    {"assemble_elements", try_assemble_elements},
    {"shallow_water", try_shallow_water},
    {"marching_classify", try_marching_classify},
    {"ray_spheres", try_ray_spheres},
    {"tree_overlaps", try_tree_overlaps},
    {"sha256_keys", try_sha256_keys},
    {"raid6_parity", try_raid6_parity},
    {"asian_paths", try_asian_paths},
};

int main(int argc, char** argv)
{
    return run_kernels(argc, argv, kernels);
}
