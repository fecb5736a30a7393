// The last warp of a reduction by a volatile pointer to global memory goes in step, as by one to shared memory.
// RUN => 0 (?s)\A2016\n.*Warning:\s+kernel\s+sum.*That\s+the\s+lanes\s+of\s+a\s+warp\s+go\s+in\s+step
// RUN MOVING_BYTES_COUNT=1 => 0 \A2016\n
#include <cstdio>
__global__ void sum(int* g)
{
    unsigned t = threadIdx.x;
    if (t < 32) {
        volatile int* v = g;
        v[t] += v[t + 32]; v[t] += v[t + 16]; v[t] += v[t + 8];
        v[t] += v[t + 4];  v[t] += v[t + 2];  v[t] += v[t + 1];
    }
}
int main()
{
    int h[64], *d;
    for (int i = 0; i < 64; i++) h[i] = i;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    sum<<<1, 64>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h[0]);
}
