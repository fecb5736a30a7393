// Names that a later C++ or another header has are the program's own in C++17.
// RUN => 0 lerp 2 clamp 1 midpoint 3
#include <algorithm>
#include <cmath>
#include <cstdio>
using namespace std;
__device__ inline float lerp(float start, float end, float weight) { return fma(weight, end, fma(-weight, start, start)); }
__host__ __device__ inline float clamp(float x, float low, float high) { return fminf(fmaxf(x, low), high); }
__device__ int midpoint(int a, int b) { return (a + b) / 2; }
struct span { int n; };
__global__ void k(float* out, span s) { out[0] = lerp(1.f, 3.f, 0.5f); out[1] = clamp(5.f, 0.f, 1.f); out[2] = midpoint(s.n, 5); }
int main()
{
    float* out;
    cudaMallocManaged(&out, 3 * sizeof(float));
    k<<<1, 1>>>(out, span{1});
    cudaDeviceSynchronize();
    printf("lerp %g clamp %g midpoint %g\n", out[0], out[1], out[2]);
}
