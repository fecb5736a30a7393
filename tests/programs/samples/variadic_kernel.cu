// A template of any number of parameters, with its first argument given and the others deduced.
// RUN => 0 \A30 6 7\n
#include <cstdio>
template<int factor, class... Numbers>
__global__ void total(int* sum, Numbers... numbers)
{
    *sum = 0;
    for (int number : {0, int(numbers)...})
        *sum += factor * number;
}
int main()
{
    int* sum;
    cudaMallocManaged(&sum, 3 * sizeof(int));
    total<3><<<1, 1>>>(sum, 1, 2.5f, 7);
    total<1, int><<<1, 1>>>(sum + 1, 2, 4);
    total<1, int><<<1, 1>>>(sum + 2, 7);
    cudaDeviceSynchronize();
    printf("%d %d %d\n", sum[0], sum[1], sum[2]);
}
