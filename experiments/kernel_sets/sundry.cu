// Kernels as people of many fields write them, once more by somebody who had not seen the time
// model: of networks, matrices, pictures, signals, graphs, tables, texts, codes, shapes and
// simulations. Each is followed by what launches it and by a check of what it leaves behind.
//
// kernel_set.hpp says what the program is told and prints. Of 2^18 numbers:
// WITH -DLOG2N=18
// RUN => 0 rotary_cached,yes\n(\w+,yes\n){38}sweep_pairs,yes
// SLOW
#include "kernel_set.hpp"

const char* const kernels_name = "sundry";

/// Where each of `count` lists begins, of `least` to `most` elements, and where the last ends.
std::vector<u> list_starts(size_t count, u seed, u least, u most)
{
    std::vector<u> start(count + 1);
    for (size_t i = 0; i < count; ++i)
        start[i + 1] = start[i] + least + below(seed, most - least + 1)(i);
    return start;
}

// --- networks ------------------------------------------------------------------------------------

/// Turns numbers half a head apart by the angle of their token's position: a block a token, in
/// place.
__global__ void rotary_cached(half* q, const float* cosine, const float* sine, const int* position,
                              int heads)
{
    const size_t token = blockIdx.x;
    const int angle = position[token] * 64;
    for (int i = threadIdx.x; i < heads * 64; i += blockDim.x) {
        const int k = i % 64;
        half* at = q + (token * heads + i / 64) * 128 + k;
        const float c = __ldg(cosine + angle + k);
        const float s = __ldg(sine + angle + k);
        const float a = __half2float(at[0]);
        const float b = __half2float(at[64]);
        at[0] = __float2half(a * c - b * s);
        at[64] = __float2half(b * c + a * s);
    }
}

bool try_rotary_cached(const char* name)
{
    const int heads = 32;
    const size_t tokens = n / (heads * 128);
    const auto angle = [](size_t i) {
        return static_cast<float>(i / 64) * std::pow(0.8F, static_cast<float>(i % 64));
    };
    Array<half> q(n, noise(1, -1));
    const Array<float> cosine(2048 * 64, [&](size_t i) { return std::cos(angle(i)); });
    const Array<float> sine(2048 * 64, [&](size_t i) { return std::sin(angle(i)); });
    const Array<int> position(tokens, below(2, 2048));
    return run(
        name,
        [&] {
            rotary_cached<<<static_cast<u>(tokens), 512>>>(q.memory, cosine.memory, sine.memory,
                                                           position.memory, heads);
        },
        [&] {
            const std::vector<half> now = q.now();
            return sampled(n, [&](size_t i) {
                const size_t k = i % 64;
                const size_t low = i / 128 * 128 + k;
                const double a = __half2float(q.first[low]);
                const double b = __half2float(q.first[low + 64]);
                const size_t at = static_cast<size_t>(position.first[i / (heads * 128)]) * 64 + k;
                const double c = cosine.first[at];
                const double s = sine.first[at];
                return near(__half2float(now[i]), i % 128 < 64 ? a * c - b * s : b * c + a * s,
                            2e-3);
            });
        },
        [&] { q.reset(); });
}

/// Attention's softmax where a row sees what came before it: a block a row, zeros behind.
__global__ void causal_softmax(const float* score, float* out, int columns, float scale)
{
    __shared__ float kept[4];
    const float* row = score + static_cast<size_t>(blockIdx.x) * columns;
    float* to = out + static_cast<size_t>(blockIdx.x) * columns;
    const int seen = blockIdx.x % columns + 1;
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;

    float top = -INFINITY;
    for (int c = threadIdx.x; c < seen; c += 128)
        top = fmaxf(top, row[c] * scale);
    for (int mask = 16; mask > 0; mask /= 2)
        top = fmaxf(top, __shfl_xor_sync(full, top, mask));
    if (lane == 0)
        kept[warp] = top;
    __syncthreads();
    top = fmaxf(fmaxf(kept[0], kept[1]), fmaxf(kept[2], kept[3]));
    __syncthreads();

    float sum = 0;
    for (int c = threadIdx.x; c < seen; c += 128)
        sum += expf(row[c] * scale - top);
    for (int mask = 16; mask > 0; mask /= 2)
        sum += __shfl_xor_sync(full, sum, mask);
    if (lane == 0)
        kept[warp] = sum;
    __syncthreads();
    const float part = 1 / (kept[0] + kept[1] + kept[2] + kept[3]);

    for (int c = threadIdx.x; c < columns; c += 128)
        to[c] = c < seen ? expf(row[c] * scale - top) * part : 0;
}

bool try_causal_softmax(const char* name)
{
    const int columns = 1024;
    const size_t rows = n / columns;
    const Array<float> score(n, noise(3, -20, 20));
    const Array<float> out(n);
    return run(
        name,
        [&] {
            causal_softmax<<<static_cast<u>(rows), 128>>>(score.memory, out.memory, columns,
                                                          0.125F);
        },
        [&] {
            std::vector<double> sum(rows);
            for (size_t row = 0; row < rows; ++row)
                for (size_t c = 0; c <= row % columns; ++c)
                    sum[row] += std::exp(score.first[row * columns + c] * 0.125F);
            return matches(
                out,
                [&](size_t i) {
                    const size_t row = i / columns;
                    return i % columns <= row % columns
                               ? std::exp(score.first[i] * 0.125) / sum[row]
                               : 0.0;
                },
                1e-5);
        });
}

/// What attention's weights make of the values kept in pages: a block a sequence, two numbers a
/// thread.
__global__ void paged_values(const half2* pool, const int* pages, const int* length,
                             const float* weight, float2* out, int longest)
{
    const int sequence = blockIdx.x;
    const int* page = pages + sequence * (longest / 16);
    const float* w = weight + static_cast<size_t>(sequence) * longest;
    const int count = length[sequence];
    float2 sum = make_float2(0, 0);
    for (int p = 0; p < count; ++p) {
        const size_t at = (static_cast<size_t>(page[p / 16]) * 16 + p % 16) * 64 + threadIdx.x;
        const float2 value = __half22float2(pool[at]);
        sum.x += w[p] * value.x;
        sum.y += w[p] * value.y;
    }
    out[sequence * 64 + threadIdx.x] = sum;
}

bool try_paged_values(const char* name)
{
    const int longest = 2048;
    const size_t sequences = n / 32768;
    const size_t pages = n / 2048;
    const Array<half> pool(n, noise(4, -1));
    const Array<int> page(sequences * (longest / 16), below(5, pages));
    const Array<int> length(sequences, [](size_t i) { return 1 + below(6, 2048)(i); });
    const Array<float> weight(sequences * longest, noise(7, 0, 0.01F));
    const Array<float> out(sequences * 128);
    return run(
        name,
        [&] {
            paged_values<<<static_cast<u>(sequences), 64>>>(
                reinterpret_cast<half2*>(pool.memory), page.memory, length.memory, weight.memory,
                reinterpret_cast<float2*>(out.memory), longest);
        },
        [&] {
            return matches(
                out,
                [&](size_t i) {
                    const size_t sequence = i / 128;
                    double sum = 0;
                    for (size_t p = 0; p < static_cast<size_t>(length.first[sequence]); ++p) {
                        const size_t at =
                            static_cast<size_t>(page.first[sequence * 128 + p / 16]) * 16 + p % 16;
                        sum += double{weight.first[sequence * longest + p]} *
                               __half2float(pool.first[at * 128 + i % 128]);
                    }
                    return sum;
                },
                1e-3);
        });
}

/// Draws a word by its weight: a block a row sums it, then walks along until the drawn number is
/// passed.
__global__ void sample_vocabulary(const u* weight, const u* random, u* chosen, int words)
{
    __shared__ u part[8];
    const u* row = weight + static_cast<size_t>(blockIdx.x) * words;
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    u sum = 0;
    for (int i = threadIdx.x; i < words; i += 256)
        sum += row[i];
    for (int mask = 16; mask > 0; mask /= 2)
        sum += __shfl_xor_sync(full, sum, mask);
    if (lane == 0)
        part[warp] = sum;
    __syncthreads();
    u total = 0;
    for (int w = 0; w < 8; ++w)
        total += part[w];
    const u target = static_cast<u>(uint64_t{random[blockIdx.x]} * total >> 32);

    u before = 0;
    for (int start = 0; start < words; start += 256) {
        const u mine = row[start + threadIdx.x];
        u upto = mine;
        for (int o = 1; o < 32; o *= 2) {
            const u other = __shfl_up_sync(full, upto, o);
            if (lane >= o)
                upto += other;
        }
        __syncthreads();
        if (lane == 31)
            part[warp] = upto;
        __syncthreads();
        u tile = 0;
        for (int w = 0; w < 8; ++w) {
            if (w == warp)
                upto += before + tile;
            tile += part[w];
        }
        if (upto > target && upto - mine <= target)
            chosen[blockIdx.x] = start + threadIdx.x;
        before += tile;
        if (before > target)
            break;
    }
}

bool try_sample_vocabulary(const char* name)
{
    const int words = 32768;
    const size_t rows = n / words;
    const Array<u> weight(n, below(8, 1000));
    const Array<u> random(rows, [](size_t i) { return mix(static_cast<u>(i) + 9); });
    const Array<u> chosen(rows);
    return run(
        name,
        [&] {
            sample_vocabulary<<<static_cast<u>(rows), 256>>>(weight.memory, random.memory,
                                                             chosen.memory, words);
        },
        [&] {
            const std::vector<u> now = chosen.now();
            for (size_t row = 0; row < rows; ++row) {
                const u* w = weight.first.data() + row * words;
                const u target = static_cast<u>(
                    uint64_t{random.first[row]} * std::accumulate(w, w + words, 0U) >> 32);
                u at = 0;
                for (u sum = w[0]; sum <= target; sum += w[++at])
                    ;
                if (now[row] != at)
                    return false;
            }
            return true;
        });
}

/// A step of descent that looks ahead, four weights at a time, which also leaves a copy in short
/// floats.
__global__ void nesterov_step(float4* weight, float4* speed, const float4* gradient,
                              __nv_bfloat162* copy, size_t count, float rate, float keep)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        float4 w = weight[i];
        float4 v = speed[i];
        const float4 g = gradient[i];
        v.x = keep * v.x + g.x;
        v.y = keep * v.y + g.y;
        v.z = keep * v.z + g.z;
        v.w = keep * v.w + g.w;
        w.x -= rate * (g.x + keep * v.x);
        w.y -= rate * (g.y + keep * v.y);
        w.z -= rate * (g.z + keep * v.z);
        w.w -= rate * (g.w + keep * v.w);
        weight[i] = w;
        speed[i] = v;
        copy[2 * i] = __floats2bfloat162_rn(w.x, w.y);
        copy[2 * i + 1] = __floats2bfloat162_rn(w.z, w.w);
    }
}

