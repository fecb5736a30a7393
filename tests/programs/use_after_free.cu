__global__ void increment(int* x) { ++*x; }

int main()
{
    int* x;
    cudaMalloc(&x, sizeof(int));
    cudaFree(x);
    increment<<<1, 1>>>(x);
    cudaDeviceSynchronize();
    return 0;
}
