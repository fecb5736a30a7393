// Programs as they stand in textbooks, of which vector_add.cu is the first.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <numeric>
#include <utility>
#include <vector>
#include "cases.hpp"

// CASE saxpy_managed
// Unified memory and a grid-stride loop: the host touches the arrays before and after the kernel.
// RUN => 0 saxpy: all 100003 elements right
__global__ void saxpy(int n, float a, const float* __restrict__ x, float* __restrict__ y)
{
    const int stride = gridDim.x * blockDim.x;
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        y[i] = a * x[i] + y[i];
}

CASE(saxpy_managed)
{
    const int n = 100003;
    float *x, *y;
    cudaMallocManaged(&x, n * sizeof(float));
    cudaMallocManaged(&y, n * sizeof(float));
    for (int i = 0; i < n; i++) {
        x[i] = 1.0f;
        y[i] = 2.0f;
    }

    int device = -1, processors = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    saxpy<<<8 * processors, 128>>>(n, 2.0, x, y);
    cudaDeviceSynchronize();

    int wrong = 0;
    for (int i = 0; i < n; i++)
        if (std::fabs(y[i] - 4.0f) > 1e-6f)
            ++wrong;
    if (wrong == 0)
        std::cout << "saxpy: all " << n << " elements right" << std::endl;
    cudaFree(x);
    cudaFree(y);
}

// CASE histogram
// Bins in shared memory, added to the result with one atomic a bin and block.
// RUN => 0 histogram of 65536 bytes: ok
namespace histogram {
__global__ void histogram(const unsigned char* data, int size, unsigned int* bins)
{
    __shared__ unsigned int local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    const int stride = blockDim.x * gridDim.x;
    while (i < size) {
        atomicAdd(&local[data[i]], 1);
        i += stride;
    }
    __syncthreads();
    atomicAdd(&(bins[threadIdx.x]), local[threadIdx.x]);
}

__global__ void extremes(const unsigned int* bins, unsigned int* least, unsigned int* most)
{
    atomicMin(least, bins[threadIdx.x]);
    atomicMax(most, bins[threadIdx.x]);
}

CASE(histogram)
{
    const int size = 1 << 16;
    std::vector<unsigned char> data(size);
    for (int i = 0; i < size; ++i)
        data[i] = (unsigned char)((i * 2654435761u) >> 24);
    std::vector<unsigned int> expected(256), bins(256);
    for (unsigned char c : data)
        expected[c]++;

    unsigned char* d_data;
    unsigned int *d_bins, *d_range;
    cudaMalloc((void**)&d_data, size);
    cudaMalloc((void**)&d_bins, 256 * sizeof(unsigned int));
    cudaMalloc((void**)&d_range, 2 * sizeof(unsigned int));
    cudaMemset(d_bins, 0, 256 * sizeof(unsigned int));
    cudaMemset(d_range, 0xff, sizeof(unsigned int));
    cudaMemset(d_range + 1, 0, sizeof(unsigned int));
    cudaMemcpy(d_data, data.data(), size, cudaMemcpyHostToDevice);
    histogram<<<16, 256>>>(d_data, size, d_bins);
    extremes<<<1, 256>>>(d_bins, d_range, d_range + 1);
    cudaMemcpy(bins.data(), d_bins, 256 * sizeof(unsigned int), cudaMemcpyDeviceToHost);
    unsigned int range[2];
    cudaMemcpy(range, d_range, sizeof(range), cudaMemcpyDeviceToHost);
    bool ok = bins == expected && range[0] <= size / 256 && range[1] >= size / 256;
    printf("histogram of %d bytes: %s\n", size, ok ? "ok" : "WRONG");
}
} // namespace histogram

// CASE stencil_constant
// A one-dimensional stencil: coefficients in constant memory, a tile with a halo in shared memory.
// RUN => 0 stencil passed
// RUN MOVING_BYTES_SEED=9 => 0 stencil passed
#define RADIUS 3
#define BLOCK 128

__constant__ float coefficients[2 * RADIUS + 1];
__device__ int outside = 0;