bool try_nesterov_step(const char* name)
{
    Array<float> weight(n, noise(10, -1));
    Array<float> speed(n, noise(11, -1));
    const Array<float> gradient(n, noise(12, -1));
    const Array<__nv_bfloat16> copy(n);
    return run(
        name,
        [&] {
            nesterov_step<<<1056, 256>>>(
                reinterpret_cast<float4*>(weight.memory), reinterpret_cast<float4*>(speed.memory),
                reinterpret_cast<float4*>(gradient.memory),
                reinterpret_cast<__nv_bfloat162*>(copy.memory), n / 4, 0.1F, 0.9F);
        },
        [&] {
            const auto moved = [&](size_t i) { return 0.9 * speed.first[i] + gradient.first[i]; };
            const auto placed = [&](size_t i) {
                return weight.first[i] - 0.1 * (gradient.first[i] + 0.9 * moved(i));
            };
            const std::vector<__nv_bfloat16> now = copy.now();
            return matches(speed, moved) && matches(weight, placed) && sampled(n, [&](size_t i) {
                       return near(__bfloat162float(now[i]), placed(i), 1e-2);
                   });
        },
        [&] {
            weight.reset();
            speed.reset();
        });
}

/// Thirty-two small numbers and what they are to be multiplied by.
struct Eights
{
    half scale;
    signed char number[32];
};

/// Makes such groups of floats: a warp a group.
__global__ void quantise_q8(const float* in, Eights* out)
{
    const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
    const float x = in[i];
    float top = fabsf(x);
    for (int mask = 16; mask > 0; mask /= 2)
        top = fmaxf(top, __shfl_xor_sync(full, top, mask));
    const float scale = top / 127;
    const float inverse = scale > 0 ? 1 / scale : 0;
    Eights& group = out[i / 32];
    group.number[i % 32] = static_cast<signed char>(rintf(x * inverse));
    if (i % 32 == 0)
        group.scale = __float2half(scale);
}

bool try_quantise_q8(const char* name)
{
    const Array<float> in(n, noise(13, -3, 3));
    const Array<Eights> out(n / 32);
    return run(
        name, [&] { quantise_q8<<<static_cast<u>(n / 1024), 1024>>>(in.memory, out.memory); },
        [&] {
            const std::vector<Eights> now = out.now();
            return sampled(n / 32, [&](size_t g) {
                float top = 0;
                for (size_t k = 0; k < 32; ++k)
                    top = std::max(top, std::fabs(in.first[g * 32 + k]));
                bool right = near(__half2float(now[g].scale), top / 127, 1e-4);
                for (size_t k = 0; k < 32; ++k) {
                    const double exact = double{in.first[g * 32 + k]} * 127 / top;
                    right = right && std::fabs(now[g].number[k] - exact) < 0.501;
                }
                return right;
            });
        });
}

/// The sum of a loss that heeds what is hard to tell, of short floats: one double for all.
__global__ void focal_loss(const __nv_bfloat16* logit, const byte* target, double* total, u count)
{
    __shared__ float part[6];
    float sum = 0;
    for (u i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const float x = __bfloat162float(logit[i]);
        const float z = target[i] ? x : -x;
        const float away = expf(-z);
        const float wrong = away / (1 + away);
        sum += 0.25F * wrong * wrong * log1pf(away);
    }
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(full, sum, offset);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(total,
                  static_cast<double>(part[0] + part[1] + part[2] + part[3] + part[4] + part[5]));
}

bool try_focal_loss(const char* name)
{
    const size_t count = n / 2;
    const Array<__nv_bfloat16> logit(count, noise(14, -4, 4));
    const Array<byte> target(count, [](size_t i) { return mix(static_cast<u>(i) + 15) % 4 == 0; });
    Array<double> total(1);
    return run(
        name,
        [&] {
            focal_loss<<<528, 192>>>(logit.memory, target.memory, total.memory,
                                     static_cast<u>(count));
        },
        [&] {
            double sum = 0;
            for (size_t i = 0; i < count; ++i) {
                const float x = __bfloat162float(logit.first[i]);
                const double away = std::exp(target.first[i] ? -x : x);
                sum += 0.25 * away * away / (1 + away) / (1 + away) * std::log1p(away);
            }
            return near(total.now()[0], sum, 1e-4);
        },
        [&] { total.clear(); });
}

/// What the four gates of a small recurrent cell make of its state.
__global__ void lstm_cell(const float* gates, const float* bias, const float* cell, float* cell_out,
                          float* hidden_out, int hidden)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    const int sample = blockIdx.y;
    if (k >= hidden)
        return;
    const float* g = gates + static_cast<size_t>(sample) * 4 * hidden + k;
    const float in = 1 / (1 + expf(-(g[0] + bias[k])));
    const float forget = 1 / (1 + expf(-(g[hidden] + bias[hidden + k])));
    const float fresh = tanhf(g[2 * hidden] + bias[2 * hidden + k]);
    const float out = 1 / (1 + expf(-(g[3 * hidden] + bias[3 * hidden + k])));
    const float c = forget * cell[sample * hidden + k] + in * fresh;
    cell_out[sample * hidden + k] = c;
    hidden_out[sample * hidden + k] = out * tanhf(c);
}

bool try_lstm_cell(const char* name)
{
    const int hidden = 500;
    const int samples = static_cast<int>(n / 65536);
    const size_t count = static_cast<size_t>(samples) * hidden;
    const Array<float> gates(count * 4, noise(16, -2, 2));
    const Array<float> bias(hidden * 4, noise(17, -1));
    const Array<float> cell(count, noise(18, -1));
    const Array<float> cell_out(count);
    const Array<float> hidden_out(count);
    return run(
        name,
        [&] {
            lstm_cell<<<dim3(blocks(hidden, 96), samples), 96>>>(
                gates.memory, bias.memory, cell.memory, cell_out.memory, hidden_out.memory, hidden);
        },
        [&] {
            const auto gate = [&](size_t i, size_t which) {
                const size_t k = i % hidden;
                return double{gates.first[(i / hidden * 4 + which) * hidden + k]} +
                       bias.first[which * hidden + k];
            };
            const auto open = [&](size_t i, size_t which) {
                return 1 / (1 + std::exp(-gate(i, which)));
            };
            const auto state = [&](size_t i) {
                return open(i, 1) * cell.first[i] + open(i, 0) * std::tanh(gate(i, 2));
            };
            return matches(cell_out, state) &&
                   matches(hidden_out, [&](size_t i) { return open(i, 3) * std::tanh(state(i)); });
        });
}

__device__ bool overlap_much(float4 a, float4 b)
{
    const float width = fmaxf(fminf(a.z, b.z) - fmaxf(a.x, b.x), 0);
    const float height = fmaxf(fminf(a.w, b.w) - fmaxf(a.y, b.y), 0);
    const float both = width * height;
    const float either = (a.z - a.x) * (a.w - a.y) + (b.z - b.x) * (b.w - b.y) - both;
    return both > 0.25F * either;
}

/// Which later boxes overlap a box: a bit a pair, a block 64 boxes against 64.
__global__ void nms_mask(const float4* boxes, unsigned long long* mask)
{
    __shared__ float4 others[64];
    if (blockIdx.x < blockIdx.y)
        return;
    others[threadIdx.x] = boxes[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    const int row = blockIdx.y * 64 + threadIdx.x;
    const float4 mine = boxes[row];
    unsigned long long bits = 0;
    for (int k = blockIdx.x == blockIdx.y ? threadIdx.x + 1 : 0; k < 64; ++k)
        if (overlap_much(mine, others[k]))
            bits |= 1ULL << k;
    mask[row * gridDim.x + blockIdx.x] = bits;
}

bool try_nms_mask(const char* name)
{
    const size_t count = static_cast<size_t>(side(2));
    const u tiles = static_cast<u>(count / 64);
    // whole numbers, of which no product is rounded
    const Array<float4> boxes(count, [](size_t i) {
        const float x = static_cast<float>(below(19, 300)(i));
        const float y = static_cast<float>(below(20, 300)(i));
        return make_float4(x, y, x + 10 + below(21, 90)(i), y + 10 + below(22, 90)(i));
    });
    const Array<unsigned long long> mask(count * tiles);
    return run(
        name, [&] { nms_mask<<<dim3(tiles, tiles), 64>>>(boxes.memory, mask.memory); },
        [&] {
            const std::vector<unsigned long long> now = mask.now();
            return sampled(now.size(), [&](size_t i) {
                const size_t row = i / tiles;
                const float4 a = boxes.first[row];
                unsigned long long bits = 0;
                for (size_t k = 0; k < 64; ++k) {
                    const size_t column = i % tiles * 64 + k;
                    const float4 b = boxes.first[column];
                    const float both = std::max(std::min(a.z, b.z) - std::max(a.x, b.x), 0.0F) *
                                       std::max(std::min(a.w, b.w) - std::max(a.y, b.y), 0.0F);
                    const float areas = (a.z - a.x) * (a.w - a.y) + (b.z - b.x) * (b.w - b.y);
                    if (column > row && both > 0.25F * (areas - both))
                        bits |= 1ULL << k;
                }
                return now[i] == bits;
            });
        });
}

// --- matrices ------------------------------------------------------------------------------------

/// All products of the 32 columns of a tall matrix: a thread a pair, a block 1024 rows.
__global__ void gram_tall(const float* a, double* out)
{
    __shared__ float tile[32][33];
    const int x = threadIdx.x;
    const int y = threadIdx.y;
    const size_t first = blockIdx.x * size_t{1024};
    float sum = 0;
    for (int start = 0; start < 1024; start += 32) {
        tile[y][x] = a[(first + start + y) * 32 + x];
        __syncthreads();
        for (int r = 0; r < 32; ++r)
            sum += tile[r][y] * tile[r][x];
        __syncthreads();
    }
    atomicAdd(&out[y * 32 + x], static_cast<double>(sum));
}

bool try_gram_tall(const char* name)
{
    const Array<float> a(n, noise(23, -1));
    Array<double> out(1024);
    return run(
        name, [&] { gram_tall<<<static_cast<u>(n / 32768), dim3(32, 32)>>>(a.memory, out.memory); },
        [&] {
            std::vector<double> expected(1024);
            for (size_t row = 0; row < n / 32; ++row)
                for (size_t i = 0; i < 32; ++i)
                    for (size_t j = 0; j < 32; ++j)
                        expected[i * 32 + j] +=
                            double{a.first[row * 32 + i]} * a.first[row * 32 + j];
            return matches(
                out, [&](size_t i) { return expected[i]; }, 2e-3);
        },
        [&] { out.clear(); });
}

/// Solves small lower triangles of doubles, columns side by side: a warp a triangle, a lane an
/// unknown.
__global__ void solve_lower(const double* triangles, const double* right, double* x, int count)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (warp >= count)
        return;
    const double* column = triangles + static_cast<size_t>(warp) * 1024;
    double mine = right[warp * 32 + lane];
    for (int k = 0; k < 32; ++k) {
        const double below_it = column[k * 32 + lane];
        if (lane == k)
            mine /= below_it;
        const double solved = __shfl_sync(full, mine, k);
        if (lane > k)
            mine -= below_it * solved;
    }
    x[warp * 32 + lane] = mine;
}

