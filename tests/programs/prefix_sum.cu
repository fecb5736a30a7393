// An inclusive scan in three kernels: blocks, the sums of the blocks, and the offsets back in.
// RUN => 0 scan of 3000 elements is right
// RUN MOVING_BYTES_SEED=123456789 => 0 scan of 3000 elements is right
#include <cstdio>
#include <numeric>
#include <vector>

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

int main()
{
    const bool right = test<int>(3000) && test<double>(3000) && test<int>(1);
    printf("scan of 3000 elements %s\n", right ? "is right" : "is WRONG");
    return right ? 0 : 1;
}
