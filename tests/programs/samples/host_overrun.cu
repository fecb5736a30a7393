// A copy that is larger than the host's array: the host's own fault is told, and ends the program as it does elsewhere.
// RUN => -11 Host code (reads from|uses) 0x[0-9a-f]+, where the program has no memory
#include <cstdlib>
int main()
{
    char* device;
    const size_t bytes = size_t{1} << 30;
    cudaMalloc(&device, bytes);
    cudaMemcpy(device, malloc(1), bytes, cudaMemcpyHostToDevice);
}
