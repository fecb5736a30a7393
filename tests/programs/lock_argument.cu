// A dot product that a lock in device memory guards: the lock is an argument whose destructor frees.
// RUN => 0 dot product 3520\n(.|\n)*dot +8 +64 +1 
// RUN MOVING_BYTES_SEED=3 => 0 dot product 3520
#include <cstdio>

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

int main()
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
        return 1;
    cudaMemcpy(&result, c, sizeof(float), cudaMemcpyDeviceToHost);
    printf("dot product %g\n", result);
    // 256 * (0 + 0.75 + 4 + 9)
    return result == 3520 ? 0 : 1;
}
