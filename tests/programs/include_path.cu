// A kernel and a launch in a header that -I finds; a header reached on two ways is one.
// WITH -Iinclude
// RUN => 0 first 7 last 70
#include "once.h"
#include <launcher.h>
#include <cstdio>
int main()
{
    int* x;
    cudaMallocManaged(&x, 64 * sizeof(int));
    for (int i = 0; i < 64; ++i) x[i] = i;
    launch_add(x, 2, Once{7});
    cudaDeviceSynchronize();
    printf("first %d last %d\n", x[0], x[63]);
}
// SLOW
