// The instructions of PTX that teaching code has: lane ids, masks, and loads with a cache hint.
// RUN => 0 lanes right, lower 0000007f, copied 31
#include <cstdio>
__device__ unsigned lane_id()
{
    unsigned id;
    asm("mov.u32 %0, %%laneid;" : "=r"(id));
    return id;
}
__device__ float load_streaming(const float* p)
{
    float v;
    asm volatile("ld.global.cs.f32 %0, [%1];" : "=f"(v) : "l"(p));
    return v;
}
__global__ void k(unsigned* lanes, unsigned* lower, const float* in, float* out)
{
    unsigned mask;
    asm volatile("mov.u32 %0, %lanemask_lt;" : "=r"(mask));
    lanes[threadIdx.x] = lane_id();
    if (threadIdx.x == 7) *lower = mask;
    asm volatile("st.global.cg.f32 [%0], %1;" ::"l"(out + threadIdx.x), "f"(load_streaming(in + threadIdx.x)));
}
int main()
{
    unsigned *lanes, *lower;
    float *in, *out;
    cudaMallocManaged(&lanes, 256);
    cudaMallocManaged(&lower, 4);
    cudaMallocManaged(&in, 256);
    cudaMallocManaged(&out, 256);
    for (int i = 0; i < 64; ++i) in[i] = i;
    k<<<1, 64>>>(lanes, lower, in, out);
    cudaDeviceSynchronize();
    bool right = true;
    for (int i = 0; i < 64; ++i) right = right && lanes[i] == i % 32;
    printf("lanes %s, lower %08x, copied %g\n", right ? "right" : "wrong", *lower, out[31]);
}
