// WITH --extended-lambda -std=c++20
// RUN => 0 loads of 3 kernels: 32 32 32, sum 528
// That nothing is told of what the host does hides nothing of what kernels do: a lambda inside a function of the host, what
// both sides call, and what is constant to both.
#include <cpu_device/launches.hpp>
#include <cstdio>
constexpr int warps = 32;
constexpr float doubled(const float* a, int i) { return a[i] + a[i]; }
__host__ __device__ float one(const float* a, int i) { return a[i]; }
__global__ void with_constant(float* out, const float* a) { out[blockIdx.x * 32 + threadIdx.x] = doubled(a, blockIdx.x * 32 + threadIdx.x); }
__global__ void with_both(float* out, const float* a) { out[blockIdx.x * 32 + threadIdx.x] = one(a, blockIdx.x * 32 + threadIdx.x); }
template<class F>
__global__ void with_lambda(F f) { f(blockIdx.x * 32 + threadIdx.x); }
void launch_lambda(float* out, const float* a)
{
    with_lambda<<<warps, 32>>>([=] __device__(int i) { out[i] = a[i]; });
}
float sum_of(const float* a, int n)
{
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += one(a, i);
    return sum;
}
int main()
{
    float *out, *a, host[warps * 32];
    for (int i = 0; i < warps * 32; ++i) host[i] = i < 32 ? i + 1 : 0;
    cudaMalloc(&out, sizeof host), cudaMalloc(&a, sizeof host);
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    with_constant<<<warps, 32>>>(out, a);
    with_both<<<warps, 32>>>(out, a);
    launch_lambda(out, a);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("loads of 3 kernels:");
    for (const auto& launch : cpu_device::launches()) printf(" %d", static_cast<int>(launch.counts.load_requests));
    printf(", sum %g\n", sum_of(host, warps * 32));
    return 0;
}