__global__ void stencil(const float* in, float* out, int n)
{
    __shared__ float tile[BLOCK + 2 * RADIUS];
    int g = threadIdx.x + blockIdx.x * blockDim.x;
    int l = threadIdx.x + RADIUS;
    tile[l] = in[g + RADIUS];
    if (threadIdx.x < RADIUS) {
        tile[l - RADIUS] = in[g];
        tile[l + BLOCK] = in[g + RADIUS + BLOCK];
    }
    __syncthreads();
    if (g >= n) {
        atomicAdd(&outside, 1);
        return;
    }
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; ++k)
        sum += tile[l + k] * coefficients[k + RADIUS];
    out[g] = sum;
}

CASE(stencil_constant)
{
    const int n = 1000, blocks = (n + BLOCK - 1) / BLOCK, padded = blocks * BLOCK + 2 * RADIUS;
    float h_coefficients[] = {1, 2, 3, 4, 3, 2, 1};
    float *in = new float[padded](), *out = new float[n];
    for (int i = 0; i < n; ++i)
        in[i + RADIUS] = float(i % 17);
    float *d_in, *d_out;
    cudaMalloc(&d_in, padded * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpyToSymbol(coefficients, h_coefficients, sizeof(h_coefficients));
    cudaMemcpy(d_in, in, padded * sizeof(float), cudaMemcpyHostToDevice);
    stencil<<<blocks, BLOCK>>>(d_in, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    int h_outside = -1;
    cudaMemcpyFromSymbol(&h_outside, outside, sizeof(int));

    bool passed = h_outside == blocks * BLOCK - n;
    for (int i = 0; i < n; ++i) {
        float sum = 0;
        for (int k = 0; k <= 2 * RADIUS; ++k)
            sum += in[i + k] * h_coefficients[k];
        passed = passed && sum == out[i];
    }
    printf("stencil %s\n", passed ? "passed" : "FAILED");
    cudaFree(d_in);
    cudaFree(d_out);
    delete[] in;
    delete[] out;
}

// CASE prefix_sum
// An inclusive scan in three kernels: blocks, the sums of the blocks, and the offsets back in.
// RUN => 0 scan of 3000 elements is right
// RUN MOVING_BYTES_SEED=123456789 => 0 scan of 3000 elements is right
template <typename T>
__global__ void scan_block(const T* input, T* output, T* sums, int n)
{
    extern __shared__ __align__(16) unsigned char raw[];
    T* now = reinterpret_cast<T*>(raw);
    T* next = now + blockDim.x;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int t = threadIdx.x;
    now[t] = i < n ? input[i] : T(0);
    __syncthreads();
    for (int distance = 1; distance < blockDim.x; distance <<= 1) {
        next[t] = t >= distance ? now[t] + now[t - distance] : now[t];
        __syncthreads();
        T* swap = now;
        now = next;
        next = swap;
    }
    if (i < n)
        output[i] = now[t];
    if (sums && t == blockDim.x - 1)
        sums[blockIdx.x] = now[t];
}

template <class T>
__global__ void add_offsets(T* data, const T* sums, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x > 0 && i < n)
        data[i] += sums[blockIdx.x - 1];
}

template <class T>
bool test(int n)
{
    const int threads = 256, blocks = (n + threads - 1) / threads;
    const size_t shared = 2 * threads * sizeof(T);
    std::vector<T> host(n), result(n);
    for (int i = 0; i < n; ++i)
        host[i] = T(i % 13);
    T *data, *sums;
    cudaMalloc(&data, n * sizeof(T));
    cudaMalloc(&sums, blocks * sizeof(T));
    cudaMemcpy(data, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    scan_block<T><<<blocks, threads, shared>>>(data, data, sums, n);
    scan_block<T><<<1, threads, shared>>>(sums, sums, NULL, blocks);
    add_offsets<<<blocks, threads>>>(data, sums, n);
    cudaMemcpy(result.data(), data, n * sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(data);
    cudaFree(sums);
    std::partial_sum(host.begin(), host.end(), host.begin());
    return result == host;
}

CASE(prefix_sum)
{
    const bool right = test<int>(3000) && test<double>(3000) && test<int>(1);
    printf("scan of 3000 elements %s\n", right ? "is right" : "is WRONG");
}

// CASE matrix_multiply
// Tiled matrix multiplication in the style of a structure that carries width, height and data.
// RUN => 0 Test PASSED
// RUN MOVING_BYTES_SEED=77 => 0 Test PASSED
#define TILE 16

typedef struct {
    int width;
    int height;
    int stride;
    float* elements;
} Matrix;

__device__ float GetElement(const Matrix A, int row, int col)
{
    return A.elements[row * A.stride + col];
}

__device__ void SetElement(Matrix A, int row, int col, float value)
{
    A.elements[row * A.stride + col] = value;
}

__device__ Matrix GetSubMatrix(Matrix A, int row, int col)
{
    Matrix sub;
    sub.width = TILE;
    sub.height = TILE;
    sub.stride = A.stride;
    sub.elements = &A.elements[A.stride * TILE * row + TILE * col];
    return sub;
}

__global__ void MatMul(const Matrix A, const Matrix B, Matrix C)
{
    Matrix Csub = GetSubMatrix(C, blockIdx.y, blockIdx.x);
    float value = 0;
    int row = threadIdx.y, col = threadIdx.x;
    for (int m = 0; m < (A.width / TILE); ++m) {
        Matrix Asub = GetSubMatrix(A, blockIdx.y, m);
        Matrix Bsub = GetSubMatrix(B, m, blockIdx.x);
        __shared__ float As[TILE][TILE];
        __shared__ float Bs[TILE][TILE];
        As[row][col] = GetElement(Asub, row, col);
        Bs[row][col] = GetElement(Bsub, row, col);
        __syncthreads();
#pragma unroll
        for (int e = 0; e < TILE; ++e)
            value += As[row][e] * Bs[e][col];
        __syncthreads();
    }
    SetElement(Csub, row, col, value);
}

static Matrix upload(const std::vector<float>& values, int height, int width)
{
    Matrix m = {width, height, width, nullptr};
    cudaMalloc((void**)&m.elements, values.size() * sizeof(float));
    cudaMemcpy(m.elements, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
    return m;
}

CASE(matrix_multiply)
{
    const int h = 48, k = 64, w = 32;
    std::vector<float> a(h * k), b(k * w), c(h * w);
    for (int i = 0; i < h * k; ++i)
        a[i] = float(i % 7);
    for (int i = 0; i < k * w; ++i)
        b[i] = float(i % 5);
    Matrix A = upload(a, h, k), B = upload(b, k, w), C = upload(c, h, w);
    dim3 dimBlock(TILE, TILE);
    dim3 dimGrid(w / dimBlock.x, h / dimBlock.y);
    MatMul<<<dimGrid, dimBlock>>>(A, B, C);
    cudaMemcpy(c.data(), C.elements, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
    bool right = true;
    for (int i = 0; i < h; ++i)
        for (int j = 0; j < w; ++j) {
            float expected = 0;
            for (int e = 0; e < k; ++e)
                expected += a[i * k + e] * b[e * w + j];
            right = right && c[i * w + j] == expected;
        }
    std::cout << "Test " << (right ? "PASSED" : "FAILED") << "\n";
    cudaFree(A.elements);
    cudaFree(B.elements);
    cudaFree(C.elements);
}

// CASE transpose
// Naive, tiled and padded: the store of the naive one is scattered over 32 sectors, the tile
// without padding has 31 extra passes for each warp that reads a column.
// RUN => 0 transposes agree
// RUN => 0 transposeNaive +4x4 +32x8 +1 +512 +4\.00 +100 % +512 +32\.00 +12\.5 % +0\n
// RUN => 0 transposeTiled +4x4 +32x8 +1 +512 +4\.00 +100 % +512 +4\.00 +100 % +15 872\n
// RUN => 0 transposePadded +4x4 +32x8 +1 +512 +4\.00 +100 % +512 +4\.00 +100 % +0\n
// RUN MOVING_BYTES_SEED=2 => 0 transposes agree
const int TILE_DIM = 32;
const int BLOCK_ROWS = 8;
const int N = 128;

__global__ void transposeNaive(float* odata, const float* idata)
{
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    int width = gridDim.x * TILE_DIM;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        odata[x * width + (y + j)] = idata[(y + j) * width + x];
}

__global__ void transposeTiled(float* odata, const float* idata)
{
    __shared__ float tile[TILE_DIM][TILE_DIM];
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    int width = gridDim.x * TILE_DIM;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        odata[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void transposePadded(float* odata, const float* idata)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    int width = gridDim.x * TILE_DIM;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
        odata[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];
}

CASE(transpose)
{
    const int bytes = N * N * sizeof(float);
    dim3 grid(N / TILE_DIM, N / TILE_DIM, 1), block(TILE_DIM, BLOCK_ROWS, 1);
    float* in = (float*)malloc(bytes);
    float* out = (float*)malloc(bytes);
    for (int i = 0; i < N * N; ++i)
        in[i] = (float)rand();
    float *d_in, *d_out;
    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice);

    int wrong = 0;
    for (int k = 0; k < 3; ++k) {
        cudaMemset(d_out, 0, bytes);
        if (k == 0) {
            transposeNaive<<<grid, block>>>(d_out, d_in);
        } else if (k == 1) {
            transposeTiled<<<grid, block>>>(d_out, d_in);
        } else
            transposePadded<<<grid, block>>>(d_out, d_in);
        cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
        for (int y = 0; y < N; ++y)
            for (int x = 0; x < N; ++x)
                wrong += out[x * N + y] != in[y * N + x];
    }
    puts(wrong ? "transposes DIFFER" : "transposes agree");
}

// CASE life
// The game of life on pitched rows: a glider moves one cell down and right in four generations.
// RUN => 0 the glider moved
__global__ void step(const unsigned char* from, unsigned char* to, size_t pitch, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    int alive = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                alive += from[((y + dy + h) % h) * pitch + (x + dx + w) % w];
    const unsigned char self = from[y * pitch + x];
    to[y * pitch + x] = alive == 3 || (alive == 2 && self);
}

CASE(life)
{
    const int w = 37, h = 21;
    static unsigned char start[h][w], end[h][w];
    start[1][2] = start[2][3] = start[3][1] = start[3][2] = start[3][3] = 1;
    unsigned char *a, *b;
    size_t pitch;
    cudaMallocPitch((void**)&a, &pitch, w, h);
    cudaMallocPitch((void**)&b, &pitch, w, h);
    cudaMemcpy2D(a, pitch, start, w, w, h, cudaMemcpyHostToDevice);
    for (int generation = 0; generation < 4; ++generation) {
        step<<<dim3((w + 7) / 8, (h + 7) / 8), dim3(8, 8)>>>(a, b, pitch, w, h);
        std::swap(a, b);
    }
    cudaMemcpy2D(end, w, a, pitch, w, h, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int y = 0; y + 1 < h; ++y)
        for (int x = 0; x + 1 < w; ++x)
            wrong += end[y + 1][x + 1] != start[y][x];
    puts(wrong ? "the glider broke" : "the glider moved");
}

// CASE streams_events
// Copies and kernels in chunks over two streams, pinned memory, events around it all.
// RUN => 0 chunks ok, elapsed time ok
static void check(cudaError_t e, const char* what)
{
    if (e != cudaSuccess) {
        printf("%s: %s (%s)\n", what, cudaGetErrorName(e), cudaGetErrorString(e));
        exit(1);
    }
}
#define CHECK(x) check(x, #x)

__global__ void offset_by(float* a, int offset)
{
    int i = offset + threadIdx.x + blockIdx.x * blockDim.x;
    float x = (float)i;
    float s = sinf(x), c = cosf(x);
    a[i] = a[i] + sqrtf(s * s + c * c);
}

CASE(streams_events)
{
    const int blockSize = 256, nStreams = 2, n = 32 * 1024 * nStreams / 4;
    const int streamSize = n / nStreams, streamBytes = streamSize * sizeof(float);
    float *a, *d_a;
    CHECK(cudaMallocHost((void**)&a, n * sizeof(float)));
    CHECK(cudaMalloc((void**)&d_a, n * sizeof(float)));
    for (int i = 0; i < n; ++i)
        a[i] = 0;

    cudaEvent_t start, stop;
    cudaStream_t stream[nStreams];
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    for (int i = 0; i < nStreams; ++i)
        CHECK(cudaStreamCreate(&stream[i]));
    CHECK(cudaEventRecord(start, 0));
    for (int i = 0; i < nStreams; ++i) {
        int offset = i * streamSize;
        CHECK(cudaMemcpyAsync(&d_a[offset], &a[offset], streamBytes, cudaMemcpyHostToDevice,
                              stream[i]));
        offset_by<<<streamSize / blockSize, blockSize, 0, stream[i]>>>(d_a, offset);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(&a[offset], &d_a[offset], streamBytes, cudaMemcpyDeviceToHost,
                              stream[i]));
    }
    for (int i = 0; i < nStreams; ++i)
        CHECK(cudaStreamSynchronize(stream[i]));
    CHECK(cudaEventRecord(stop, 0));
    CHECK(cudaEventSynchronize(stop));
    float ms = -1;
    CHECK(cudaEventElapsedTime(&ms, start, stop));

    bool ok = true;
    for (int i = 0; i < n; ++i)
        ok = ok && a[i] > 0.999f && a[i] < 1.001f;
    printf("chunks %s, elapsed time %s\n", ok ? "ok" : "WRONG", ms >= 0 ? "ok" : "WRONG");
    for (int i = 0; i < nStreams; ++i)
        CHECK(cudaStreamDestroy(stream[i]));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaFreeHost(a));
    CHECK(cudaFree(d_a));
}

// CASE lock_argument
// A dot product that a lock in device memory guards: the lock is an argument whose destructor frees.
// RUN => 0 dot product 3520\n(.|\n)*dot +8 +64 +1 
// RUN MOVING_BYTES_SEED=3 => 0 dot product 3520
namespace lock_argument {
const int n = 1024;
const int threads_per_block = 64;

struct Lock
{
    int* mutex;
    Lock()
    {
        cudaMalloc((void**)&mutex, sizeof(int));
        cudaMemset(mutex, 0, sizeof(int));
    }
    ~Lock() { cudaFree(mutex); }
    __device__ void lock()
    {
        while (atomicCAS(mutex, 0, 1) != 0) {}
        __threadfence();
    }
    __device__ void unlock()
    {
        __threadfence();
        atomicExch(mutex, 0);
    }
};

__global__ void dot(Lock lock, float* a, float* b, float* c)
{
    __shared__ float cache[threads_per_block];
    float sum = 0;
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x)
        sum += a[i] * b[i];
    cache[threadIdx.x] = sum;
    __syncthreads();
    for (int i = blockDim.x / 2; i > 0; i /= 2) {
        if (threadIdx.x < i)
            cache[threadIdx.x] += cache[threadIdx.x + i];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        lock.lock();
        *c += cache[0];
        lock.unlock();
    }
}

CASE(lock_argument)
{
    float host[n], result = 0;
    float *a, *b, *c;
    cudaMalloc(&a, sizeof(host));
    cudaMalloc(&b, sizeof(host));
    cudaMalloc(&c, sizeof(float));
    for (int i = 0; i < n; ++i)
        host[i] = i % 4;
    cudaMemcpy(a, host, sizeof(host), cudaMemcpyHostToDevice);
    for (int i = 0; i < n; ++i)
        host[i] = i % 4 == 0 ? 9 : i % 4 == 1 ? 0.75f : i % 4 + 0.0f;
    cudaMemcpy(b, host, sizeof(host), cudaMemcpyHostToDevice);
    cudaMemcpy(c, &result, sizeof(float), cudaMemcpyHostToDevice);
    Lock lock;
    dot<<<8, threads_per_block>>>(lock, a, b, c);
    if (cudaGetLastError() != cudaSuccess) // a copy was destroyed more than once
        return;
    cudaMemcpy(&result, c, sizeof(float), cudaMemcpyDeviceToHost);
    printf("dot product %g\n", result);
    // 256 * (0 + 0.75 + 4 + 9)
}
} // namespace lock_argument

// CASE reduction_shuffle
// Warp shuffles first, one value a warp through static shared memory, one atomic a block.
// RUN => 0 dot product 333283335000
// RUN MOVING_BYTES_SEED=5 => 0 dot product 333283335000
namespace reduction_shuffle {
__inline__ __device__ unsigned long long warpSum(unsigned long long v)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xffffffff, v, offset);
    return v;
}

__inline__ __device__ unsigned long long blockSum(unsigned long long v)
{
    static __shared__ unsigned long long warps[32];
    int lane = threadIdx.x % warpSize;
    int warp = threadIdx.x / warpSize;
    v = warpSum(v);
    if (lane == 0)
        warps[warp] = v;
    __syncthreads();
    v = (threadIdx.x < blockDim.x / warpSize) ? warps[lane] : 0;
    if (warp == 0)
        v = warpSum(v);
    return v;
}

__global__ void dot(const int* a, const int* b, unsigned long long* result, int n)
{
    unsigned long long v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        v += (unsigned long long)a[i] * b[i];
    v = blockSum(v);
    if (threadIdx.x == 0)
        atomicAdd(result, v);
}

CASE(reduction_shuffle)
{
    const int n = 10000;
    std::vector<int> h(n);
    for (int i = 0; i < n; ++i)
        h[i] = i;
    int* d;
    unsigned long long *d_result, result = 0;
    cudaMalloc(&d, n * sizeof(int));
    cudaMalloc(&d_result, sizeof(result));
    cudaMemset(d_result, 0, sizeof(result));
    cudaMemcpy(d, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    dot<<<7, 160>>>(d, d, d_result, n);
    cudaMemcpy(&result, d_result, sizeof(result), cudaMemcpyDeviceToHost);
    printf("dot product %llu\n", result);
    cudaFree(d);
    cudaFree(d_result);
}
} // namespace reduction_shuffle

// CASE reduction_dynamic_shared
// A tree in dynamic shared memory, launched again on its own results until one is left.
// RUN => 0 sum 4950000
// RUN MOVING_BYTES_SEED=11 => 0 sum 4950000
extern __shared__ int partial[];

template <unsigned int blockSize>
__global__ void __launch_bounds__(blockSize) reduce(int* g_in, int* g_out, unsigned int n)
{
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockSize * 2) + tid;
    partial[tid] = (i < n ? g_in[i] : 0) + (i + blockSize < n ? g_in[i + blockSize] : 0);
    __syncthreads();
    for (unsigned int s = blockSize / 2; s > 0; s >>= 1) {
        if (tid < s)
            partial[tid] += partial[tid + s];
        __syncthreads();
    }
    if (tid == 0)
        g_out[blockIdx.x] = partial[0];
}

