// Threads of the host by OpenMP, each with its own launches.
// WITH -fopenmp
// RUN => 0 threads 4, all right
#include <cstdio>
#include <omp.h>
__global__ void scale(int* x, int f) { x[threadIdx.x] *= f; }
int main()
{
    int* x;
    cudaMallocManaged(&x, 4 * 32 * sizeof(int));
    for (int i = 0; i < 128; ++i) x[i] = i;
    int threads = 0;
#pragma omp parallel num_threads(4)
    {
        const int id = omp_get_thread_num();
        scale<<<1, 32>>>(x + 32 * id, id + 1);
        cudaDeviceSynchronize();
#pragma omp atomic
        ++threads;
    }
    bool right = true;
    for (int i = 0; i < 128; ++i) right = right && x[i] == i * (i / 32 + 1);
    printf("threads %d, all %s\n", threads, right ? "right" : "wrong");
}