bool try_solve_lower(const char* name)
{
    const size_t count = n / 2048;
    const Array<double> triangles(count * 1024, [](size_t i) {
        const size_t column = i / 32 % 32;
        return i % 32 < column    ? 0
               : i % 32 == column ? 2 + noise(24)(i)
                                  : noise(24, -0.5F, 0.5F)(i);
    });
    const Array<double> right(count * 32, noise(25, -1));
    const Array<double> x(count * 32);
    return run(
        name,
        [&] {
            solve_lower<<<blocks(count, 4), 128>>>(triangles.memory, right.memory, x.memory,
                                                   static_cast<int>(count));
        },
        [&] {
            const std::vector<double> now = x.now();
            return sampled(count * 32, [&](size_t i) {
                const size_t system = i / 32;
                double sum = 0;
                for (size_t k = 0; k < 32; ++k)
                    sum += triangles.first[system * 1024 + k * 32 + i % 32] * now[system * 32 + k];
                return near(sum, right.first[i], 1e-9);
            });
        });
}

/// Mirrors all columns of a matrix, in place: a block 32 columns, which it walks down twice.
__global__ void householder_apply(float* a, const float* v, float tau, int rows, int columns)
{
    __shared__ float part[8][32];
    const int c = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    for (int r = threadIdx.y; r < rows; r += 8)
        sum += v[r] * a[static_cast<size_t>(r) * columns + c];
    part[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    sum = 0;
    for (int k = 0; k < 8; ++k)
        sum += part[k][threadIdx.x];
    sum *= tau;
    for (int r = threadIdx.y; r < rows; r += 8)
        a[static_cast<size_t>(r) * columns + c] -= sum * v[r];
}

bool try_householder_apply(const char* name)
{
    const int rows = side(0);
    const int columns = side(0);
    Array<float> a(static_cast<size_t>(rows) * columns, noise(26, -1));
    const Array<float> v(rows, noise(27, -1));
    const float tau = 2 / std::inner_product(v.first.begin(), v.first.end(), v.first.begin(), 0.0F);
    return run(
        name,
        [&] {
            householder_apply<<<columns / 32, dim3(32, 8)>>>(a.memory, v.memory, tau, rows,
                                                             columns);
        },
        [&] {
            std::vector<double> dot(columns);
            for (size_t i = 0; i < a.size; ++i)
                dot[i % columns] += double{a.first[i]} * v.first[i / columns];
            return matches(a, [&](size_t i) {
                return a.first[i] - tau * dot[i % columns] * v.first[i / columns];
            });
        },
        [&] { a.reset(); });
}

struct Matrix3
{
    double m[9];
};

/// Inverts matrices of three by three doubles that lie one after another.
__global__ void invert3x3(const Matrix3* in, Matrix3* out, u count)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const Matrix3 a = in[i];
    Matrix3 b;
    b.m[0] = a.m[4] * a.m[8] - a.m[5] * a.m[7];
    b.m[1] = a.m[2] * a.m[7] - a.m[1] * a.m[8];
    b.m[2] = a.m[1] * a.m[5] - a.m[2] * a.m[4];
    b.m[3] = a.m[5] * a.m[6] - a.m[3] * a.m[8];
    b.m[4] = a.m[0] * a.m[8] - a.m[2] * a.m[6];
    b.m[5] = a.m[2] * a.m[3] - a.m[0] * a.m[5];
    b.m[6] = a.m[3] * a.m[7] - a.m[4] * a.m[6];
    b.m[7] = a.m[1] * a.m[6] - a.m[0] * a.m[7];
    b.m[8] = a.m[0] * a.m[4] - a.m[1] * a.m[3];
    const double one = 1 / (a.m[0] * b.m[0] + a.m[1] * b.m[3] + a.m[2] * b.m[6]);
    for (int k = 0; k < 9; ++k)
        b.m[k] *= one;
    out[i] = b;
}

bool try_invert3x3(const char* name)
{
    const size_t count = n / 32;
    const Array<Matrix3> in(count, [](size_t i) {
        Matrix3 a;
        for (size_t k = 0; k < 9; ++k)
            a.m[k] = noise(28, -1)(i * 9 + k) + (k % 4 == 0 ? 3 : 0);
        return a;
    });
    const Array<Matrix3> out(count);
    return run(
        name,
        [&] { invert3x3<<<blocks(count, 64), 64>>>(in.memory, out.memory, static_cast<u>(count)); },
        [&] {
            const std::vector<Matrix3> now = out.now();
            return sampled(count, [&](size_t i) {
                for (int r = 0; r < 3; ++r)
                    for (int c = 0; c < 3; ++c) {
                        double sum = 0;
                        for (int k = 0; k < 3; ++k)
                            sum += in.first[i].m[r * 3 + k] * now[i].m[k * 3 + c];
                        if (!near(sum, r == c, 1e-9))
                            return false;
                    }
                return true;
            });
        });
}

/// A sparse matrix in slices of 32 rows, each as wide as its longest row, times a vector: a thread
/// a row.
__global__ void sparse_sliced(const u* start, const int* column, const float* value, const float* x,
                              float* y, u rows)
{
    const u row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    const u end = start[row / 32 + 1];
    float sum = 0;
    for (u k = start[row / 32]; k < end; ++k)
        sum += value[k * 32 + row % 32] * __ldg(&x[column[k * 32 + row % 32]]);
    y[row] = sum;
}

bool try_sparse_sliced(const char* name)
{
    const u rows = static_cast<u>(n / 16);
    const Array<u> start(list_starts(rows / 32, 29, 4, 27));
    const size_t kept = size_t{start.first.back()} * 32;
    // half of the columns are near the row
    const Array<int> column(kept, [&](size_t i) {
        const u any = below(30, rows)(i);
        return i % 3 == 0 ? any : (static_cast<u>(i / 512) + any % 1024) % rows;
    });
    const Array<float> value(kept, noise(31, -1));
    const Array<float> x(rows, noise(32, -1));
    const Array<float> y(rows);
    return run(
        name,
        [&] {
            sparse_sliced<<<blocks(rows, 256), 256>>>(start.memory, column.memory, value.memory,
                                                      x.memory, y.memory, rows);
        },
        [&] {
            return matches(y, [&](size_t row) {
                double sum = 0;
                for (size_t k = start.first[row / 32]; k < start.first[row / 32 + 1]; ++k)
                    sum += double{value.first[k * 32 + row % 32]} *
                           x.first[column.first[k * 32 + row % 32]];
                return sum;
            });
        });
}

/// Turns two axes of a symmetric matrix such that `pq` vanishes; `rp` and `rq` lead to the third.
__device__ void turn(float& pp, float& qq, float& pq, float& rp, float& rq)
{
    if (pq == 0)
        return;
    const float theta = (qq - pp) / (2 * pq);
    const float t = copysignf(1 / (fabsf(theta) + sqrtf(theta * theta + 1)), theta);
    const float c = rsqrtf(t * t + 1);
    const float s = t * c;
    pp -= t * pq;
    qq += t * pq;
    pq = 0;
    const float old = rp;
    rp = c * old - s * rq;
    rq = s * old + c * rq;
}

/// Eigenvalues of symmetric matrices of three by three, each number in an array of its own, the
/// smallest first.
__global__ void eigen_symmetric(const float* in, float* out, u count)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float xx = in[i];
    float yy = in[count + i];
    float zz = in[2 * count + i];
    float xy = in[3 * count + i];
    float xz = in[4 * count + i];
    float yz = in[5 * count + i];
    const float size = xx * xx + yy * yy + zz * zz;
    for (int sweep = 0; sweep < 12 && xy * xy + xz * xz + yz * yz > 1e-12F * size; ++sweep) {
        turn(xx, yy, xy, xz, yz);
        turn(xx, zz, xz, xy, yz);
        turn(yy, zz, yz, xy, xz);
    }
    const float least = fminf(xx, fminf(yy, zz));
    const float most = fmaxf(xx, fmaxf(yy, zz));
    out[i] = least;
    out[count + i] = fmaxf(fminf(xx, yy), fminf(fmaxf(xx, yy), zz));
    out[2 * count + i] = most;
}

bool try_eigen_symmetric(const char* name)
{
    const size_t count = n / 8;
    const Array<float> in(count * 6, noise(33, -1));
    const Array<float> out(count * 3);
    return run(
        name,
        [&] {
            eigen_symmetric<<<blocks(count, 320), 320>>>(in.memory, out.memory,
                                                         static_cast<u>(count));
        },
        [&] {
            const std::vector<float> now = out.now();
            return sampled(count, [&](size_t i) {
                const auto a = [&](size_t k) { return double{in.first[k * count + i]}; };
                const double p = now[i];
                const double q = now[count + i];
                const double r = now[2 * count + i];
                const double determinant = a(0) * a(1) * a(2) + 2 * a(3) * a(4) * a(5) -
                                           a(0) * a(5) * a(5) - a(1) * a(4) * a(4) -
                                           a(2) * a(3) * a(3);
                const double squares = a(0) * a(0) + a(1) * a(1) + a(2) * a(2) +
                                       2 * (a(3) * a(3) + a(4) * a(4) + a(5) * a(5));
                return p <= q && q <= r && near(p + q + r, a(0) + a(1) + a(2), 1e-4) &&
                       near(p * p + q * q + r * r, squares, 1e-4) &&
                       near(p * q * r, determinant, 1e-4);
            });
        });
}

// --- pictures and signals ------------------------------------------------------------------------

__constant__ int hough_cosine[180];
__constant__ int hough_sine[180];

/// Votes for the lines that may go through a point: whoever has an edge votes 180 times.
__global__ void hough_lines(const byte* edges, u* votes, int size)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (!edges[y * size + x])
        return;
    for (int a = 0; a < 180; ++a) {
        const int distance = (x * hough_cosine[a] + y * hough_sine[a]) >> 10;
        atomicAdd(&votes[a * 4 * size + 2 * size + distance], 1U);
    }
}

bool try_hough_lines(const char* name)
{
    const int size = side(2);
    std::vector<int> cosine(180);
    std::vector<int> sine(180);
    for (int a = 0; a < 180; ++a) {
        cosine[a] = static_cast<int>(std::lround(1024 * std::cos(a * 3.14159265 / 180)));
        sine[a] = static_cast<int>(std::lround(1024 * std::sin(a * 3.14159265 / 180)));
    }
    cudaMemcpyToSymbol(hough_cosine, cosine.data(), sizeof hough_cosine);
    cudaMemcpyToSymbol(hough_sine, sine.data(), sizeof hough_sine);
    // a line, and points that belong to none
    const Array<byte> edges(static_cast<size_t>(size) * size, [&](size_t i) {
        return i / size == i % size / 2 + 9 || mix(static_cast<u>(i) + 34) % 128 == 0;
    });
    Array<u> votes(static_cast<size_t>(size) * 4 * 180);
    return run(
        name,
        [&] {
            hough_lines<<<dim3(size / 16, size / 16), dim3(16, 16)>>>(edges.memory, votes.memory,
                                                                      size);
        },
        [&] {
            std::vector<u> expected(votes.size);
            for (int y = 0; y < size; ++y)
                for (int x = 0; x < size; ++x)
                    if (edges.first[static_cast<size_t>(y) * size + x])
                        for (int a = 0; a < 180; ++a)
                            ++expected[a * 4 * size + 2 * size +
                                       ((x * cosine[a] + y * sine[a]) >> 10)];
            return votes.now() == expected;
        },
        [&] { votes.clear(); });
}

