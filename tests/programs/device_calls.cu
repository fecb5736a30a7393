// What the calls answer that are about two devices; the same on two GPUs.
// RUN MOVING_BYTES_DEVICES=2 => 0 32 calls, as expected
// RUN => 0 this needs two devices, and there is 1
#include <cstdio>
#include <cstring>

static int calls = 0, wrong = 0;

static void expect(cudaError_t answer, cudaError_t expected, const char* call)
{
    ++calls;
    cudaGetLastError();
    if (answer == expected)
        return;
    ++wrong;
    printf("%s: %s instead of %s\n", call, cudaGetErrorName(answer), cudaGetErrorName(expected));
}
#define EXPECT(call, error) expect(call, error, #call)

static void expect(int value, int expected, const char* what)
{
    ++calls;
    if (value == expected)
        return;
    ++wrong;
    printf("%s: %d instead of %d\n", what, value, expected);
}

__global__ void nothing() {}

static cudaError_t launch(cudaStream_t stream)
{
    nothing<<<1, 1, 0, stream>>>();
    return cudaGetLastError();
}

static int owner(const void* pointer)
{
    cudaPointerAttributes attributes;
    return cudaPointerGetAttributes(&attributes, pointer) == cudaSuccess ? attributes.device : -9;
}

int main()
{
    int devices = 0, value = -1;
    cudaGetDeviceCount(&devices);
    if (devices < 2) {
        printf("this needs two devices, and there is %d\n", devices);
        return 0;
    }
    const size_t bytes = 4096;
    void* memory[2];
    cudaStream_t stream[2];
    cudaEvent_t event[2];
    for (int d = 0; d < 2; ++d) {
        cudaSetDevice(d);
        cudaMalloc(&memory[d], bytes);
        cudaStreamCreate(&stream[d]);
        cudaEventCreate(&event[d]);
    }
    cudaSetDevice(0);

    EXPECT(cudaSetDevice(devices), cudaErrorInvalidDevice);
    EXPECT(cudaDeviceCanAccessPeer(&value, 0, 0), cudaSuccess);
    expect(value, 0, "access to oneself");
    EXPECT(cudaDeviceCanAccessPeer(&value, 0, devices), cudaErrorInvalidDevice);
    EXPECT(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
    EXPECT(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);
    EXPECT(cudaDeviceEnablePeerAccess(devices, 0), cudaErrorInvalidDevice);
    EXPECT(cudaDeviceEnablePeerAccess(1, 1), cudaErrorInvalidValue);
    EXPECT(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
    EXPECT(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
    EXPECT(cudaDeviceDisablePeerAccess(1), cudaSuccess);
    EXPECT(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1), cudaSuccess);
    EXPECT(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 1, 1),
           cudaErrorInvalidDevice);

    EXPECT(cudaMemcpyPeer(memory[1], 1, memory[0], 0, bytes), cudaSuccess);
    EXPECT(cudaMemcpyPeer(memory[1], 0, memory[0], 0, bytes), cudaSuccess);
    EXPECT(cudaMemcpyPeer(memory[1], devices, memory[0], 0, bytes), cudaErrorInvalidDevice);
    EXPECT(cudaMemcpy(memory[1], memory[0], bytes, cudaMemcpyDeviceToDevice), cudaSuccess);
    EXPECT(cudaMemcpy(memory[1], memory[0], bytes, cudaMemcpyDefault), cudaSuccess);
    expect(owner(memory[1]), 1, "owner");

    // Device 0 is current: what may go into a stream of device 1?
    EXPECT(launch(stream[1]), cudaSuccess);
    EXPECT(cudaMemcpyAsync(memory[1], memory[0], bytes, cudaMemcpyDefault, stream[1]), cudaSuccess);
    EXPECT(cudaMemsetAsync(memory[1], 0, bytes, stream[1]), cudaSuccess);
    EXPECT(cudaEventRecord(event[0], stream[1]), cudaErrorInvalidResourceHandle);
    EXPECT(cudaEventRecord(event[1], stream[1]), cudaSuccess);
    EXPECT(cudaEventRecord(event[0], stream[0]), cudaSuccess);
    EXPECT(cudaStreamWaitEvent(stream[1], event[0], 0), cudaSuccess);
    EXPECT(cudaStreamSynchronize(stream[1]), cudaSuccess);
    EXPECT(cudaEventSynchronize(event[1]), cudaSuccess);
    float milliseconds = 0;
    EXPECT(cudaEventElapsedTime(&milliseconds, event[0], event[1]), cudaErrorInvalidResourceHandle);
    void* taken = nullptr;
    EXPECT(cudaMallocAsync(&taken, bytes, stream[1]), cudaSuccess);
    expect(owner(taken), 1, "owner of what a stream of device 1 gave");

    EXPECT(cudaFreeAsync(taken, stream[1]), cudaSuccess);

    printf("%d calls, %s\n", calls, wrong == 0 ? "as expected" : "some otherwise");
    return wrong != 0;
}
