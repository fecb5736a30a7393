// Copies and kernels in chunks over two streams, pinned memory, events around it all.
// RUN => 0 chunks ok, elapsed time ok
#include <cstdio>

static void check(cudaError_t e, const char* what)
{
    if (e != cudaSuccess) {
        printf("%s: %s (%s)\n", what, cudaGetErrorName(e), cudaGetErrorString(e));
        exit(1);
    }
}
#define CHECK(x) check(x, #x)

__global__ void offset_by(float* a, int offset)
{
    int i = offset + threadIdx.x + blockIdx.x * blockDim.x;
    float x = (float)i;
    float s = sinf(x), c = cosf(x);
    a[i] = a[i] + sqrtf(s * s + c * c);
}

int main()
{
    const int blockSize = 256, nStreams = 2, n = 32 * 1024 * nStreams / 4;
    const int streamSize = n / nStreams, streamBytes = streamSize * sizeof(float);
    float *a, *d_a;
    CHECK(cudaMallocHost((void**)&a, n * sizeof(float)));
    CHECK(cudaMalloc((void**)&d_a, n * sizeof(float)));
    for (int i = 0; i < n; ++i)
        a[i] = 0;

    cudaEvent_t start, stop;
    cudaStream_t stream[nStreams];
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    for (int i = 0; i < nStreams; ++i)
        CHECK(cudaStreamCreate(&stream[i]));
    CHECK(cudaEventRecord(start, 0));
    for (int i = 0; i < nStreams; ++i) {
        int offset = i * streamSize;
        CHECK(cudaMemcpyAsync(&d_a[offset], &a[offset], streamBytes, cudaMemcpyHostToDevice,
                              stream[i]));
        offset_by<<<streamSize / blockSize, blockSize, 0, stream[i]>>>(d_a, offset);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(&a[offset], &d_a[offset], streamBytes, cudaMemcpyDeviceToHost,
                              stream[i]));
    }
    for (int i = 0; i < nStreams; ++i)
        CHECK(cudaStreamSynchronize(stream[i]));
    CHECK(cudaEventRecord(stop, 0));
    CHECK(cudaEventSynchronize(stop));
    float ms = -1;
    CHECK(cudaEventElapsedTime(&ms, start, stop));

    bool ok = true;
    for (int i = 0; i < n; ++i)
        ok = ok && a[i] > 0.999f && a[i] < 1.001f;
    printf("chunks %s, elapsed time %s\n", ok ? "ok" : "WRONG", ms >= 0 ? "ok" : "WRONG");
    for (int i = 0; i < nStreams; ++i)
        CHECK(cudaStreamDestroy(stream[i]));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    CHECK(cudaFreeHost(a));
    CHECK(cudaFree(d_a));
    return ok && ms >= 0 ? 0 : 1;
}
