// RUN => 6 increment.*null
__global__ void increment(int* x) { ++*x; }

int main()
{
    increment<<<1, 1>>>(nullptr);
    cudaDeviceSynchronize();
    return 0;
}
