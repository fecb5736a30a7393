// Kernels as people write them, of which the time model had seen none when it first had a time for each: rows of
// networks, sparse matrices, images, fields, particles, and launches that are too small for a GPU.
// everyday LOG2N: as ./run tests/programs/everyday.cu -- 25 models them, with arrays of 2^25 floats; on a GPU,
// everyday LOG2N time: the median of 31 launches, each after a flush of the L2. What an H100 took, and what the
// model said of it, is in book/results/at_first_sight/everyday_kept.json. Of 2^20 floats:
// RUN => 0 embedding +0\.0\d+[^$]*adam +0\.0\d+[^$]*small_norm +0\.00\d+
// SLOW
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

using u = unsigned;

constexpr u full = 0xffffffff;

__device__ size_t index_of_thread()
{
    return blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
}

__device__ float warp_sum(float v)
{
    for (int k = 16; k > 0; k /= 2)
        v += __shfl_xor_sync(full, v, k);
    return v;
}

__device__ float warp_max(float v)
{
    for (int k = 16; k > 0; k /= 2)
        v = fmaxf(v, __shfl_xor_sync(full, v, k));
    return v;
}

/// Of a block of up to 1,024 threads, for all of them.
__device__ float block_sum(float v)
{
    __shared__ float part[32];
    v = warp_sum(v);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    return warp_sum(threadIdx.x % 32 < blockDim.x / 32 ? part[threadIdx.x % 32] : 0);
}

__device__ float block_max(float v)
{
    __shared__ float part[32];
    v = warp_max(v);
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    return warp_max(threadIdx.x % 32 < blockDim.x / 32 ? part[threadIdx.x % 32] : -1e30F);
}

// --- networks ------------------------------------------------------------------------------------

__global__ void embedding(const float4* table, const int* tokens, float4* out)
{
    const float4* row = table + static_cast<size_t>(tokens[blockIdx.x]) * blockDim.x;
    out[index_of_thread()] = row[threadIdx.x];
}

__global__ void embedding_position(float* out, const int* tokens, const float* words,
                                   const float* places, int time, int channels, size_t n)
{
    const size_t i = index_of_thread();
    if (i < n) {
        const int c = static_cast<int>(i % channels);
        const int bt = static_cast<int>(i / channels);
        out[i] = words[static_cast<size_t>(tokens[bt]) * channels + c] +
                 places[(bt % time) * channels + c];
    }
}

__global__ void layer_norm_warp(const float* in, const float* weight, const float* bias, float* out,
                                int columns)
{
    const size_t row = blockIdx.x * static_cast<size_t>(blockDim.y) + threadIdx.y;
    const float* x = in + row * columns;
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += 32)
        sum += x[i];
    const float mean = warp_sum(sum) / columns;
    float squares = 0;
    for (int i = threadIdx.x; i < columns; i += 32)
        squares += (x[i] - mean) * (x[i] - mean);
    const float scale = rsqrtf(warp_sum(squares) / columns + 1e-5F);
    for (int i = threadIdx.x; i < columns; i += 32)
        out[row * columns + i] = (x[i] - mean) * scale * weight[i] + bias[i];
}

__global__ void layer_norm_block(const float* in, const float* weight, const float* bias,
                                 float* out, int columns)
{
    const float* x = in + blockIdx.x * static_cast<size_t>(columns);
    float sum = 0;
    float squares = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) {
        sum += x[i];
        squares += x[i] * x[i];
    }
    const float mean = block_sum(sum) / columns;
    const float scale = rsqrtf(block_sum(squares) / columns - mean * mean + 1e-5F);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        out[blockIdx.x * static_cast<size_t>(columns) + i] =
            (x[i] - mean) * scale * weight[i] + bias[i];
}

