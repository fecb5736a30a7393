// What a kernel leaves unwritten is told where it reaches the host.
// RUN => 1 A copy to the host has 8 bytes that nothing has written, .* byte 0 of allocation 1 \(256 bytes, of unwritten\.cu:8\)
#include <cstdio>
__global__ void inner(float* o, int n) { int i = threadIdx.x; if (i > 0 && i < n - 1) o[i] = i; }
int main()
{
    float *d, h[64]; int wrong = 0;
    cudaMalloc(&d, sizeof h);
    inner<<<1, 64>>>(d, 64);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    if (h[0] != 0) wrong++; if (h[63] != 0) wrong++;
    printf("%d wrong (%g %g)\n", wrong, h[0], h[63]);
    return wrong != 0;
}
