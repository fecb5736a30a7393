// A kernel takes an object of managed memory by reference.
// RUN => 0 \A8\n
// RUN MOVING_BYTES_COUNT=1 => 0 \A8\n
#include <cstdio>
struct E { int value; };
__global__ void k(E& e) { e.value++; }
int main()
{
    E* e;
    cudaMallocManaged(&e, sizeof *e);
    e->value = 7;
    k<<<1, 1>>>(*e);
    cudaDeviceSynchronize();
    printf("%d\n", e->value);
}