__global__ void rms_norm(const float4* in, const float4* weight, float4* out)
{
    const size_t i = index_of_thread();
    float4 v = in[i];
    const float sum = block_sum(v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w);
    const float scale = rsqrtf(sum / (4 * blockDim.x) + 1e-6F);
    const float4 w = weight[threadIdx.x];
    out[i] = make_float4(v.x * scale * w.x, v.y * scale * w.y, v.z * scale * w.z,
                         v.w * scale * w.w);
}

__global__ void softmax_warp(const float* in, float* out, int columns, size_t rows)
{
    const size_t row = index_of_thread() / 32;
    const int lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const float* x = in + row * columns;
    float top = -1e30F;
    for (int i = lane; i < columns; i += 32)
        top = fmaxf(top, x[i]);
    top = warp_max(top);
    float sum = 0;
    for (int i = lane; i < columns; i += 32)
        sum += expf(x[i] - top);
    sum = warp_sum(sum);
    for (int i = lane; i < columns; i += 32)
        out[row * columns + i] = expf(x[i] - top) / sum;
}

__global__ void softmax_thread(const float* in, float* out, int columns, size_t rows)
{
    const size_t row = index_of_thread();
    if (row >= rows)
        return;
    const float* x = in + row * columns;
    float top = -1e30F;
    for (int i = 0; i < columns; ++i)
        top = fmaxf(top, x[i]);
    float sum = 0;
    for (int i = 0; i < columns; ++i)
        sum += expf(x[i] - top);
    for (int i = 0; i < columns; ++i)
        out[row * columns + i] = expf(x[i] - top) / sum;
}

__global__ void bias_gelu(const float* in, const float* bias, float* out, int columns, size_t n)
{
    const size_t i = index_of_thread();
    if (i < n) {
        const float x = in[i] + bias[i % columns];
        out[i] = 0.5F * x * (1 + tanhf(0.79788456F * (x + 0.044715F * x * x * x)));
    }
}

__global__ void residual_add(float4* x, const float4* y, size_t n)
{
    const size_t i = index_of_thread();
    if (i < n) {
        const float4 a = x[i];
        const float4 b = y[i];
        x[i] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    }
}

/// Halves of each head turn by the angle of the position: heads of 128, 16 of them.
__global__ void rope(float* q, const float* cosines, const float* sines)
{
    float* head = q + (blockIdx.x * size_t{16} + threadIdx.y) * 128;
    const int i = threadIdx.x;
    const float c = cosines[blockIdx.x % 2048 * 64 + i];
    const float s = sines[blockIdx.x % 2048 * 64 + i];
    const float a = head[i];
    const float b = head[i + 64];
    head[i] = a * c - b * s;
    head[i + 64] = a * s + b * c;
}

__global__ void row_max(const float* in, int* where, int columns)
{
    __shared__ int found;
    const float* x = in + blockIdx.x * static_cast<size_t>(columns);
    float top = -1e30F;
    int at = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        if (x[i] > top) {
            top = x[i];
            at = i;
        }
    const float best = block_max(top);
    if (top == best)
        found = at;
    __syncthreads();
    if (threadIdx.x == 0)
        where[blockIdx.x] = found;
}

__global__ void cross_entropy(const float* logits, const int* targets, float* losses, int columns)
{
    const float* x = logits + blockIdx.x * static_cast<size_t>(columns);
    float top = -1e30F;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        top = fmaxf(top, x[i]);
    top = block_max(top);
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        sum += expf(x[i] - top);
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        losses[blockIdx.x] = logf(sum) + top - x[targets[blockIdx.x] % columns];
}

__global__ void adam(float* p, const float* g, float* m, float* v, size_t n, float rate)
{
    const size_t i = index_of_thread();
    if (i >= n)
        return;
    const float grad = g[i];
    const float first = 0.9F * m[i] + 0.1F * grad;
    const float second = 0.999F * v[i] + 0.001F * grad * grad;
    m[i] = first;
    v[i] = second;
    p[i] -= rate * first / (sqrtf(second) + 1e-8F);
}

