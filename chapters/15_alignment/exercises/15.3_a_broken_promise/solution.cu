// 15.3: A broken promise, a solution
//
// __restrict__ promises that what is written through `to` is not read through `from`. Called with
// one array twice, a thread reads what another may have written already, and no order of the
// threads is right: a sample could move twice. So the delay goes to the scratch array, and a second
// step, which begins when all of the first is done, brings it back.

#include <cstddef>

__global__ void delay(const float* __restrict__ from, float* __restrict__ to, std::size_t n,
                      std::size_t offset)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        to[i] = i < offset ? 0.0f : from[i - offset];
    }
}

void solve(float* c, float* scratch, std::size_t n, std::size_t offset)
{
    const unsigned threads = 256;
    const unsigned blocks = static_cast<unsigned>((n + threads - 1) / threads);
    delay<<<blocks, threads>>>(c, scratch, n, offset);
    cudaMemcpyAsync(c, scratch, n * sizeof(float), cudaMemcpyDeviceToDevice);
}
