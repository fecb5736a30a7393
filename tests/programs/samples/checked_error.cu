// A program that ends at a call that failed learns why it did.
// RUN => 1 (?s)invalid argument, line 11\n.*Warning: a call of the runtime at checked_error.cu:11 returned.*smaller\sthan\sthe\scopy\)\.\n
#include <cstdio>
#include <cstdlib>
#define CHECK(call) \
    if (cudaError_t status = call) \
        printf("%s, line %d\n", cudaGetErrorString(status), __LINE__), exit(1)
int main()
{
    float *d, h[100]; CHECK(cudaMalloc(&d, 100));
    CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
}