/// The table that spreads the greys of a tile of 64 by 64, the commonest cut: a block a tile.
__global__ void tile_equalise(const byte* image, byte* table, int width, u limit)
{
    __shared__ u count[256];
    __shared__ u spilt;
    const int t = threadIdx.x;
    count[t] = 0;
    if (t == 0)
        spilt = 0;
    __syncthreads();
    const byte* tile = image + static_cast<size_t>(blockIdx.y) * 64 * width + blockIdx.x * 64;
    for (int i = t; i < 4096; i += 256)
        atomicAdd(&count[tile[i / 64 * width + i % 64]], 1U);
    __syncthreads();
    u mine = count[t];
    if (mine > limit) {
        atomicAdd(&spilt, mine - limit);
        mine = limit;
    }
    __syncthreads();
    count[t] = mine + spilt / 256;
    __syncthreads();
    for (int o = 1; o < 256; o *= 2) {
        const u before = t >= o ? count[t - o] : 0;
        __syncthreads();
        count[t] += before;
        __syncthreads();
    }
    table[(blockIdx.y * gridDim.x + blockIdx.x) * 256 + t] = min(255U, count[t] * 255 / 4096);
}

bool try_tile_equalise(const char* name)
{
    const int width = side(0);
    const u tiles = static_cast<u>(width / 64);
    const Array<byte> image(static_cast<size_t>(width) * width,
                            [](size_t i) { return 40 + 160 * noise(35)(i) * noise(36)(i); });
    const Array<byte> table(size_t{tiles} * tiles * 256);
    return run(
        name,
        [&] { tile_equalise<<<dim3(tiles, tiles), 256>>>(image.memory, table.memory, width, 60); },
        [&] {
            const std::vector<byte> now = table.now();
            for (size_t tile = 0; tile < size_t{tiles} * tiles; ++tile) {
                std::vector<u> count(256);
                for (size_t i = 0; i < 4096; ++i)
                    ++count[image.first[(tile / tiles * 64 + i / 64) * width + tile % tiles * 64 +
                                        i % 64]];
                u spilt = 0;
                for (u& grey : count) {
                    spilt += grey - std::min(grey, 60U);
                    grey = std::min(grey, 60U);
                }
                u sum = 0;
                for (size_t grey = 0; grey < 256; ++grey) {
                    sum += count[grey] + spilt / 256;
                    if (now[tile * 256 + grey] != std::min(255U, sum * 255 / 4096))
                        return false;
                }
            }
            return true;
        });
}

__host__ __device__ float cubic(float t)
{
    t = t < 0 ? -t : t;
    return t <= 1 ? (1.5F * t - 2.5F) * t * t + 1 : ((-0.5F * t + 2.5F) * t - 4) * t + 2;
}

/// A picture of four bytes a point, twice as large, of 16 points each.
__global__ void resize_bicubic(const uchar4* in, uchar4* out, int size)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const float from_x = x * 0.5F - 0.25F;
    const float from_y = y * 0.5F - 0.25F;
    const int left = static_cast<int>(floorf(from_x));
    const int upper = static_cast<int>(floorf(from_y));
    float4 sum = make_float4(0, 0, 0, 0);
    for (int j = -1; j < 3; ++j) {
        const float weight_y = cubic(from_y - (upper + j));
        const int row = min(max(upper + j, 0), size - 1);
        for (int i = -1; i < 3; ++i) {
            const float weight = weight_y * cubic(from_x - (left + i));
            const uchar4 p = in[row * size + min(max(left + i, 0), size - 1)];
            sum.x += weight * p.x;
            sum.y += weight * p.y;
            sum.z += weight * p.z;
            sum.w += weight * p.w;
        }
    }
    const auto whole = [](float v) { return static_cast<byte>(fminf(fmaxf(v + 0.5F, 0), 255)); };
    out[y * 2 * size + x] = make_uchar4(whole(sum.x), whole(sum.y), whole(sum.z), whole(sum.w));
}

bool try_resize_bicubic(const char* name)
{
    const int size = side(4);
    const Array<byte> in(static_cast<size_t>(size) * size * 4, below(37, 256));
    const Array<byte> out(in.size * 4);
    return run(
        name,
        [&] {
            resize_bicubic<<<dim3(size / 16, size / 8), dim3(32, 16)>>>(
                reinterpret_cast<uchar4*>(in.memory), reinterpret_cast<uchar4*>(out.memory), size);
        },
        [&] {
            const std::vector<byte> now = out.now();
            return sampled(out.size, [&](size_t at) {
                const int x = static_cast<int>(at / 4 % (2 * size));
                const int y = static_cast<int>(at / 4 / (2 * size));
                const int left = (x + 1) / 2 - 1;
                const int upper = (y + 1) / 2 - 1;
                double sum = 0;
                for (int j = upper - 1; j < upper + 3; ++j)
                    for (int i = left - 1; i < left + 3; ++i) {
                        const size_t row = std::clamp(j, 0, size - 1);
                        const size_t point = row * size + std::clamp(i, 0, size - 1);
                        sum += double{cubic(y * 0.5F - 0.25F - j)} * cubic(x * 0.5F - 0.25F - i) *
                               in.first[point * 4 + at % 4];
                    }
                return std::fabs(std::clamp(sum, 0.0, 255.0) - now[at]) < 0.51;
            });
        });
}

/// How far the nearest mark of the same column is: a thread a column, down and up again.
__global__ void distance_columns(const byte* mark, unsigned short* distance, int size)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    int last = 20000;
    for (int y = 0; y < size; ++y) {
        last = mark[y * size + x] ? 0 : min(last + 1, 20000);
        distance[y * size + x] = last;
    }
    for (int y = size - 2; y >= 0; --y) {
        last = min(last + 1, static_cast<int>(distance[y * size + x]));
        distance[y * size + x] = last;
    }
}

bool try_distance_columns(const char* name)
{
    const int size = side(2);
    const Array<byte> mark(static_cast<size_t>(size) * size,
                           [](size_t i) { return mix(static_cast<u>(i) + 38) % 200 == 0; });
    const Array<unsigned short> distance(mark.size);
    return run(
        name, [&] { distance_columns<<<size / 32, 32>>>(mark.memory, distance.memory, size); },
        [&] {
            const std::vector<unsigned short> now = distance.now();
            return sampled(mark.size, [&](size_t i) {
                const int x = static_cast<int>(i % size);
                const int y = static_cast<int>(i / size);
                const auto marked = [&](int row) {
                    return row >= 0 && row < size &&
                           mark.first[static_cast<size_t>(row) * size + x];
                };
                int away = 0;
                while (away < size && !marked(y - away) && !marked(y + away))
                    ++away;
                return away < size ? now[i] == away : now[i] >= 20000;
            });
        });
}

/// How alike a frame of 1024 samples and itself some samples later are, for 32 delays: a block a
/// frame.
__global__ void autocorrelate(const float* signal, float* out)
{
    __shared__ float frame[1024];
    __shared__ float part[128];
    const float4* from = reinterpret_cast<const float4*>(signal) + blockIdx.x * size_t{256};
    for (int i = threadIdx.x; i < 256; i += 128)
        reinterpret_cast<float4*>(frame)[i] = from[i];
    __syncthreads();
    const int delay = threadIdx.x % 32;
    const int begin = threadIdx.x / 32 * 256;
    float sum = 0;
    for (int i = begin; i < begin + 256; ++i)
        if (i >= delay)
            sum += frame[i] * frame[i - delay];
    part[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x < 32)
        out[blockIdx.x * 32 + delay] =
            part[delay] + part[32 + delay] + part[64 + delay] + part[96 + delay];
}

bool try_autocorrelate(const char* name)
{
    const size_t frames = n / 1024;
    const Array<float> signal(n, noise(39, -1));
    const Array<float> out(frames * 32);
    return run(
        name, [&] { autocorrelate<<<static_cast<u>(frames), 128>>>(signal.memory, out.memory); },
        [&] {
            return matches(out, [&](size_t i) {
                const float* frame = signal.first.data() + i / 32 * 1024;
                double sum = 0;
                for (size_t k = i % 32; k < 1024; ++k)
                    sum += double{frame[k]} * frame[k - i % 32];
                return sum;
            });
        });
}

__constant__ int viterbi_moves[8 * 8];
__constant__ int viterbi_shows[8 * 16];

/// The likeliest of eight states at each of a sequence's steps: a thread a sequence.
__global__ void viterbi(const byte* seen, u* back, byte* path, int* best, int count, int steps)
{
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= count)
        return;
    int score[8];
    for (int k = 0; k < 8; ++k)
        score[k] = viterbi_shows[k * 16 + seen[s]];
    for (int t = 1; t < steps; ++t) {
        const int shown = seen[t * count + s];
        int next[8];
        u from = 0;
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            int top = -1;
            u which = 0;
#pragma unroll
            for (int j = 0; j < 8; ++j)
                if (score[j] + viterbi_moves[j * 8 + k] > top) {
                    top = score[j] + viterbi_moves[j * 8 + k];
                    which = j;
                }
            next[k] = top + viterbi_shows[k * 16 + shown];
            from |= which << (4 * k);
        }
        for (int k = 0; k < 8; ++k)
            score[k] = next[k];
        back[t * count + s] = from;
    }
    int state = 0;
    int top = score[0];
    for (int k = 1; k < 8; ++k)
        if (score[k] > top) {
            top = score[k];
            state = k;
        }
    best[s] = top;
    for (int t = steps - 1; t > 0; --t) {
        path[t * count + s] = state;
        state = back[t * count + s] >> (4 * state) & 15;
    }
    path[s] = state;
}

bool try_viterbi(const char* name)
{
    const int steps = 64;
    const size_t count = n / 256;
    std::vector<int> moves(64);
    std::vector<int> shows(128);
    for (size_t i = 0; i < 64; ++i)
        moves[i] = below(40, 100)(i);
    for (size_t i = 0; i < 128; ++i)
        shows[i] = below(41, 100)(i);
    cudaMemcpyToSymbol(viterbi_moves, moves.data(), sizeof viterbi_moves);
    cudaMemcpyToSymbol(viterbi_shows, shows.data(), sizeof viterbi_shows);
    const Array<byte> seen(count * steps, below(42, 16));
    const Array<u> back(count * steps);
    const Array<byte> path(count * steps);
    const Array<int> best(count);
    return run(
        name,
        [&] {
            viterbi<<<blocks(count, 128), 128>>>(seen.memory, back.memory, path.memory, best.memory,
                                                 static_cast<int>(count), steps);
        },
        [&] {
            const std::vector<byte> way = path.now();
            const std::vector<int> now = best.now();
            return sampled(count, [&](size_t s) {
                int score[8];
                int along = 0;
                for (int t = 0; t < steps; ++t) {
                    const size_t at = static_cast<size_t>(t) * count + s;
                    if (way[at] > 7)
                        return false;
                    along += shows[way[at] * 16 + seen.first[at]] +
                             (t > 0 ? moves[way[at - count] * 8 + way[at]] : 0);
                    int next[8];
                    for (int k = 0; k < 8; ++k) {
                        int top = 0;
                        for (int j = 0; j < 8 && t > 0; ++j)
                            top = std::max(top, score[j] + moves[j * 8 + k]);
                        next[k] = top + shows[k * 16 + seen.first[at]];
                    }
                    std::copy(next, next + 8, score);
                }
                return now[s] == along && now[s] == *std::max_element(score, score + 8);
            });
        });
}

