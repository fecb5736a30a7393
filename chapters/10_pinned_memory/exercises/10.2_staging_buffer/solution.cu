// 10.2: The buffer that changes on the way, a solution
//
// A stream keeps the order of what is queued on it; fill() is not queued, the host runs it at once.
// From page-locked memory cudaMemcpyAsync returns before the copy has read the buffer, so the host
// has to wait before it writes there again. cudaMemcpy in the place of both calls does the same.

#include <cstddef>

using Fill = void (*)(float* buffer, std::size_t first, std::size_t count);

__global__ void twice(float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] *= 2;
    }
}

void solve(Fill fill, float* c, std::size_t n, std::size_t piece)
{
    float* buffer = nullptr;
    cudaMallocHost(&buffer, piece * sizeof(float));
    for (std::size_t first = 0; first < n; first += piece) {
        const std::size_t count = n - first < piece ? n - first : piece;
        fill(buffer, first, count);
        cudaMemcpyAsync(c + first, buffer, count * sizeof(float), cudaMemcpyHostToDevice, nullptr);
        cudaStreamSynchronize(nullptr); // the next fill() writes to the buffer
        const unsigned threads = 256;
        const unsigned blocks = static_cast<unsigned>((count + threads - 1) / threads);
        twice<<<blocks, threads>>>(c + first, count);
    }
    cudaDeviceSynchronize();
    cudaFreeHost(buffer);
}
