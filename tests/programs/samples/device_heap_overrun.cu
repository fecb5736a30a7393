// An index past what a kernel allocated.
// RUN => 6 kernel overrun .*writes 4 bytes at .*past the end of allocation 1 \(16 bytes\)
__device__ int* kept;
__global__ void overrun(int n) { kept = new int[4]; for (int i = 0; i <= n; ++i) kept[i] = i; }
int main() { overrun<<<1, 1>>>(4); cudaDeviceSynchronize(); }
