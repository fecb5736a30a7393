// Bins in shared memory, added to the result with one atomic a bin and block.
// RUN => 0 histogram of 65536 bytes: ok
#include <cstdio>
#include <vector>

__global__ void histogram(const unsigned char* data, int size, unsigned int* bins)
{
    __shared__ unsigned int local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    const int stride = blockDim.x * gridDim.x;
    while (i < size) {
        atomicAdd(&local[data[i]], 1);
        i += stride;
    }
    __syncthreads();
    atomicAdd(&(bins[threadIdx.x]), local[threadIdx.x]);
}

__global__ void extremes(const unsigned int* bins, unsigned int* least, unsigned int* most)
{
    atomicMin(least, bins[threadIdx.x]);
    atomicMax(most, bins[threadIdx.x]);
}

int main()
{
    const int size = 1 << 16;
    std::vector<unsigned char> data(size);
    for (int i = 0; i < size; ++i)
        data[i] = (unsigned char)((i * 2654435761u) >> 24);
    std::vector<unsigned int> expected(256), bins(256);
    for (unsigned char c : data)
        expected[c]++;

    unsigned char* d_data;
    unsigned int *d_bins, *d_range;
    cudaMalloc((void**)&d_data, size);
    cudaMalloc((void**)&d_bins, 256 * sizeof(unsigned int));
    cudaMalloc((void**)&d_range, 2 * sizeof(unsigned int));
    cudaMemset(d_bins, 0, 256 * sizeof(unsigned int));
    cudaMemset(d_range, 0xff, sizeof(unsigned int));
    cudaMemset(d_range + 1, 0, sizeof(unsigned int));
    cudaMemcpy(d_data, data.data(), size, cudaMemcpyHostToDevice);
    histogram<<<16, 256>>>(d_data, size, d_bins);
    extremes<<<1, 256>>>(d_bins, d_range, d_range + 1);
    cudaMemcpy(bins.data(), d_bins, 256 * sizeof(unsigned int), cudaMemcpyDeviceToHost);
    unsigned int range[2];
    cudaMemcpy(range, d_range, sizeof(range), cudaMemcpyDeviceToHost);
    bool ok = bins == expected && range[0] <= size / 256 && range[1] >= size / 256;
    printf("histogram of %d bytes: %s\n", size, ok ? "ok" : "WRONG");
    return ok ? 0 : 1;
}
