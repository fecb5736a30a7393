// The first call of a library that would compute ends the program with a sentence.
// RUN => 4 before[^$]*library_call.cu:14: cublasSgemm\(\) computes on a GPU only
#include <cublas_v2.h>
#include <cstdio>
#define CHECK(call) do { if ((call) != CUBLAS_STATUS_SUCCESS) { puts("error"); return 1; } } while (0)
int main()
{
    cublasHandle_t handle;
    CHECK(cublasCreate(&handle));
    float *a, one = 1;
    cudaMalloc(&a, 4 * sizeof(float));
    puts("before");
    fflush(stdout);
    CHECK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, a, 2, a, 2, &one, a, 2));
}
