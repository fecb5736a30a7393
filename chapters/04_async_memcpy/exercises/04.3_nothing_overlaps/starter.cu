// 04.3: Find what prevents overlap
//
// Four chunks alternate between two streams, so that one chunk can arrive while the previous one is
// added and copied out. But this takes as long as one stream: no copy overlaps the work on another
// chunk. Find out why the two streams wait for each other, and make them overlap. The sums must be
// in host_c when solve() returns.

#include <algorithm>
#include <cstddef>

__global__ void add(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

// Called with host arrays in pinned memory, arrays a, b and c in device memory, and n from 100 to
// 2^31.
void solve(const float* host_a, const float* host_b, float* host_c, float* a, float* b, float* c,
           std::size_t n)
{
    cudaStream_t streams[2];
    cudaStreamCreate(&streams[0]);
    cudaStreamCreate(&streams[1]);
    const std::size_t piece = (n + 3) / 4;
    for (unsigned k = 0; k < 4; ++k) {
        const std::size_t first = k * piece;
        const std::size_t count = std::min(piece, n - first);
        const std::size_t bytes = count * sizeof(float);
        const unsigned blocks = static_cast<unsigned>((count + 255) / 256);
        const cudaStream_t stream = streams[k % 2];
        cudaMemcpyAsync(a + first, host_a + first, bytes, cudaMemcpyHostToDevice, stream);
        cudaMemcpyAsync(b + first, host_b + first, bytes, cudaMemcpyHostToDevice, stream);
        add<<<blocks, 256>>>(a + first, b + first, c + first, count);
        cudaMemcpyAsync(host_c + first, c + first, bytes, cudaMemcpyDeviceToHost, stream);
    }
    for (const cudaStream_t stream : streams) {
        cudaStreamSynchronize(stream);
        cudaStreamDestroy(stream);
    }
}
