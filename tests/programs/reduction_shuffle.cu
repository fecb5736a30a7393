// Warp shuffles first, one value a warp through static shared memory, one atomic a block.
// RUN => 0 dot product 333283335000
// RUN MOVING_BYTES_SEED=5 => 0 dot product 333283335000
#include <cstdio>
#include <vector>

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

int main()
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
    return result == 333283335000ull ? 0 : 1;
}
