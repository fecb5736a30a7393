// A constant of main() as the argument of a template that is launched in a lambda of a lambda.
// RUN => 0 \A3\n
#include <cstdio>
#define TIME_RECORD(N, func) [&] { for (int r = 0; r < N; ++r) { func(); } return 0; }()
template <int B> __global__ void k(int* d, int M, int N) { if (threadIdx.x == 0) atomicAdd(d, 1); }
int main()
{
    size_t M = 4, N = 5;
    constexpr size_t BLOCK = 32;
    int *d, h;
    cudaMalloc(&d, 4);
    cudaMemset(d, 0, 4);
    dim3 b3(BLOCK);
    dim3 g3(1);
    TIME_RECORD(3, ([&]{k<BLOCK><<<g3, b3>>>(d, M, N);}));
    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", h);
}
