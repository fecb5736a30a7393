// More shapes than a table should have rows: the rest is one line.
// RUN => 0 and 20 launches in 10 more shapes
// RUN => 0 touch<1> +8 +32 +2 +16 +4\.00
template <int N>
__global__ void touch(int* x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] += N;
}

int main()
{
    int* x;
    cudaMalloc(&x, 1024 * sizeof(int));
    for (int round = 0; round < 2; ++round) {
        touch<1><<<8, 32>>>(x);
        for (int blocks = 1; blocks < 50; ++blocks)
            touch<2><<<blocks % 8 + 1, blocks / 8 + 1>>>(x);
    }
    return 0;
}