// --- graphs and tables ---------------------------------------------------------------------------

/// Walks 32 steps through a graph, each to a neighbour by chance, and says where they end.
__global__ void random_walks(const u* start, const u* neighbour, u* end, u vertices, u walkers)
{
    const u w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= walkers)
        return;
    u v = mix(w) % vertices;
    for (u step = 0; step < 32; ++step) {
        const u first = start[v];
        const u count = start[v + 1] - first;
        v = neighbour[first + mix(w * 32 + step) % count];
    }
    end[w] = v;
}

bool try_random_walks(const char* name)
{
    const u vertices = static_cast<u>(n / 8);
    const u walkers = static_cast<u>(n / 16);
    const Array<u> start(list_starts(vertices, 43, 1, 15));
    const Array<u> neighbour(start.first.back(), below(44, vertices));
    const Array<u> end(walkers);
    return run(
        name,
        [&] {
            random_walks<<<blocks(walkers, 128), 128>>>(start.memory, neighbour.memory, end.memory,
                                                        vertices, walkers);
        },
        [&] {
            const std::vector<u> now = end.now();
            return sampled(walkers, [&](size_t i) {
                const u w = static_cast<u>(i);
                u v = mix(w) % vertices;
                for (u step = 0; step < 32; ++step)
                    v = neighbour.first[start.first[v] +
                                        mix(w * 32 + step) % (start.first[v + 1] - start.first[v])];
                return now[i] == v;
            });
        });
}

constexpr byte no_colour = 255;

/// A round of colouring: who has the largest number of those around without a colour takes the
/// first that is free.
__global__ void colour_step(const u* __restrict__ start, const u* __restrict__ neighbour,
                            const byte* __restrict__ colour, byte* __restrict__ out, u vertices)
{
    const u v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices)
        return;
    byte mine = colour[v];
    if (mine == no_colour) {
        const u number = mix(v);
        u used = 0;
        bool largest = true;
        const u end = start[v + 1];
        for (u k = start[v]; k < end && largest; ++k) {
            const u other = neighbour[k];
            const byte its = colour[other];
            if (its == no_colour)
                largest = mix(other) <= number;
            else
                used |= 1U << its;
        }
        if (largest)
            mine = __ffs(~used) - 1;
    }
    out[v] = mine;
}

bool try_colour_step(const char* name)
{
    const u vertices = static_cast<u>(n / 16);
    const Array<u> start(list_starts(vertices, 45, 2, 22));
    const Array<u> neighbour(start.first.back(), below(46, vertices));
    const Array<byte> colour(vertices, [](size_t i) {
        const u any = mix(static_cast<u>(i) + 47);
        return any % 4 == 0 ? no_colour : any / 4 % 9;
    });
    const Array<byte> out(vertices);
    return run(
        name,
        [&] {
            colour_step<<<blocks(vertices, 256), 256>>>(start.memory, neighbour.memory,
                                                        colour.memory, out.memory, vertices);
        },
        [&] {
            const std::vector<byte> now = out.now();
            return sampled(vertices, [&](size_t v) {
                if (colour.first[v] != no_colour)
                    return now[v] == colour.first[v];
                std::vector<bool> used(32);
                for (size_t k = start.first[v]; k < start.first[v + 1]; ++k) {
                    const u other = neighbour.first[k];
                    if (colour.first[other] != no_colour)
                        used[colour.first[other]] = true;
                    else if (mix(other) > mix(static_cast<u>(v)))
                        return now[v] == no_colour;
                }
                return now[v] == std::find(used.begin(), used.end(), false) - used.begin();
            });
        });
}

/// What a year's small orders with a middling discount brought, of four columns.
__global__ void revenue_query(const u* date, const signed char* discount, const int* quantity,
                              const int64_t* price, unsigned long long* total, size_t rows)
{
    __shared__ long long part[8];
    long long sum = 0;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += gridDim.x * blockDim.x)
        if (date[i] >= 730 && date[i] < 1095 && discount[i] >= 5 && discount[i] <= 7 &&
            quantity[i] < 24)
            sum += price[i] * discount[i];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(full, sum, offset);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; ++w)
            sum += part[w];
        atomicAdd(total, static_cast<unsigned long long>(sum));
    }
}

bool try_revenue_query(const char* name)
{
    const size_t rows = n / 2;
    const Array<u> date(rows, below(48, 2557));
    const Array<signed char> discount(rows, below(49, 11));
    const Array<int> quantity(rows, below(50, 50));
    const Array<int64_t> price(rows, below(51, 10000000));
    Array<unsigned long long> total(1);
    return run(
        name,
        [&] {
            revenue_query<<<1056, 256>>>(date.memory, discount.memory, quantity.memory,
                                         price.memory, total.memory, rows);
        },
        [&] {
            unsigned long long sum = 0;
            for (size_t i = 0; i < rows; ++i)
                if (date.first[i] / 365 == 2 && discount.first[i] / 5 == 1 &&
                    discount.first[i] < 8 && quantity.first[i] < 24)
                    sum += static_cast<unsigned long long>(price.first[i] * discount.first[i]);
            return total.now()[0] == sum;
        },
        [&] { total.clear(); });
}

/// Numbers of a few bits, packed without gaps; those of 128 are told from a base.
template<int bits>
__global__ void unpack_bits(const u* packed, const int* base, int* out)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t first = static_cast<size_t>(i) * bits;
    const u* word = packed + first / 32;
    const u value = __funnelshift_r(word[0], word[1], first % 32) & ((1U << bits) - 1);
    out[i] = base[i / 128] + static_cast<int>(value);
}

bool try_unpack_bits(const char* name)
{
    const auto value = below(52, 2048);
    std::vector<u> words(n * 11 / 32 + 1);
    for (size_t i = 0; i < n; ++i) {
        const uint64_t moved = uint64_t{value(i)} << (i * 11 % 32);
        words[i * 11 / 32] |= static_cast<u>(moved);
        words[i * 11 / 32 + 1] |= static_cast<u>(moved >> 32);
    }
    const Array<u> packed(words);
    const Array<int> base(
        n / 128, [](size_t i) { return static_cast<int>(below(53, 1000000)(i)) - 500000; });
    const Array<int> out(n);
    return run(
        name,
        [&] { unpack_bits<11><<<blocks(n, 128), 128>>>(packed.memory, base.memory, out.memory); },
        [&] {
            const std::vector<int> now = out.now();
            return sampled(n, [&](size_t i) {
                return now[i] == base.first[i / 128] + static_cast<int>(value(i));
            });
        });
}

/// Whether a filter of bits may know a key: four bits a key, an answer a bit of a warp's word.
__global__ void bloom_probe(const u* filter, const u* key, u* answer, u bits)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    const u k = key[i];
    u at = mix(k);
    const u step = k * 0x9e3779b1 | 1;
    bool known = true;
    for (int probe = 0; probe < 4 && known; ++probe) {
        const u bit = at & (bits - 1);
        known = filter[bit / 32] >> bit % 32 & 1;
        at += step;
    }
    const u together = __ballot_sync(full, known);
    if (threadIdx.x % 32 == 0)
        answer[i / 32] = together;
}

bool try_bloom_probe(const char* name)
{
    const u bits = static_cast<u>(2 * n);
    std::vector<u> set(bits / 32);
    const auto bit = [&](u k, u probe) {
        return (mix(k) + probe * (k * 0x9e3779b1 | 1)) & (bits - 1);
    };
    for (u k = 0; k < n / 4; ++k)
        for (u probe = 0; probe < 4; ++probe)
            set[bit(k, probe) / 32] |= 1U << bit(k, probe) % 32;
    const Array<u> filter(set);
    const Array<u> key(n / 2, below(54, n));
    const Array<u> answer(n / 64);
    return run(
        name,
        [&] {
            bloom_probe<<<blocks(n / 2, 256), 256>>>(filter.memory, key.memory, answer.memory,
                                                     bits);
        },
        [&] {
            const std::vector<u> now = answer.now();
            return sampled(n / 2, [&](size_t i) {
                bool known = true;
                for (u probe = 0; probe < 4; ++probe)
                    known = known &&
                            set[bit(key.first[i], probe) / 32] >> bit(key.first[i], probe) % 32 & 1;
                return (now[i / 32] >> i % 32 & 1) == known;
            });
        });
}

/// Puts keys into a table, each with its number, in the first free place from where it belongs.
__global__ void hash_build(const u* key, unsigned long long* table, u count, u bits)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const u k = key[i];
    const unsigned long long entry = static_cast<unsigned long long>(k) << 32 | (i + 1);
    u place = k * 0x9e3779b1 >> (32 - bits);
    while (true) {
        const unsigned long long old = atomicCAS(&table[place], 0ULL, entry);
        if (old == 0 || old >> 32 == k)
            break;
        place = (place + 1) & ((1U << bits) - 1);
    }
}

bool try_hash_build(const char* name)
{
    const u count = static_cast<u>(n / 4);
    const u bits = static_cast<u>(log2n - 1);
    const Array<u> key(count, [](size_t i) { return mix(static_cast<u>(i) + 55); });
    Array<unsigned long long> table(n / 2);
    return run(
        name,
        [&] { hash_build<<<blocks(count, 512), 512>>>(key.memory, table.memory, count, bits); },
        [&] {
            const std::vector<unsigned long long> now = table.now();
            const auto empty = std::count(now.begin(), now.end(), 0ULL);
            return now.size() - static_cast<size_t>(empty) == count &&
                   sampled(count, [&](size_t i) {
                       size_t place = key.first[i] * 0x9e3779b1 >> (32 - bits);
                       while (now[place] != 0 && now[place] >> 32 != key.first[i])
                           place = (place + 1) % now.size();
                       return now[place] == (uint64_t{key.first[i]} << 32 | (i + 1));
                   });
        },
        [&] { table.clear(); });
}

/// Sorts 2048 keys with their numbers in shared memory: the first step of sorting them all.
__global__ void sort_blocks(const uint64_t* in, uint64_t* out)
{
    __shared__ uint64_t key[2048];
    const size_t first = blockIdx.x * size_t{2048};
    key[threadIdx.x] = in[first + threadIdx.x];
    key[threadIdx.x + 1024] = in[first + threadIdx.x + 1024];
    for (u size = 2; size <= 2048; size *= 2)
        for (u stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            const u low = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            const bool up = (low & size) == 0;
            const uint64_t a = key[low];
            const uint64_t b = key[low + stride];
            if ((a > b) == up) {
                key[low] = b;
                key[low + stride] = a;
            }
        }
    __syncthreads();
    out[first + threadIdx.x] = key[threadIdx.x];
    out[first + threadIdx.x + 1024] = key[threadIdx.x + 1024];
}

