// COMPILE => 1 launches_from_kernel\.cu:5: a kernel launched by a kernel
__global__ void child() {}
__global__ void parent()
{
    child<<<1, 1>>>();
}

int main() { parent<<<1, 1>>>(); }