CASE(reduction_dynamic_shared)
{
    const unsigned int n = 100000;
    std::vector<int> values(n);
    for (unsigned int i = 0; i < n; ++i)
        values[i] = i % 100;
    int *in, *out;
    cudaMalloc(&in, n * sizeof *in);
    cudaMalloc(&out, n * sizeof *out);
    cudaMemcpy(in, values.data(), n * sizeof *in, cudaMemcpyHostToDevice);

    for (unsigned int left = n; left > 1;) {
        const unsigned int blocks = (left + 511) / 512;
        if (left > 1024)
            reduce<256><<<blocks, 256, 256 * sizeof(int)>>>(in, out, left);
        else
            reduce<(512 >> 1)><<<blocks, (512 >> 1), 256 * sizeof(int)>>>(in, out, left);
        std::swap(in, out);
        left = blocks;
    }
    int sum = 0;
    cudaMemcpy(&sum, in, sizeof sum, cudaMemcpyDeviceToHost);
    std::printf("sum %d\n", sum);
    cudaFree(in);
    cudaFree(out);
}

// CASE volatile_reduction
// The last warp of a reduction by `volatile`, as samples have it: it compiles without a warning.
// RUN => 0 sum 2016
struct Point
{
    int x = 0, y = 0;
};

__device__ void reduce_warp(volatile int* values, unsigned thread)
{
    values[thread] += values[thread + 32];
    __syncwarp();
    values[thread] += values[thread + 16];
    __syncwarp();
    values[thread] += values[thread + 8];
    __syncwarp();
    values[thread] += values[thread + 4];
    __syncwarp();
    values[thread] += values[thread + 2];
    __syncwarp();
    values[thread] += values[thread + 1];
}

__global__ void sum(int* out)
{
    __shared__ int values[64];
    values[threadIdx.x] = threadIdx.x;
    __syncthreads();
    asm volatile("" ::: "memory"); // no instruction: it only keeps the compiler from moving code
    if (threadIdx.x < 32)
        reduce_warp(values, threadIdx.x);
    if (threadIdx.x == 0)
        *out = values[0];
}

CASE(volatile_reduction)
{
    Point point;
    memset(&point, 0, sizeof(point));
    int *device, host = point.x;
    cudaMalloc(&device, sizeof(int));
    sum<<<1, 64>>>(device);
    cudaMemcpy(&host, device, sizeof(int), cudaMemcpyDeviceToHost);
    printf("sum %d\n", host);
}
