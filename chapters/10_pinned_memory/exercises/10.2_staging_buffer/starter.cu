// 10.2: Reuse a buffer only after its copy has finished
//
// The data is produced piece by piece: fill() writes `count` elements, from element `first` on, to
// a buffer on the host. One page-locked buffer serves all pieces; from there each is copied to its
// place in c, where a kernel doubles it. Everything is queued on one stream and so seems to happen
// in order. Yet on some GPUs some pieces arrive with the contents of others. Find out why, and fix
// it with this one buffer, which stays page-locked, and free it at the end.

#include <cstddef>

using Fill = void (*)(float* buffer, std::size_t first, std::size_t count);

__global__ void twice(float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] *= 2;
    }
}

// Called with c in device memory, of any n up to 2^31, and with the largest number of elements of a
// piece.
void solve(Fill fill, float* c, std::size_t n, std::size_t piece)
{
    float* buffer = nullptr;
    cudaMallocHost(&buffer, piece * sizeof(float));
    for (std::size_t first = 0; first < n; first += piece) {
        const std::size_t count = n - first < piece ? n - first : piece;
        fill(buffer, first, count);
        cudaMemcpyAsync(c + first, buffer, count * sizeof(float), cudaMemcpyHostToDevice, nullptr);
        const unsigned threads = 256;
        const unsigned blocks = static_cast<unsigned>((count + threads - 1) / threads);
        twice<<<blocks, threads>>>(c + first, count);
    }
    cudaDeviceSynchronize();
    cudaFreeHost(buffer);
}
