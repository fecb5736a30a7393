// The headers and handles of libraries, none of which computes, stop nothing.
// RUN => 0 sum 496, status success
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>
#include <cusolverDn.h>
#include <cusparse.h>
#include <cstdio>
static const char* name_of(cublasStatus_t status) { switch (status) { case CUBLAS_STATUS_SUCCESS: return "success"; default: return "error"; } }
static const char* name_of(cufftResult status) { return status == CUFFT_SUCCESS ? "success" : "error"; }
__global__ void sum(int* out) { atomicAdd(out, threadIdx.x); }
void by_library(cublasHandle_t handle, const float* a, const float* b, float* c, int n)
{
    const float one = 1, zero = 0;
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, a, n, b, n, &zero, c, n);
}
int main(int argc, char** argv)
{
    cublasHandle_t handle;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cublasStatus_t status = cublasCreate(&handle);
    cublasSetStream(handle, stream);
    cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH);
    int* out;
    cudaMallocManaged(&out, sizeof(int));
    *out = 0;
    if (argc > 1) by_library(handle, nullptr, nullptr, nullptr, 1);
    sum<<<1, 32, 0, stream>>>(out);
    cudaStreamSynchronize(stream);
    printf("sum %d, status %s\n", *out, name_of(status));
    cublasDestroy(handle);
}