bool try_sort_blocks(const char* name)
{
    const size_t count = n / 4;
    const Array<uint64_t> in(count,
                             [](size_t i) { return uint64_t{below(56, 100000)(i)} << 32 | i; });
    const Array<uint64_t> out(count);
    return run(
        name, [&] { sort_blocks<<<static_cast<u>(count / 2048), 1024>>>(in.memory, out.memory); },
        [&] {
            std::vector<uint64_t> expected = in.first;
            for (size_t i = 0; i < count; i += 2048)
                std::sort(expected.begin() + i, expected.begin() + i + 2048);
            return out.now() == expected;
        });
}

/// Writes out runs that are told by where they start: a warp a run.
__global__ void expand_runs(const u* start, const u* value, u* out, u runs)
{
    const u run = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (run >= runs)
        return;
    const u end = start[run + 1];
    const u what = value[run];
    for (u i = start[run] + threadIdx.x % 32; i < end; i += 32)
        out[i] = what;
}

bool try_expand_runs(const char* name)
{
    const u runs = static_cast<u>(n / 64);
    const Array<u> start(list_starts(runs, 57, 0, 127));
    const Array<u> value(runs, [](size_t i) { return mix(static_cast<u>(i) + 58); });
    const Array<u> out(start.first.back());
    return run(
        name,
        [&] {
            expand_runs<<<blocks(runs, 8), 256>>>(start.memory, value.memory, out.memory, runs);
        },
        [&] {
            const std::vector<u> now = out.now();
            for (u k = 0; k < runs; ++k)
                for (size_t i = start.first[k]; i < start.first[k + 1]; ++i)
                    if (now[i] != value.first[k])
                        return false;
            return true;
        });
}

// --- texts and codes -----------------------------------------------------------------------------

__constant__ uint64_t levenshtein_where[256];

/// How many letters differ between words and a pattern of up to 64 letters, a bit each: a thread a
/// word.
__global__ void levenshtein_bits(const byte* text, const u* start, int* distance, int pattern,
                                 u words)
{
    const u w = blockIdx.x * blockDim.x + threadIdx.x;
    if (w >= words)
        return;
    uint64_t more = ~uint64_t{0};
    uint64_t less = 0;
    int score = pattern;
    const u end = start[w + 1];
    for (u i = start[w]; i < end; ++i) {
        const uint64_t equal = levenshtein_where[text[i]];
        const uint64_t down = equal | less;
        const uint64_t across = (((equal & more) + more) ^ more) | equal;
        uint64_t grows = less | ~(across | more);
        uint64_t falls = more & across;
        score += static_cast<int>(grows >> (pattern - 1) & 1) -
                 static_cast<int>(falls >> (pattern - 1) & 1);
        grows = grows << 1 | 1;
        falls <<= 1;
        more = falls | ~(down | grows);
        less = grows & down;
    }
    distance[w] = score;
}

bool try_levenshtein_bits(const char* name)
{
    const u words = static_cast<u>(n / 64);
    const std::string pattern = "the quick brown fox jumps over a lazy dog";
    std::vector<uint64_t> where(256);
    for (size_t i = 0; i < pattern.size(); ++i)
        where[static_cast<byte>(pattern[i])] |= uint64_t{1} << i;
    cudaMemcpyToSymbol(levenshtein_where, where.data(), sizeof levenshtein_where);
    const Array<u> start(list_starts(words, 59, 16, 79));
    // letters of the pattern, often in its order
    const Array<byte> text(start.first.back(), [&](size_t i) {
        const u any = mix(static_cast<u>(i) + 60);
        return pattern[any % 4 == 0 ? any / 4 % pattern.size() : i % pattern.size()];
    });
    const Array<int> distance(words);
    return run(
        name,
        [&] {
            levenshtein_bits<<<blocks(words, 32), 32>>>(text.memory, start.memory, distance.memory,
                                                        static_cast<int>(pattern.size()), words);
        },
        [&] {
            const std::vector<int> now = distance.now();
            std::vector<int> row(pattern.size() + 1);
            return sampled(words, [&](size_t w) {
                std::iota(row.begin(), row.end(), 0);
                for (size_t i = start.first[w]; i < start.first[w + 1]; ++i) {
                    int before = row[0]++;
                    for (size_t k = 0; k < pattern.size(); ++k) {
                        const int other = before + (static_cast<byte>(pattern[k]) != text.first[i]);
                        before = row[k + 1];
                        row[k + 1] = std::min({other, row[k] + 1, before + 1});
                    }
                }
                return now[w] == row.back();
            });
        });
}

/// Three bytes as four letters.
__global__ void base64_encode(const byte* in, const char* letters, char4* out, u groups)
{
    __shared__ char letter[64];
    if (threadIdx.x < 64)
        letter[threadIdx.x] = letters[threadIdx.x];
    __syncthreads();
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= groups)
        return;
    const u all = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
    out[i] = make_char4(letter[all >> 18], letter[all >> 12 & 63], letter[all >> 6 & 63],
                        letter[all & 63]);
}

bool try_base64_encode(const char* name)
{
    const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const size_t groups = n / 2;
    const Array<byte> in(groups * 3, below(61, 256));
    const Array<char> letters(std::vector<char>(alphabet.begin(), alphabet.end()));
    const Array<char4> out(groups);
    return run(
        name,
        [&] {
            base64_encode<<<blocks(groups, 384), 384>>>(in.memory, letters.memory, out.memory,
                                                        static_cast<u>(groups));
        },
        [&] {
            const std::vector<char4> now = out.now();
            return sampled(groups, [&](size_t i) {
                const byte* three = in.first.data() + 3 * i;
                return now[i].x == alphabet[three[0] / 4] &&
                       now[i].y == alphabet[three[0] % 4 * 16 + three[1] / 16] &&
                       now[i].z == alphabet[three[1] % 16 * 4 + three[2] / 64] &&
                       now[i].w == alphabet[three[2] % 64];
            });
        });
}

