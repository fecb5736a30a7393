// A cooperative launch for whose blocks the host has no threads, or no memory, ends with a sentence.
// RUN => 6 kernel wait .*each of the 132 needs a thread of the host, which has not enough for more than \d+ \(.*\)\. Launch fewer
#include <cooperative_groups.h>
#include <cstdio>
#include <sys/resource.h>
#include <unistd.h>
__global__ void wait() { cooperative_groups::this_grid().sync(); }
int main()
{
    cudaFree(0);
    long pages = 0;
    FILE* const sizes = fopen("/proc/self/statm", "r");
    if (sizes == nullptr || fscanf(sizes, "%ld", &pages) != 1) return 1;
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = pages * sysconf(_SC_PAGESIZE) + (rlim_t{1} << 30); // 1 GiB more than now
    if (setrlimit(RLIMIT_AS, &limit) != 0) return 1;
    cudaLaunchCooperativeKernel((void*)wait, dim3(132), dim3(32), nullptr, 0, 0);
    cudaDeviceSynchronize();
}
