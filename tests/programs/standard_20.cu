// C++20 on request: concepts and spans.
// WITH -std=c++20
// RUN => 0 sum 6
#include <concepts>
#include <cstdio>
#include <span>
template <std::integral T>
__global__ void add(T* out, std::span<const T> in) { for (const T x : in) *out += x; }
int main()
{
    int *out, *in;
    cudaMallocManaged(&out, sizeof(int));
    cudaMallocManaged(&in, 3 * sizeof(int));
    *out = 0;
    for (int i = 0; i < 3; ++i) in[i] = i + 1;
    add<<<1, 1>>>(out, std::span<const int>(in, 3));
    cudaDeviceSynchronize();
    printf("sum %d\n", *out);
}
// SLOW
