// 18.2: Check the limits of the L2 set-aside
//
// keep() reserves a set-aside of the window's size and requests the window to stay, in what a
// stream launches from then on; let_go() ends both, and its caller makes what is still kept
// ordinary, so that the next program's kernels find the L2 as it was. Times before and after were
// the same, since one of the calls was refused and nobody looked; and other kernels were slower
// ever since. Let the stream have its window between the two calls, and leave nothing behind.

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