__global__ void quantise(const float* in, signed char* out, float* scales, int columns)
{
    const size_t row = blockIdx.x * static_cast<size_t>(columns);
    float top = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        top = fmaxf(top, fabsf(in[row + i]));
    const float scale = block_max(top) / 127 + 1e-12F;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        out[row + i] = static_cast<signed char>(in[row + i] / scale);
    if (threadIdx.x == 0)
        scales[blockIdx.x] = scale;
}

/// (batch, time, heads, 64) to (batch, heads, time, 64).
__global__ void permute_heads(const float* in, float* out, int time, int heads, size_t n)
{
    const size_t i = index_of_thread();
    if (i < n) {
        const size_t d = i % 64;
        const size_t t = i / 64 % time;
        const size_t h = i / 64 / time % heads;
        const size_t b = i / 64 / time / heads;
        out[i] = in[((b * time + t) * heads + h) * 64 + d];
    }
}

// --- matrices ------------------------------------------------------------------------------------

__global__ void matrix_vector_warp(const float* a, const float* x, float* y, int columns)
{
    const size_t row = index_of_thread() / 32;
    const int lane = threadIdx.x % 32;
    float sum = 0;
    for (int i = lane; i < columns; i += 32)
        sum += a[row * columns + i] * x[i];
    sum = warp_sum(sum);
    if (lane == 0)
        y[row] = sum;
}

__global__ void vector_matrix(const float* a, const float* x, float* y, int columns, int rows_each)
{
    const size_t column = index_of_thread();
    const size_t first = blockIdx.y * static_cast<size_t>(rows_each);
    float sum = 0;
    for (int r = 0; r < rows_each; ++r)
        sum += x[first + r] * a[(first + r) * columns + column];
    atomicAdd(y + column, sum);
}

__global__ void sparse_thread(const u* start, const int* column, const float* value, const float* x,
                              float* y, size_t rows)
{
    const size_t row = index_of_thread();
    if (row >= rows)
        return;
    float sum = 0;
    for (u k = start[row]; k < start[row + 1]; ++k)
        sum += value[k] * x[column[k]];
    y[row] = sum;
}

__global__ void sparse_warp(const u* start, const int* column, const float* value, const float* x,
                            float* y)
{
    const size_t row = index_of_thread() / 32;
    float sum = 0;
    for (u k = start[row] + threadIdx.x % 32; k < start[row + 1]; k += 32)
        sum += value[k] * x[column[k]];
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0)
        y[row] = sum;
}

__global__ void transpose_outer(const float* in, float* out, int nx, int ny, int nz)
{
    const size_t x = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t y = blockIdx.y * blockDim.y + threadIdx.y;
    const size_t z = blockIdx.z;
    out[(x * ny + y) * nz + z] = in[(z * ny + y) * nx + x];
}

/// Short vectors of a batch that stand far apart.
__global__ void batch_scale(float* a, const float* factors, int length, int stride)
{
    float* own = a + blockIdx.x * static_cast<size_t>(stride);
    for (int i = threadIdx.x; i < length; i += blockDim.x)
        own[i] *= factors[blockIdx.x];
}

__global__ void scan_columns(const float* in, float* out, int columns, int rows)
{
    const size_t column = index_of_thread();
    float sum = 0;
    for (int r = 0; r < rows; ++r) {
        sum += in[static_cast<size_t>(r) * columns + column];
        out[static_cast<size_t>(r) * columns + column] = sum;
    }
}

// --- images and fields ---------------------------------------------------------------------------

__global__ void grey(const uchar3* in, unsigned char* out, size_t n)
{
    const size_t i = index_of_thread();
    if (i < n) {
        const uchar3 p = in[i];
        out[i] = static_cast<unsigned char>((77 * p.x + 150 * p.y + 29 * p.z) >> 8);
    }
}

