// What is freed twice, and what the host frees for a kernel.
// RUN => 6 kernel drop .*frees inside freed allocation 1 \(8 bytes\)
__global__ void drop() { void* x = malloc(8); free(x); free(x); }
int main() { drop<<<1, 1>>>(); cudaDeviceSynchronize(); }
