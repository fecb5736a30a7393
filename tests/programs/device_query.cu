// What is this device? And a program's own exit status stays its own.
// RUN => 42 Device 0: "..+", compute capability [0-9]+\.[0-9]
// RUN => 42 0 kernel launches
// RUN MOVING_BYTES_JSON=/no/such/folder/results => 42 Cannot write
#include <cstdio>

int main()
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
        printf("no device\n");
        return 1;
    }
    for (int dev = 0; dev < count; ++dev) {
        cudaDeviceProp prop;
        cudaSetDevice(dev);
        cudaGetDeviceProperties(&prop, dev);
        printf("Device %d: \"%s\", compute capability %d.%d\n", dev, prop.name, prop.major,
               prop.minor);
        printf("  global memory %.0f MB, shared memory %zu bytes a block, %d registers a block\n",
               prop.totalGlobalMem / 1048576.0, prop.sharedMemPerBlock, prop.regsPerBlock);
        printf("  warp %d, threads a block %d, a dimension (%d, %d, %d), grid (%d, %d, %d)\n",
               prop.warpSize, prop.maxThreadsPerBlock, prop.maxThreadsDim[0],
               prop.maxThreadsDim[1], prop.maxThreadsDim[2], prop.maxGridSize[0],
               prop.maxGridSize[1], prop.maxGridSize[2]);
        printf("  multiprocessors %d, L2 %d bytes, bus %d bits, concurrent kernels %s\n",
               prop.multiProcessorCount, prop.l2CacheSize, prop.memoryBusWidth,
               prop.concurrentKernels ? "yes" : "no");
        if (prop.warpSize != 32 || prop.maxThreadsPerBlock != 1024)
            return 1;
    }
    size_t free_bytes = 0, total_bytes = 0;
    cudaMemGetInfo(&free_bytes, &total_bytes);
    return free_bytes > 0 && free_bytes <= total_bytes ? 42 : 1;
}