__global__ void box5(const float* in, float* out, int width, int height)
{
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    float sum = 0;
    for (int dy = -2; dy <= 2; ++dy)
        for (int dx = -2; dx <= 2; ++dx)
            sum += in[static_cast<size_t>(min(max(y + dy, 0), height - 1)) * width +
                      min(max(x + dx, 0), width - 1)];
    out[static_cast<size_t>(y) * width + x] = sum / 25;
}

__global__ void halve(const float4* in, float4* out, int width)
{
    const size_t x = blockIdx.x * blockDim.x + threadIdx.x;
    const size_t y = blockIdx.y * blockDim.y + threadIdx.y;
    const float4* p = in + 2 * y * width + 2 * x;
    const float4 a = p[0];
    const float4 b = p[1];
    const float4 c = p[width];
    const float4 d = p[width + 1];
    out[y * (width / 2) + x] =
        make_float4((a.x + b.x + c.x + d.x) / 4, (a.y + b.y + c.y + d.y) / 4,
                    (a.z + b.z + c.z + d.z) / 4, (a.w + b.w + c.w + d.w) / 4);
}

__global__ void convolve9(const float* in, const float* taps, float* out, size_t n)
{
    const size_t i = index_of_thread();
    if (i < 4 || i + 4 >= n)
        return;
    float sum = 0;
    for (int k = -4; k <= 4; ++k)
        sum += taps[k + 4] * in[i + k];
    out[i] = sum;
}

__global__ void laplace3d(const float* in, float* out, int nx, int ny, int nz)
{
    const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
    const int z = static_cast<int>(blockIdx.z);
    if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1)
        return;
    const size_t plane = static_cast<size_t>(nx) * ny;
    const size_t i = z * plane + static_cast<size_t>(y) * nx + x;
    out[i] = in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - plane] + in[i + plane] -
             6 * in[i];
}

__global__ void jacobi_tile(const float* in, float* out, int width)
{
    __shared__ float tile[18][18];
    const int x = static_cast<int>(blockIdx.x * 16 + threadIdx.x);
    const int y = static_cast<int>(blockIdx.y * 16 + threadIdx.y);
    const int last = static_cast<int>(gridDim.y * 16 - 1);
    const auto at = [=](int row, int column) {
        return in[static_cast<size_t>(min(max(row, 0), last)) * width +
                  min(max(column, 0), width - 1)];
    };
    tile[threadIdx.y + 1][threadIdx.x + 1] = at(y, x);
    if (threadIdx.y == 0) {
        tile[0][threadIdx.x + 1] = at(y - 1, x);
        tile[17][threadIdx.x + 1] = at(y + 16, x);
    }
    if (threadIdx.x == 0) {
        tile[threadIdx.y + 1][0] = at(y, x - 1);
        tile[threadIdx.y + 1][17] = at(y, x + 16);
    }
    __syncthreads();
    out[static_cast<size_t>(y) * width + x] =
        0.25F * (tile[threadIdx.y][threadIdx.x + 1] + tile[threadIdx.y + 2][threadIdx.x + 1] +
                 tile[threadIdx.y + 1][threadIdx.x] + tile[threadIdx.y + 1][threadIdx.x + 2]);
}

// --- records, lists, counts ----------------------------------------------------------------------

struct Particle
{
    float x, y, z, mass;
    float vx, vy, vz, charge;
};

__global__ void particles(Particle* all, size_t n, float dt)
{
    const size_t i = index_of_thread();
    if (i >= n)
        return;
    Particle& p = all[i];
    p.vy -= 9.81F * dt;
    p.x += p.vx * dt;
    p.y += p.vy * dt;
    p.z += p.vz * dt;
}

struct Record
{
    float4 a, b, c;
};

__global__ void gather_records(const Record* in, const int* index, Record* out, size_t n)
{
    const size_t i = index_of_thread();
    if (i < n)
        out[i] = in[index[i]];
}

__global__ void follow(const int* next, int* last, int steps, size_t n)
{
    const size_t i = index_of_thread();
    if (i >= n)
        return;
    int at = static_cast<int>(i);
    for (int k = 0; k < steps; ++k)
        at = next[at];
    last[i] = at;
}

