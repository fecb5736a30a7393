// WITH -std=c++20
// RUN => 0 right within 5 %, by less than a sixth of the blocks
// RUN MOVING_BYTES_COUNT=all => 0 right within 5 %, by all blocks
// A launch of which a sample is counted, whose first blocks return at once: what they tell is true of no other.
#include <cpu_device/launches.hpp>
#include <cmath>
#include <cstdio>

constexpr int side = 1024, rounds = 64;

__global__ void causal(const float* in, float* out)
{
    const int row = blockIdx.x / side, column = blockIdx.x % side;
    if (column > row) return;
    float sum = 0;
    for (int i = 0; i < rounds; ++i) sum += in[(row * rounds + i) % side * 32 + threadIdx.x];
    out[blockIdx.x * 32 + threadIdx.x] = sum;
}

int main()
{
    float *in, *out;
    cudaMalloc(&in, side * 32 * sizeof(float)), cudaMalloc(&out, side * side * 32 * sizeof(float));
    cudaMemset(in, 0, side * 32 * sizeof(float));
    causal<<<side * side, 32>>>(in, out);
    cudaDeviceSynchronize();
    const auto& launch = cpu_device::launches().front();
    const double exact = rounds * side * (side + 1) / 2.0;
    const double error = std::abs(launch.counts.load_requests / exact - 1);
    std::printf("%s within 5 %%, by %s\n", error < 0.05 ? "right" : "not right",
                launch.counted_blocks == 0                  ? "all blocks"
                : launch.counted_blocks < side * side / 6.0 ? "less than a sixth of the blocks"
                                                            : "too many blocks");
    return 0;
}
// SLOW