/// Reads 256 letters of up to seven bits each, from where a list says that they begin: a thread a
/// chunk.
__global__ void huffman_decode(const u* stream, const u* first, const unsigned short* table, u* out,
                               u chunks)
{
    __shared__ unsigned short
        known[128]; // by the next seven bits: the letter and how many bits it takes
    known[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    const u chunk = blockIdx.x * 128 + threadIdx.x;
    if (chunk >= chunks)
        return;
    const u bit = first[chunk];
    const u* word = stream + bit / 32;
    uint64_t kept = (uint64_t{word[0]} << 32 | word[1]) << bit % 32;
    int left = 64 - bit % 32;
    word += 2;
    for (int k = 0; k < 64; ++k) {
        u four = 0;
        for (int j = 0; j < 4; ++j) {
            if (left < 32) {
                kept |= uint64_t{*word++} << (32 - left);
                left += 32;
            }
            const u entry = known[kept >> 57];
            four |= entry >> 8 << 8 * j;
            kept <<= entry & 255;
            left -= entry & 255;
        }
        out[chunk * 64 + k] = four;
    }
}

bool try_huffman_decode(const char* name)
{
    const u chunks = static_cast<u>(n / 512);
    // 18 letters, the first two of two bits, the last eight of seven
    std::vector<unsigned short> codes;
    u letter = 0;
    for (const u bits : {2, 2, 3, 3, 4, 4, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7}) {
        codes.insert(codes.end(), 128 >> bits,
                     static_cast<unsigned short>(('a' + letter) << 8 | bits));
        ++letter;
    }
    const auto code = below(62, 128); // any seven bits begin with some letter
    std::vector<u> begin(chunks);
    std::vector<u> words(size_t{chunks} * 56 + 4);
    size_t at = 0;
    for (size_t i = 0; i < size_t{chunks} * 256; ++i) {
        const u seven = code(i);
        const u bits = codes[seven] & 255;
        if (i % 256 == 0)
            begin[i / 256] = static_cast<u>(at);
        const uint64_t moved = uint64_t{seven >> (7 - bits)} << (64 - bits) >> at % 32;
        words[at / 32] |= static_cast<u>(moved >> 32);
        words[at / 32 + 1] |= static_cast<u>(moved);
        at += bits;
    }
    const Array<u> stream(words);
    const Array<u> first(begin);
    const Array<unsigned short> table(codes);
    const Array<u> out(size_t{chunks} * 64);
    return run(
        name,
        [&] {
            huffman_decode<<<blocks(chunks, 128), 128>>>(stream.memory, first.memory, table.memory,
                                                         out.memory, chunks);
        },
        [&] {
            const std::vector<u> now = out.now();
            return sampled(now.size() * 4, [&](size_t i) {
                return (now[i / 4] >> 8 * (i % 4) & 255) == static_cast<u>(codes[code(i)] >> 8);
            });
        });
}

__constant__ u aes_keys[44];

__device__ u aes_column(const u* table, u a, u b, u c, u d)
{
    const u second = table[b >> 16 & 255];
    const u third = table[c >> 8 & 255];
    const u fourth = table[d & 255];
    return table[a >> 24] ^ (second >> 8 | second << 24) ^ (third >> 16 | third << 16) ^
           (fourth >> 24 | fourth << 8);
}

__device__ u aes_last(const u* table, u a, u b, u c, u d)
{
    return (table[a >> 24] >> 8 & 255) << 24 | (table[b >> 16 & 255] >> 8 & 255) << 16 |
           (table[c >> 8 & 255] >> 8 & 255) << 8 | (table[d & 255] >> 8 & 255);
}

/// Enciphers 16 bytes a thread by counting, its table in shared memory.
__global__ void aes_counter(const uint4* in, const u* table, uint4* out, u count)
{
    __shared__ u t[256];
    t[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    const u i = blockIdx.x * 256 + threadIdx.x;
    if (i >= count)
        return;
    u a = 0x01234567 ^ aes_keys[0];
    u b = 0x89abcdef ^ aes_keys[1];
    u c = aes_keys[2];
    u d = i ^ aes_keys[3];
#pragma unroll
    for (int round = 1; round < 10; ++round) {
        const u a2 = aes_column(t, a, b, c, d) ^ aes_keys[4 * round];
        const u b2 = aes_column(t, b, c, d, a) ^ aes_keys[4 * round + 1];
        const u c2 = aes_column(t, c, d, a, b) ^ aes_keys[4 * round + 2];
        const u d2 = aes_column(t, d, a, b, c) ^ aes_keys[4 * round + 3];
        a = a2;
        b = b2;
        c = c2;
        d = d2;
    }
    uint4 text = in[i];
    text.x ^= aes_last(t, a, b, c, d) ^ aes_keys[40];
    text.y ^= aes_last(t, b, c, d, a) ^ aes_keys[41];
    text.z ^= aes_last(t, c, d, a, b) ^ aes_keys[42];
    text.w ^= aes_last(t, d, a, b, c) ^ aes_keys[43];
    out[i] = text;
}

byte twice(byte x)
{
    return static_cast<byte>(x << 1 ^ (x & 128 ? 0x1b : 0));
}

bool try_aes_counter(const char* name)
{
    std::vector<byte> box(256, 0x63);
    byte p = 1;
    byte q = 1;
    do { // p goes through all numbers but 0, and q is what makes it 1
        p = p ^ twice(p);
        q ^= q << 1;
        q ^= q << 2;
        q ^= q << 4;
        q ^= q & 128 ? 9 : 0;
        const auto turned = [&](int by) { return q << by | q >> (8 - by); };
        box[p] = static_cast<byte>(0x63 ^ q ^ turned(1) ^ turned(2) ^ turned(3) ^ turned(4));
    } while (p != 1);
    std::vector<u> keys{0x2b7e1516, 0x28aed2a6, 0xabf71588, 0x09cf4f3c};
    byte constant = 1;
    for (size_t i = 4; i < 44; ++i) {
        u last = keys[i - 1];
        if (i % 4 == 0) {
            last = u{box[last >> 16 & 255]} << 24 | u{box[last >> 8 & 255]} << 16 |
                   u{box[last & 255]} << 8 | u{box[last >> 24]};
            last ^= u{constant} << 24;
            constant = twice(constant);
        }
        keys.push_back(keys[i - 4] ^ last);
    }
    cudaMemcpyToSymbol(aes_keys, keys.data(), sizeof aes_keys);
    const Array<u> table(256, [&](size_t i) {
        const u s = box[i];
        const u s2 = twice(box[i]);
        return s2 << 24 | s << 16 | s << 8 | (s2 ^ s);
    });
    const size_t count = n / 8;
    const Array<u> in(count * 4, [](size_t i) { return mix(static_cast<u>(i) + 63); });
    const Array<u> out(count * 4);
    return run(
        name,
        [&] {
            aes_counter<<<blocks(count, 256), 256>>>(
                reinterpret_cast<uint4*>(in.memory), table.memory,
                reinterpret_cast<uint4*>(out.memory), static_cast<u>(count));
        },
        [&] {
            const std::vector<u> now = out.now();
            return sampled(count, [&](size_t i) {
                const u counter[] = {0x01234567, 0x89abcdef, 0, static_cast<u>(i)};
                byte state[16];
                byte next[16];
                for (size_t k = 0; k < 16; ++k)
                    state[k] =
                        static_cast<byte>((counter[k / 4] ^ keys[k / 4]) >> (24 - k % 4 * 8));
                for (size_t round = 1; round <= 10; ++round) {
                    for (size_t k = 0; k < 16; ++k)
                        next[k] = box[state[(k + k % 4 * 4) % 16]];
                    for (size_t k = 0; k < 16; ++k) {
                        const byte* column = next + k / 4 * 4;
                        const byte mixed = twice(column[k % 4]) ^ twice(column[(k + 1) % 4]) ^
                                           column[(k + 1) % 4] ^ column[(k + 2) % 4] ^
                                           column[(k + 3) % 4];
                        state[k] = (round < 10 ? mixed : next[k]) ^
                                   static_cast<byte>(keys[round * 4 + k / 4] >> (24 - k % 4 * 8));
                    }
                }
                for (size_t k = 0; k < 16; ++k)
                    if (static_cast<byte>((now[i * 4 + k / 4] ^ in.first[i * 4 + k / 4]) >>
                                          (24 - k % 4 * 8)) != state[k])
                        return false;
                return true;
            });
        });
}

/// Of each ten neighbouring pieces of 15 bases, what the least one hashes to.
__global__ void minimizers(const byte* bases, u* out)
{
    __shared__ byte base[279];
    __shared__ u hash[265];
    const size_t first = blockIdx.x * size_t{256};
    for (int i = threadIdx.x; i < 279; i += 256)
        base[i] = bases[first + i];
    __syncthreads();
    for (int i = threadIdx.x; i < 265; i += 256) {
        u piece = 0;
        for (int k = 0; k < 15; ++k)
            piece = piece << 2 | base[i + k];
        hash[i] = mix(piece);
    }
    __syncthreads();
    u least = hash[threadIdx.x];
    for (int k = 1; k < 10; ++k)
        least = min(least, hash[threadIdx.x + k]);
    out[first + threadIdx.x] = least;
}

bool try_minimizers(const char* name)
{
    const size_t count = n / 2;
    const Array<byte> bases(count + 23, below(64, 4));
    const Array<u> out(count);
    return run(
        name, [&] { minimizers<<<static_cast<u>(count / 256), 256>>>(bases.memory, out.memory); },
        [&] {
            const std::vector<u> now = out.now();
            return sampled(count, [&](size_t i) {
                u least = full;
                for (size_t k = 0; k < 10; ++k) {
                    u piece = 0;
                    for (size_t j = 0; j < 15; ++j)
                        piece = piece * 4 + bases.first[i + k + j];
                    least = std::min(least, mix(piece));
                }
                return now[i] == least;
            });
        });
}

// --- simulations and shapes ----------------------------------------------------------------------

/// How dense a fluid is at each particle, by a list of its neighbours that is as long as it has to
/// be.
__global__ void sph_density(const float4* place, const int* neighbour, const int* neighbours,
                            float* density, int count, float reach)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const float4 mine = place[i];
    const int end = neighbours[i];
    const float square = reach * reach;
    float sum = mine.w * square * square * square;
    for (int k = 0; k < end; ++k) {
        const float4 other = __ldg(place + neighbour[static_cast<size_t>(k) * count + i]);
        const float x = mine.x - other.x;
        const float y = mine.y - other.y;
        const float z = mine.z - other.z;
        const float left = square - (x * x + y * y + z * z);
        if (left > 0)
            sum += other.w * left * left * left;
    }
    const float cube = reach * reach * reach;
    density[i] = sum * 1.5666815F / (cube * cube * cube);
}

bool try_sph_density(const char* name)
{
    const int longest = 48;
    const size_t count = n / 64;
    const Array<float4> place(count, [](size_t i) {
        return make_float4(noise(65)(i), noise(66)(i), noise(67)(i), 0.01F + 0.01F * noise(68)(i));
    });
    const Array<int> neighbour(count * longest,
                               [&](size_t i) { return (i % count + below(69, 2000)(i)) % count; });
    const Array<int> neighbours(count, [](size_t i) { return 8 + below(70, 41)(i); });
    const Array<float> density(count);
    return run(
        name,
        [&] {
            sph_density<<<blocks(count, 192), 192>>>(place.memory, neighbour.memory,
                                                     neighbours.memory, density.memory,
                                                     static_cast<int>(count), 0.6F);
        },
        [&] {
            return matches(
                density,
                [&](size_t i) {
                    const float4 a = place.first[i];
                    double sum = a.w * std::pow(0.36, 3);
                    for (size_t k = 0; k < static_cast<size_t>(neighbours.first[i]); ++k) {
                        const float4 b = place.first[neighbour.first[k * count + i]];
                        const double away = std::pow(double{a.x} - b.x, 2) +
                                            std::pow(double{a.y} - b.y, 2) +
                                            std::pow(double{a.z} - b.z, 2);
                        if (away < 0.36)
                            sum += b.w * std::pow(0.36 - away, 3);
                    }
                    return sum * 1.5666815 / std::pow(0.6, 9);
                },
                1e-3);
        });
}

/// Moves the knots of a cloth, which springs hold to the eight around them.
__global__ void cloth_springs(const float4* place, const float4* speed, float4* place_out,
                              float4* speed_out, int size, float stiff, float step)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size || y >= size)
        return;
    float4 p = place[y * size + x];
    float4 v = speed[y * size + x];
    float3 force = make_float3(0, 0, -1);
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            if ((dx == 0 && dy == 0) || x + dx < 0 || x + dx >= size || y + dy < 0 ||
                y + dy >= size)
                continue;
            const float4 q = place[(y + dy) * size + x + dx];
            const float rest = dx != 0 && dy != 0 ? 1.4142136F : 1.0F;
            const float3 way = make_float3(q.x - p.x, q.y - p.y, q.z - p.z);
            const float length = sqrtf(way.x * way.x + way.y * way.y + way.z * way.z);
            const float pull = stiff * (length - rest) / length;
            force.x += pull * way.x;
            force.y += pull * way.y;
            force.z += pull * way.z;
        }
    v.x = 0.99F * v.x + step * force.x;
    v.y = 0.99F * v.y + step * force.y;
    v.z = 0.99F * v.z + step * force.z;
    p.x += step * v.x;
    p.y += step * v.y;
    p.z += step * v.z;
    place_out[y * size + x] = p;
    speed_out[y * size + x] = v;
}

bool try_cloth_springs(const char* name)
{
    const int size = side(3);
    const size_t count = static_cast<size_t>(size) * size;
    const Array<float4> place(count, [&](size_t i) {
        return make_float4(static_cast<float>(i % size) + noise(71, -0.2F, 0.2F)(i),
                           static_cast<float>(i / size) + noise(72, -0.2F, 0.2F)(i),
                           noise(73, -0.2F, 0.2F)(i), 1);
    });
    const Array<float4> speed(
        count, [](size_t i) { return make_float4(noise(74)(i), noise(75)(i), noise(76)(i), 0); });
    const Array<float4> place_out(count);
    const Array<float4> speed_out(count);
    return run(
        name,
        [&] {
            cloth_springs<<<dim3(blocks(size, 32), blocks(size, 8)), dim3(32, 8)>>>(
                place.memory, speed.memory, place_out.memory, speed_out.memory, size, 10, 0.01F);
        },
        [&] {
            const std::vector<float4> places = place_out.now();
            const std::vector<float4> speeds = speed_out.now();
            return sampled(count, [&](size_t i) {
                const float4 p = place.first[i];
                double force[] = {0, 0, -1};
                for (int k = 0; k < 9; ++k) {
                    const int x = static_cast<int>(i % size) + k % 3 - 1;
                    const int y = static_cast<int>(i / size) + k / 3 - 1;
                    if (k == 4 || std::min(x, y) < 0 || std::max(x, y) >= size)
                        continue;
                    const float4 q = place.first[static_cast<size_t>(y) * size + x];
                    const double way[] = {double{q.x} - p.x, double{q.y} - p.y, double{q.z} - p.z};
                    const double length =
                        std::sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
                    for (int c = 0; c < 3; ++c)
                        force[c] +=
                            10 * (length - std::sqrt(k % 2 == 0 ? 2.0 : 1.0)) / length * way[c];
                }
                const float4 s = speed.first[i];
                const double v[] = {0.99 * s.x + 0.01 * force[0], 0.99 * s.y + 0.01 * force[1],
                                    0.99 * s.z + 0.01 * force[2]};
                return near(speeds[i].x, v[0], 1e-4) && near(speeds[i].y, v[1], 1e-4) &&
                       near(speeds[i].z, v[2], 1e-4) &&
                       near(places[i].x, p.x + 0.01 * v[0], 1e-4) &&
                       near(places[i].y, p.y + 0.01 * v[1], 1e-4) &&
                       near(places[i].z, p.z + 0.01 * v[2], 1e-4);
            });
        });
}