__global__ void compact(const int* in, int* out, u* count, size_t n)
{
    const size_t i = index_of_thread();
    const int v = i < n ? in[i] : 1;
    const bool keep = v % 2 == 0;
    const u kept = __ballot_sync(full, keep);
    const u lane = threadIdx.x % 32;
    u base = 0;
    if (lane == 0)
        base = atomicAdd(count, static_cast<u>(__popc(kept)));
    base = __shfl_sync(full, base, 0);
    if (keep)
        out[base + __popc(kept & ((1U << lane) - 1))] = v;
}

__global__ void histogram16(const int* in, u* bins, size_t n)
{
    __shared__ u own[16];
    if (threadIdx.x < 16)
        own[threadIdx.x] = 0;
    __syncthreads();
    const size_t step = gridDim.x * static_cast<size_t>(blockDim.x);
    for (size_t i = index_of_thread(); i < n; i += step)
        atomicAdd(own + in[i] % 16, 1U);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(bins + threadIdx.x, own[threadIdx.x]);
}

__global__ void sum_atomic(const float* in, float* out, size_t n)
{
    float sum = 0;
    const size_t step = gridDim.x * static_cast<size_t>(blockDim.x);
    for (size_t i = index_of_thread(); i < n; i += step)
        sum += in[i];
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, sum);
}

__global__ void dot_double(const double2* a, const double2* b, double* out, size_t n)
{
    double sum = 0;
    const size_t step = gridDim.x * static_cast<size_t>(blockDim.x);
    for (size_t i = index_of_thread(); i < n; i += step)
        sum += a[i].x * b[i].x + a[i].y * b[i].y;
    out[index_of_thread()] = sum;
}

