// A GPU has __device__ and __constant__ variables of its own; here all devices have the same ones, and that is said.
// RUN => 0 ^one device(?![^$]*the CPU device has one)
// RUN MOVING_BYTES_DEVICES=2 => 0 two devices[^$]*cudaMemcpyToSymbol\(\) on device 1 overwrites what device 0 was given: the CPU device has one such variable
// RUN MOVING_BYTES_DEVICES=2 => 0 kernel count .* on device 0, block \(0, 0, 0\), thread \(0, 0, 0\): writes a __device__ variable: the CPU device has one for all devices
__constant__ float factor;
__device__ int counter;

__global__ void count() { atomicAdd(&counter, 1); }

int main()
{
    int devices;
    cudaGetDeviceCount(&devices);
    printf(devices == 1 ? "one device\n" : "two devices\n");
    for (int d = 0; d < devices; ++d) {
        cudaSetDevice(d);
        float value = 1.0f + d;
        cudaMemcpyToSymbol(factor, &value, sizeof value);
        count<<<1, 32>>>();
    }
    return cudaDeviceSynchronize();
}
