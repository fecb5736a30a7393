// clock() and clock64() in a kernel go on as the device's clock rate says.
// RUN => 0 waited true, elapsed true
#include <cstdio>
__global__ void wait(clock_t ticks, long long* elapsed, long long* nanoseconds)
{
    unsigned long long begin_ns, end_ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin_ns));
    const long long begin64 = clock64();
    const clock_t begin = clock();
    while (clock() - begin < ticks) {}
    elapsed[threadIdx.x] = clock64() - begin64;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(end_ns));
    nanoseconds[threadIdx.x] = end_ns - begin_ns;
}
int main()
{
    int khz = 0;
    cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0);
    long long *elapsed, *nanoseconds;
    cudaMallocManaged(&elapsed, 64 * sizeof *elapsed);
    cudaMallocManaged(&nanoseconds, 64 * sizeof *nanoseconds);
    wait<<<1, 64>>>(khz, elapsed, nanoseconds); // a millisecond, for all threads at a time
    cudaDeviceSynchronize();
    const double milliseconds = double(elapsed[0]) / khz;
    printf("waited %s, elapsed %s\n", milliseconds >= 1 && elapsed[63] >= khz ? "true" : "false",
           nanoseconds[0] >= 990000 ? "true" : "false");
}
