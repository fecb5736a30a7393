// Helpers of older samples name every error of the runtime.
// RUN => 0 \A0\n
#include <cstdio>
int main()
{
    cudaError_t e = cudaGetLastError();
    switch (e) {
    case cudaErrorMapBufferObjectFailed: puts("map"); break;
    case cudaErrorInvalidTexture: puts("texture"); break;
    default: printf("%d\n", e);
    }
}
