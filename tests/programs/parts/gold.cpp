#include <cuda_runtime.h>
#include <numeric>
#include <vector>
int gold(const std::vector<int>& values)
{
    int device = -1;
    return cudaGetDevice(&device) == cudaSuccess ? std::accumulate(values.begin(), values.end(), device) : -1;
}
