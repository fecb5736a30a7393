// The array that an access is meant for is the one that its instruction used before, and the lines of both are told.
// RUN => 6 reads 8 bytes at 0x[0-9a-f]+, \d+ bytes past the end of allocation 1 \(400000 bytes\)\. That is the access of past_an_array\.cu:5; allocation 1 is the one of past_an_array\.cu:10\.\n
#include <cstdio>
__global__ void get(float** v, float* o, int s) {
    o[threadIdx.x] = v[threadIdx.x * s] != nullptr;
}
int main()
{
    float **v, *o, *other;
    cudaMalloc(&v, 400000); cudaMalloc(&other, 8192); cudaMalloc(&o, 4096);
    cudaMemset(v, 0, 400000);
    get<<<1, 256>>>(v, o, 1 << 19);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