__global__ void mean_of_few(const float* in, float* out, size_t each)
{
    const float* own = in + blockIdx.x * each;
    float sum = 0;
    for (size_t i = threadIdx.x; i < each; i += blockDim.x)
        sum += own[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum / static_cast<float>(each);
}

__global__ void small_axpy(float factor, const float* x, float* y, size_t n)
{
    const size_t i = index_of_thread();
    if (i < n)
        y[i] += factor * x[i];
}

__global__ void small_norm(const float* in, float* out, int columns)
{
    const float* x = in + blockIdx.x * static_cast<size_t>(columns);
    float squares = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        squares += x[i] * x[i];
    const float scale = rsqrtf(block_sum(squares) / columns + 1e-6F);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        out[blockIdx.x * static_cast<size_t>(columns) + i] = x[i] * scale;
}

__global__ void flush(const float4* a, float* c, size_t n, u* count)
{
    *count = 0;
    float sum = 0;
    for (size_t i = index_of_thread(); i < n; i += gridDim.x * static_cast<size_t>(blockDim.x))
        sum += a[i].x;
    if (sum == 1234567)
        *c = sum;
}

// --- what is launched ----------------------------------------------------------------------------

float* scratch; // to flush the L2 with; null where nothing is timed
u* few;         // counters, of which the first is 0 before each launch

template<class Launch>
void run(const char* name, Launch launch)
{
    if (scratch == nullptr) {
        launch();
        return;
    }
    cudaEvent_t begin;
    cudaEvent_t end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    std::vector<float> times;
    for (int r = 0; r < 33; ++r) {
        flush<<<1056, 256>>>(reinterpret_cast<float4*>(scratch), scratch, size_t{1} << 24, few);
        cudaEventRecord(begin);
        launch();
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        times.push_back(0);
        cudaEventElapsedTime(&times.back(), begin, end);
    }
    times.erase(times.begin(), times.begin() + 2);
    std::sort(times.begin(), times.end());
    std::printf("%s,%.6f,%.6f,%.6f\n", name, times[15], times[3], times[27]);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
}

template<class T>
T* device(size_t count)
{
    void* memory = nullptr;
    if (cudaMalloc(&memory, count * sizeof(T)) != cudaSuccess ||
        cudaMemset(memory, 0, count * sizeof(T)) != cudaSuccess)
        std::exit(1);
    return static_cast<T*>(memory);
}

template<class T>
T* device(const std::vector<T>& values)
{
    T* memory = device<T>(values.size());
    cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
    return memory;
}

/// Numbers below `end` that follow no pattern.
std::vector<int> random_numbers(size_t count, size_t end)
{
    std::vector<int> values(count);
    unsigned long long state = 0;
    for (int& value : values) {
        state += 0x9E3779B97F4A7C15ULL;
        const unsigned long long mixed = (state ^ state >> 31U) * 0xBF58476D1CE4E5B9ULL;
        value = static_cast<int>((mixed >> 32U) % end);
    }
    return values;
}

/// Where rows of `mean` numbers, half of it to half as many again, begin.
std::vector<u> starts(size_t rows, u mean)
{
    std::vector<u> found(1, 0);
    for (const int more : random_numbers(rows, mean + 1))
        found.push_back(found.back() + mean / 2 + static_cast<u>(more));
    return found;
}

int main(int argc, char** argv)
{
    const size_t n = size_t{1} << (argc > 1 ? std::atoi(argv[1]) : 20);
    if (argc > 2)
        scratch = device<float>(size_t{1} << 26);
    float* a = device<float>(2 * n);
    float* b = device<float>(2 * n);
    float* c = device<float>(2 * n);
    float* d = device<float>(n);
    auto* const a4 = reinterpret_cast<float4*>(a);
    auto* const b4 = reinterpret_cast<float4*>(b);
    auto* const c4 = reinterpret_cast<float4*>(c);
    few = device<u>(1024);
    const u rows = static_cast<u>(n / 1024);
    const int side = 1024;              // of images and matrices,
    const int other = static_cast<int>(rows); // and their other side
    const auto blocks = [](size_t threads, size_t each) {
        return static_cast<u>((threads + each - 1) / each);
    };

    const u tokens = blocks(n, 768);
    int* words = device(random_numbers(n, std::max<size_t>(n / 1024, 1)));
    run("embedding", [&] { embedding<<<tokens, 192>>>(a4, words, c4); });
    run("embedding_position", [&] {
        embedding_position<<<blocks(n, 512), 512>>>(c, words, a, b, 1024, 768, n);
    });
    run("layer_norm_warp", [&] { layer_norm_warp<<<rows / 4, dim3(32, 4)>>>(a, d, d, c, side); });
    run("layer_norm_block", [&] { layer_norm_block<<<rows, 256>>>(a, d, d, c, side); });
    run("rms_norm", [&] { rms_norm<<<blocks(n, 4096), 1024>>>(a4, b4, c4); });
    run("softmax_warp", [&] { softmax_warp<<<blocks(n, 2048), 128>>>(a, c, 512, n / 512); });
    run("softmax_thread", [&] { softmax_thread<<<blocks(n, 16384), 128>>>(a, c, 128, n / 128); });
    run("bias_gelu", [&] { bias_gelu<<<blocks(n, 256), 256>>>(a, d, c, 3072, n); });
    run("residual_add", [&] { residual_add<<<blocks(n, 2048), 512>>>(a4, b4, n / 4); });
    run("rope", [&] { rope<<<blocks(n, 2048), dim3(64, 16)>>>(a, b, c); });
    run("row_max", [&] { row_max<<<rows / 4, 256>>>(a, reinterpret_cast<int*>(c), 4096); });
    run("cross_entropy", [&] {
        cross_entropy<<<blocks(n, 32000) - 1, 1024>>>(a, words, c, 32000);
    });
    run("adam", [&] { adam<<<blocks(n, 512), 512>>>(a, b, c, d, n, 1e-3F); });
    run("quantise", [&] {
        quantise<<<rows / 2, 256>>>(a, reinterpret_cast<signed char*>(c), d, 2048);
    });
    run("permute_heads", [&] { permute_heads<<<blocks(n, 256), 256>>>(a, c, 1024, 12, n); });
    run("matrix_vector_warp",
        [&] { matrix_vector_warp<<<rows / 32, 256>>>(a, b, c, 4 * side); });
    run("vector_matrix", [&] {
        vector_matrix<<<dim3(4 * side / 128, rows / 256), 128>>>(a, b, c, 4 * side, 64);
    });

    const size_t sparse_rows = n / 32;
    int* columns = device(random_numbers(2 * n, sparse_rows));
    u* short_rows = device(starts(sparse_rows, 16));
    run("sparse_thread", [&] {
        sparse_thread<<<blocks(sparse_rows, 128), 128>>>(short_rows, columns, a, b, c, sparse_rows);
    });
    u* long_rows = device(starts(n / 128, 80));
    run("sparse_warp",
        [&] { sparse_warp<<<blocks(n, 128 * 8), 256>>>(long_rows, columns, a, b, c); });
    run("transpose_outer", [&] {
        transpose_outer<<<dim3(8, 32, rows / 64), dim3(32, 8)>>>(a, c, 256, 256,
                                                                  static_cast<int>(n / 65536));
    });
    run("batch_scale", [&] { batch_scale<<<rows * 2, 64>>>(a, b, 100, 512); });
    run("scan_columns", [&] { scan_columns<<<rows / 2, 128>>>(a, c, static_cast<int>(rows * 64), 16); });

    run("grey", [&] {
        grey<<<blocks(n, 256), 256>>>(reinterpret_cast<uchar3*>(a),
                                      reinterpret_cast<unsigned char*>(c), n);
    });
    run("box5", [&] {
        box5<<<dim3(side / 16, rows / 16), dim3(16, 16)>>>(a, c, side, other);
    });
    run("halve", [&] { halve<<<dim3(16, rows / 32), dim3(32, 4)>>>(a4, c4, side); });
    run("convolve9", [&] { convolve9<<<blocks(n, 256), 256>>>(a, d, c, n); });
    run("laplace3d", [&] {
        laplace3d<<<dim3(8, 32, rows / 64), dim3(32, 8)>>>(a, c, 256, 256,
                                                           static_cast<int>(n / 65536));
    });
    run("jacobi_tile",
        [&] { jacobi_tile<<<dim3(side / 16, rows / 16), dim3(16, 16)>>>(a, c, side); });

    const size_t count = n / 8;
    run("particles", [&] {
        particles<<<blocks(count, 256), 256>>>(reinterpret_cast<Particle*>(a), count, 0.01F);
    });
    int* order = device(random_numbers(count, count));
    run("gather_records", [&] {
        gather_records<<<blocks(count, 128), 128>>>(reinterpret_cast<Record*>(a), order,
                                                    reinterpret_cast<Record*>(c), count);
    });
    run("follow", [&] {
        follow<<<blocks(count, 256), 256>>>(order, reinterpret_cast<int*>(c), 8, count);
    });
    run("compact", [&] {
        compact<<<blocks(n, 256), 256>>>(columns, reinterpret_cast<int*>(c), few, n);
    });
    run("histogram16", [&] { histogram16<<<528, 512>>>(columns, few, n); });
    run("sum_atomic", [&] { sum_atomic<<<1056, 256>>>(a, d, n); });
    run("dot_double", [&] {
        dot_double<<<264, 512>>>(reinterpret_cast<double2*>(a), reinterpret_cast<double2*>(b),
                                 reinterpret_cast<double*>(c), n / 4);
    });
    run("mean_of_few", [&] { mean_of_few<<<24, 512>>>(a, c, n / 32); });
    run("small_axpy", [&] { small_axpy<<<64, 256>>>(2, a, b, 16384); });
    run("small_norm", [&] { small_norm<<<128, 256>>>(a, c, side); });
    return cudaDeviceSynchronize() != cudaSuccess;
}
