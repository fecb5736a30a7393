// Two devices add up their arrays: each sums its half, reading the other's, and then fetches the other half.
// RUN => 0 this needs two devices, and there is 1
// RUN MOVING_BYTES_DEVICES=2 => 0 sums ok[^$]*device[^$]*peer[^$]*reduce +0[^$]*reduce +1
// RUN MOVING_BYTES_DEVICES=2 => 0 reduce +0 .* link\n
// RUN MOVING_BYTES_DEVICES=4 => 0 sums ok
// RUN MOVING_BYTES_DEVICES=2 WITHOUT=access => 6 kernel reduce \(launched at two_devices.cu:@launch\) on device 0, block \([0-3], 0, 0\), .*, inside allocation \d+ \(1048576 bytes\) of device 1\.
// RUN MOVING_BYTES_DEVICES=5 => 2 MOVING_BYTES_DEVICES is '5'; it must be a whole number from 1 to 4
// RUN MOVING_BYTES_DEVICES=two => 2 MOVING_BYTES_DEVICES is 'two'; it must be a whole number from 1 to 4
#include <cstdio>
#include <cstdlib>
#include <cstring>

static void check(cudaError_t e, const char* what)
{
    if (e != cudaSuccess) {
        printf("%s: %s\n", what, cudaGetErrorString(e));
        exit(1);
    }
}
#define CHECK(x) check(x, #x)

__global__ void reduce(float* own, const float* peer, int first, int end)
{
    int i = first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < end)
        own[i] += peer[i];
}

int main()
{
    const int n = 1 << 18, half = n / 2, bytes = n * sizeof(float);
    const char* wish = getenv("WITHOUT");
    const char* without = wish ? wish : "";
    int devices = 0;
    CHECK(cudaGetDeviceCount(&devices));
    if (devices < 2) {
        printf("this needs two devices, and there is %d\n", devices);
        return 0;
    }

    float* data[2];
    float* host = (float*)malloc(bytes);
    cudaStream_t stream[2];
    cudaEvent_t reduced[2];
    for (int d = 0; d < 2; ++d) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaMalloc(&data[d], bytes));
        CHECK(cudaStreamCreate(&stream[d]));
        CHECK(cudaEventCreateWithFlags(&reduced[d], cudaEventDisableTiming));
        int can = 0;
        CHECK(cudaDeviceCanAccessPeer(&can, d, 1 - d));
        if (can && strcmp(without, "access") != 0)
            CHECK(cudaDeviceEnablePeerAccess(1 - d, 0));
        for (int i = 0; i < n; ++i)
            host[i] = (float)(d == 0 ? i : 1);
        CHECK(cudaMemcpy(data[d], host, bytes, cudaMemcpyHostToDevice));
    }
    for (int d = 0; d < 2; ++d) {
        CHECK(cudaSetDevice(d));
        reduce<<<half / 256, 256, 0, stream[d]>>>(data[d], data[1 - d], d * half, (d + 1) * half); // @launch
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(reduced[d], stream[d]));
    }
    for (int d = 0; d < 2; ++d) {
        int other = (1 - d) * half;
        CHECK(cudaSetDevice(d));
        CHECK(cudaStreamWaitEvent(stream[d], reduced[1 - d], 0));
        CHECK(cudaMemcpyPeerAsync(data[d] + other, d, data[1 - d] + other, 1 - d, bytes / 2,
                                  stream[d]));
    }
    bool ok = true;
    for (int d = 0; d < 2; ++d) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(host, data[d], bytes, cudaMemcpyDeviceToHost));
        for (int i = 0; i < n; ++i)
            ok = ok && host[i] == (float)i + 1;
    }
    printf("sums %s\n", ok ? "ok" : "WRONG");
    return ok ? 0 : 1;
}