/// A grid of half as many points each way, of 27 points each, in blocks of three dimensions.
__global__ void multigrid_restrict(const float* fine, float* coarse, int size)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    const int last = 2 * size - 1;
    float sum = 0;
    for (int k = -1; k <= 1; ++k)
        for (int j = -1; j <= 1; ++j)
            for (int i = -1; i <= 1; ++i) {
                const int at_z = min(max(2 * z + k, 0), last);
                const int at_y = min(max(2 * y + j, 0), last);
                const int at_x = min(max(2 * x + i, 0), last);
                const int weight = (2 - abs(i)) * (2 - abs(j)) * (2 - abs(k));
                sum += weight * fine[(at_z * 2 * size + at_y) * 2 * size + at_x];
            }
    coarse[(z * size + y) * size + x] = sum / 64;
}

bool try_multigrid_restrict(const char* name)
{
    const int size = 1 << (log2n / 3 - 1);
    const Array<float> fine(static_cast<size_t>(size) * size * size * 8, noise(77, -1));
    const Array<float> coarse(fine.size / 8);
    return run(
        name,
        [&] {
            multigrid_restrict<<<dim3(size / 32, size / 4, size / 2), dim3(32, 4, 2)>>>(
                fine.memory, coarse.memory, size);
        },
        [&] {
            return matches(coarse, [&](size_t at) {
                double sum = 0;
                for (int k = 0; k < 27; ++k) {
                    const auto along = [&](size_t middle, int step) {
                        return static_cast<size_t>(
                            std::max(2 * static_cast<int>(middle) + step, 0));
                    };
                    const size_t x = along(at % size, k % 3 - 1);
                    const size_t y = along(at / size % size, k / 3 % 3 - 1);
                    const size_t z = along(at / size / size, k / 9 - 1);
                    const double weight =
                        (k % 3 == 1 ? 2 : 1) * (k / 3 % 3 == 1 ? 2 : 1) * (k / 9 == 1 ? 2 : 1);
                    sum += weight * fine.first[(z * 2 * size + y) * 2 * size + x];
                }
                return sum / 64;
            });
        });
}

struct Bond
{
    double price;
    double coupon;
    int years;
};

/// What bonds yield, by Newton's method, each until it is near enough.
__global__ void bond_yields(const Bond* bonds, double* yields, u count)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const Bond bond = bonds[i];
    double yield = 0.05;
    for (int round = 0; round < 50; ++round) {
        double value = 0;
        double slope = 0;
        for (int year = 1; year <= bond.years; ++year) {
            const double paid = bond.coupon + (year == bond.years ? 100 : 0);
            value += paid * pow(1 + yield, -year);
            slope -= paid * year * pow(1 + yield, -year - 1);
        }
        const double change = (value - bond.price) / slope;
        yield -= change;
        if (fabs(change) < 1e-10)
            break;
    }
    yields[i] = yield;
}

bool try_bond_yields(const char* name)
{
    const size_t count = n / 64;
    const auto truth = noise(78, 0.01F, 0.1F);
    const Array<Bond> bonds(count, [&](size_t i) {
        const double factor = 1 / (1 + double{truth(i)});
        Bond bond{0, 1 + 7 * double{noise(79)(i)}, static_cast<int>(1 + below(80, 30)(i))};
        double worth = 1;
        for (int year = 1; year <= bond.years; ++year) {
            worth *= factor;
            bond.price += bond.coupon * worth;
        }
        bond.price += 100 * worth;
        return bond;
    });
    const Array<double> yields(count);
    return run(
        name,
        [&] {
            bond_yields<<<blocks(count, 64), 64>>>(bonds.memory, yields.memory,
                                                   static_cast<u>(count));
        },
        [&] { return matches(yields, truth, 1e-8); });
}

/// The first full cell that a ray of each point of a picture meets in a cube of cells.
__global__ void voxel_walk(const byte* cells, int* hit, int cube, int width)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const float from_x = (column + 0.5F) * (static_cast<float>(cube) / width);
    const float from_y = (row + 0.5F) * (static_cast<float>(cube) / width);
    const float slow_x = 1 / __fmul_rn(column + 0.5F - width / 2, 1.5F / width);
    const float slow_y = 1 / __fmul_rn(row + 0.5F - width / 2, 1.5F / width);
    const int turn_x = slow_x > 0 ? 1 : -1;
    const int turn_y = slow_y > 0 ? 1 : -1;
    int x = static_cast<int>(from_x);
    int y = static_cast<int>(from_y);
    int z = 0;
    float next_x = __fmul_rn(x + (turn_x > 0 ? 1 : 0) - from_x, slow_x);
    float next_y = __fmul_rn(y + (turn_y > 0 ? 1 : 0) - from_y, slow_y);
    float next_z = 1;
    int found = -1;
    while (x >= 0 && x < cube && y >= 0 && y < cube && z < cube) {
        const int at = (z * cube + y) * cube + x;
        if (cells[at]) {
            found = at;
            break;
        }
        if (next_x < next_y && next_x < next_z) {
            x += turn_x;
            next_x += fabsf(slow_x);
        } else if (next_y < next_z) {
            y += turn_y;
            next_y += fabsf(slow_y);
        } else {
            ++z;
            next_z += 1;
        }
    }
    hit[row * width + column] = found;
}

bool try_voxel_walk(const char* name)
{
    const int cube = 1 << log2n / 3;
    const int width = side(6);
    const Array<byte> cells(static_cast<size_t>(cube) * cube * cube,
                            [](size_t i) { return mix(static_cast<u>(i) + 81) % 256 == 0; });
    const Array<int> hit(static_cast<size_t>(width) * width);
    return run(
        name,
        [&] {
            voxel_walk<<<dim3(width / 16, width / 4), dim3(16, 4)>>>(cells.memory, hit.memory, cube,
                                                                     width);
        },
        [&] {
            const std::vector<int> now = hit.now();
            return sampled(hit.size, [&](size_t i) {
                float slow[3];
                float next[3];
                int at[3];
                const int pixel[] = {static_cast<int>(i % width), static_cast<int>(i / width)};
                for (int k = 0; k < 2; ++k) {
                    const float from =
                        (static_cast<float>(pixel[k]) + 0.5F) * static_cast<float>(cube) / width;
                    const float middle =
                        static_cast<float>(pixel[k]) + 0.5F - static_cast<float>(width / 2);
                    slow[k] = 1 / (middle * (1.5F / static_cast<float>(width)));
                    at[k] = static_cast<int>(from);
                    next[k] = (static_cast<float>(at[k] + (slow[k] > 0)) - from) * slow[k];
                }
                slow[2] = next[2] = 1;
                at[2] = 0;
                while (std::min({at[0], at[1], at[2]}) >= 0 &&
                       std::max({at[0], at[1], at[2]}) < cube) {
                    const size_t cell = (static_cast<size_t>(at[2]) * cube + at[1]) * cube + at[0];
                    if (cells.first[cell])
                        return now[i] == static_cast<int>(cell);
                    const int k = next[0] < next[1] && next[0] < next[2] ? 0
                                  : next[1] < next[2]                    ? 1
                                                                         : 2;
                    at[k] += slow[k] > 0 ? 1 : -1;
                    next[k] += std::fabs(slow[k]);
                }
                return now[i] == -1;
            });
        });
}

struct Box
{
    float low[3];
    float high[3];
};

/// How many later boxes each overlaps, of boxes sorted by where they begin: as far as any may.
__global__ void sweep_pairs(const Box* boxes, int* pairs, u count)
{
    const u i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const Box mine = boxes[i];
    int found = 0;
    for (u k = i + 1; k < count && boxes[k].low[0] <= mine.high[0]; ++k)
        if (boxes[k].low[1] <= mine.high[1] && boxes[k].high[1] >= mine.low[1] &&
            boxes[k].low[2] <= mine.high[2] && boxes[k].high[2] >= mine.low[2])
            ++found;
    pairs[i] = found;
}

bool try_sweep_pairs(const char* name)
{
    const size_t count = n / 32;
    const Array<Box> boxes(count, [](size_t i) {
        Box box;
        box.low[0] = static_cast<float>(i) + noise(82)(i);
        box.high[0] = box.low[0] + 1 + 60 * noise(83)(i) * noise(84)(i);
        for (int k = 1; k < 3; ++k) {
            box.low[k] = noise(83 + 2 * k)(i);
            box.high[k] = box.low[k] + 0.3F * noise(84 + 2 * k)(i);
        }
        return box;
    });
    const Array<int> pairs(count);
    return run(
        name,
        [&] {
            sweep_pairs<<<blocks(count, 256), 256>>>(boxes.memory, pairs.memory,
                                                     static_cast<u>(count));
        },
        [&] {
            const std::vector<int> now = pairs.now();
            return sampled(count, [&](size_t i) {
                const Box& a = boxes.first[i];
                int found = 0;
                for (size_t k = i + 1; k < std::min(count, i + 100); ++k) {
                    const Box& b = boxes.first[k];
                    bool both = true;
                    for (int c = 0; c < 3; ++c)
                        both = both && b.low[c] <= a.high[c] && b.high[c] >= a.low[c];
                    found += both;
                }
                return now[i] == found;
            });
        });
}

const Kernel kernels[] = {
    {"rotary_cached", try_rotary_cached},
    {"causal_softmax", try_causal_softmax},
    {"paged_values", try_paged_values},
    {"sample_vocabulary", try_sample_vocabulary},
    {"nesterov_step", try_nesterov_step},
    {"quantise_q8", try_quantise_q8},
    {"focal_loss", try_focal_loss},
    {"lstm_cell", try_lstm_cell},
    {"nms_mask", try_nms_mask},
    {"gram_tall", try_gram_tall},
    {"solve_lower", try_solve_lower},
    {"householder_apply", try_householder_apply},
    {"invert3x3", try_invert3x3},
    {"sparse_sliced", try_sparse_sliced},
    {"eigen_symmetric", try_eigen_symmetric},
    {"hough_lines", try_hough_lines},
    {"tile_equalise", try_tile_equalise},
    {"resize_bicubic", try_resize_bicubic},
    {"distance_columns", try_distance_columns},
    {"autocorrelate", try_autocorrelate},
    {"viterbi", try_viterbi},
    {"random_walks", try_random_walks},
    {"colour_step", try_colour_step},
    {"revenue_query", try_revenue_query},
    {"unpack_bits", try_unpack_bits},
    {"bloom_probe", try_bloom_probe},
    {"hash_build", try_hash_build},
    {"sort_blocks", try_sort_blocks},
    {"expand_runs", try_expand_runs},
    {"levenshtein_bits", try_levenshtein_bits},
    {"base64_encode", try_base64_encode},
    {"huffman_decode", try_huffman_decode},
    {"aes_counter", try_aes_counter},
    {"minimizers", try_minimizers},
    {"sph_density", try_sph_density},
    {"cloth_springs", try_cloth_springs},
    {"multigrid_restrict", try_multigrid_restrict},
    {"bond_yields", try_bond_yields},
    {"voxel_walk", try_voxel_walk},
    {"sweep_pairs", try_sweep_pairs},
};

int main(int argc, char** argv)
{
    return run_kernels(argc, argv, kernels);
}
