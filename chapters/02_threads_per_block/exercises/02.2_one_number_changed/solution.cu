// 02.2: One number was changed, a solution
//
// The threads of a block stand in three places: in the launch, in the number of blocks and in the
// index. Here all three take it from one constant. Where they differed, blocks began 256 elements
// apart and were 512 long: each shared its second half with the next one's first, and both wrote
// it. That both wrote the same is why it came out right.

#include <cstddef>

constexpr unsigned per_block = 512;

__global__ void add(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * per_block + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

// Called with arrays in device memory, of any n.
void solve(const float* a, const float* b, float* c, std::size_t n)
{
    const unsigned blocks = static_cast<unsigned>((n + per_block - 1) / per_block);
    add<<<blocks, per_block>>>(a, b, c, n);
}
