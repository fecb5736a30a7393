// RUN MOVING_BYTES_COUNT=1 => 0 0 wrong, no error[^$]* of them counted
// RUN MOVING_BYTES_COUNT=1 MOVING_BYTES_ASSERT=return => 0 0 wrong, device-side assert triggered[^$]*thread: \[60,0,0\]
// What a kernel with barriers does when it reads the clock often, or an assertion fails, it also does uncounted.
#include <cassert>
#include <cstdio>
#include <cstdlib>
constexpr int threads = 64, repeats = 20;
__global__ void reverse(int* values, long long* elapsed)
{
    __shared__ int buffer[threads];
    const long long begin = clock64();
    buffer[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 100; ++i) elapsed[threadIdx.x] = clock64() - begin;
    values[threadIdx.x] = buffer[threads - 1 - threadIdx.x];
}
__global__ void check(int limit)
{
    __syncthreads();
    assert(threadIdx.x < limit);
    __syncthreads();
}
int main()
{
    int* values;
    long long* elapsed;
    cudaMallocManaged(&values, threads * sizeof *values);
    cudaMallocManaged(&elapsed, threads * sizeof *elapsed);
    for (int i = 0; i < threads; ++i) values[i] = i;
    for (int i = 0; i < repeats; ++i) reverse<<<1, threads>>>(values, elapsed);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < threads; ++i) wrong += values[i] != i || elapsed[i] <= 0;
    for (int i = 0; i < repeats && std::getenv("MOVING_BYTES_ASSERT"); ++i) check<<<1, threads>>>(i < 10 ? threads : 60);
    printf("%d wrong, %s\n", wrong, cudaGetErrorString(cudaDeviceSynchronize()));
}
