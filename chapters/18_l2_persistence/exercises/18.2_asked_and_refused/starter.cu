// 18.2: Check the limits of the L2 set-aside
//
// keep() reserves a set-aside of the window's size and sets a persisting window on a stream;
// let_go() ends both, and its caller resets the persisting lines, so that the next program finds
// the L2 as it was. Nobody noticed that one of the calls fails: the times with and without the
// window were the same, and other kernels have been slower ever since. Make the window take effect
// between the two calls, and leave nothing changed afterwards.

#include <cstddef>

// Requests `bytes` from `window` on to stay.
void keep(const float* window, std::size_t bytes, cudaStream_t stream)
{
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, bytes);
    cudaLaunchAttributeValue value{};
    value.accessPolicyWindow.base_ptr = const_cast<float*>(window);
    value.accessPolicyWindow.num_bytes = bytes;
    value.accessPolicyWindow.hitRatio = 1.0f;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyPersisting;
    cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &value);
}

void let_go(cudaStream_t stream)
{
    cudaLaunchAttributeValue value{};
    value.accessPolicyWindow.num_bytes = 0; // no window
    cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &value);
}

// c[i] = a[i] + a[i % window]
__global__ void add_window(const float* a, float* c, std::size_t window, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + a[i % window];
    }
}

// Called with arrays in device memory, between keep() and let_go().
void solve(const float* a, float* c, std::size_t window, std::size_t n, cudaStream_t stream)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    add_window<<<blocks, threads, 0, stream>>>(a, c, window, n);
}
