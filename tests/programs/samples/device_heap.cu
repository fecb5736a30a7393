// new, delete, malloc and free in kernels; the heap's limit.
// RUN => 0 sums 2016 2016, exhausted 1, limit 8388608
#include <cstdio>
#include <cstdlib>
struct Vector
{
    int size, *data;
    __device__ Vector(int n) : size(n), data(new int[n]) { for (int i = 0; i < n; ++i) data[i] = i; }
    __device__ ~Vector() { delete[] data; }
    __device__ int sum() const { int s = 0; for (int i = 0; i < size; ++i) s += data[i]; return s; }
};
__global__ void create(Vector** v) { if (threadIdx.x == 0) *v = new Vector(64); }
__global__ void use(Vector** v, int* out) { if (threadIdx.x == 0) out[0] = (*v)->sum(); }
__global__ void destroy(Vector** v) { if (threadIdx.x == 0) delete *v; }
__global__ void scratch(int* out)
{
    int* mine = (int*)malloc(2 * sizeof(int));
    mine[0] = threadIdx.x;
    mine[1] = mine[0];
    atomicAdd(out + 1, mine[1]);
    free(mine);
}
__global__ void exhaust(int* out) { out[2] = malloc(1 << 30) == nullptr; }
int main()
{
    Vector** v;
    int* out;
    size_t limit;
    cudaMalloc(&v, sizeof *v);
    cudaMallocManaged(&out, 3 * sizeof(int));
    out[1] = 0;
    create<<<1, 32>>>(v);
    use<<<1, 32>>>(v, out);
    destroy<<<1, 32>>>(v);
    scratch<<<1, 64>>>(out);
    exhaust<<<1, 1>>>(out);
    cudaDeviceSynchronize();
    cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize);
    printf("sums %d %d, exhausted %d, limit %zu\n", out[0], out[1], out[2], limit);
}
