// Programs as they stand in textbooks, but for their set-up, of which vector_add.cu has all.
#include <iostream>
#include <numeric>
#include <utility>
#include "cases.hpp"

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
    std::vector<float> in(padded);
    for (int i = 0; i < n; ++i)
        in[i + RADIUS] = float(i % 17);
    float* d_out = uninitialized<float>(n);
    cudaMemcpyToSymbol(coefficients, h_coefficients, sizeof(h_coefficients));
    stencil<<<blocks, BLOCK>>>(uploaded(in), d_out, n);
    const std::vector<float> out = downloaded(d_out, n);
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
    std::vector<T> host(n);
    for (int i = 0; i < n; ++i)
        host[i] = T(i % 13);
    T *data = uploaded(host), *sums = uninitialized<T>(blocks);
    scan_block<T><<<blocks, threads, shared>>>(data, data, sums, n);
    scan_block<T><<<1, threads, shared>>>(sums, sums, NULL, blocks);
    add_offsets<<<blocks, threads>>>(data, sums, n);
    std::partial_sum(host.begin(), host.end(), host.begin());
    return downloaded(data, n) == host;
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
    return {width, height, width, uploaded(values)};
}

CASE(matrix_multiply)
{
    const int h = 48, k = 64, w = 32;
    std::vector<float> a(h * k), b(k * w), zero(h * w);
    for (int i = 0; i < h * k; ++i)
        a[i] = float(i % 7);
    for (int i = 0; i < k * w; ++i)
        b[i] = float(i % 5);
    Matrix A = upload(a, h, k), B = upload(b, k, w), C = upload(zero, h, w);
    dim3 dimBlock(TILE, TILE);
    dim3 dimGrid(w / dimBlock.x, h / dimBlock.y);
    MatMul<<<dimGrid, dimBlock>>>(A, B, C);
    const std::vector<float> c = downloaded(C.elements, h * w);
    bool right = true;
    for (int i = 0; i < h; ++i)
        for (int j = 0; j < w; ++j) {
            float expected = 0;
            for (int e = 0; e < k; ++e)
                expected += a[i * k + e] * b[e * w + j];
            right = right && c[i * w + j] == expected;
        }
    std::cout << "Test " << (right ? "PASSED" : "FAILED") << "\n";
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
    std::vector<float> a(n), b(n);
    for (int i = 0; i < n; ++i) {
        a[i] = i % 4;
        b[i] = i % 4 == 0 ? 9 : i % 4 == 1 ? 0.75f : i % 4 + 0.0f;
    }
    float* c = array<float>(1);
    Lock lock;
    dot<<<8, threads_per_block>>>(lock, uploaded(a), uploaded(b), c);
    if (cudaGetLastError() != cudaSuccess) // a copy was destroyed more than once
        return;
    printf("dot product %g\n", downloaded(c, 1)[0]);
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
    int* d = uploaded(h);
    auto* result = array<unsigned long long>(1);
    dot<<<7, 160>>>(d, d, result, n);
    printf("dot product %llu\n", downloaded(result, 1)[0]);
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
    int *in = uploaded(values), *out = uninitialized<int>(n);
    for (unsigned int left = n; left > 1;) {
        const unsigned int blocks = (left + 511) / 512;
        if (left > 1024)
            reduce<256><<<blocks, 256, 256 * sizeof(int)>>>(in, out, left);
        else
            reduce<(512 >> 1)><<<blocks, (512 >> 1), 256 * sizeof(int)>>>(in, out, left);
        std::swap(in, out);
        left = blocks;
    }
    std::printf("sum %d\n", downloaded(in, 1)[0]);
}
