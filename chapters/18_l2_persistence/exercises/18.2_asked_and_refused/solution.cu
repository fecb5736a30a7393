// 18.2: Asked and refused, a solution
//
// What misses may stream past or be ordinary; it cannot stay, and a window that asks for that is
// refused as a whole. The refusal is in what cudaStreamSetAttribute returns, which a program should
// look at. A set-aside belongs to the device and not to the stream, so it stays reserved until
// somebody gives it back; kept lines, too, which is why the reset stands in let_go().

#include <cstddef>
#include <cstdio>

void check(cudaError_t status)
{
    if (status != cudaSuccess) {
        std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
    }
}

void keep(const float* window, std::size_t bytes, cudaStream_t stream)
{
    check(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, bytes));
    cudaLaunchAttributeValue value{};
    value.accessPolicyWindow.base_ptr = const_cast<float*>(window);
    value.accessPolicyWindow.num_bytes = bytes;
    value.accessPolicyWindow.hitRatio = 1.0f;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    check(cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &value));
}

void let_go(cudaStream_t stream)
{
    cudaLaunchAttributeValue value{};
    value.accessPolicyWindow.num_bytes = 0; // no window
    check(cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &value));
    check(cudaCtxResetPersistingL2Cache()); // what is still kept becomes ordinary
    check(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0));
}

// c[i] = a[i] + a[i % window]
__global__ void add_window(const float* a, float* c, std::size_t window, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + a[i % window];
    }
}

void solve(const float* a, float* c, std::size_t window, std::size_t n, cudaStream_t stream)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    add_window<<<blocks, threads, 0, stream>>>(a, c, window, n);
}
