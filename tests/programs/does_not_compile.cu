// COMPILE => 1 does_not_compile\.cu:[45]:
__global__ void k(int* x)
{
    x[threadIdx.x] = undeclared
}

int main() { k<<<1, 1>>>(nullptr); }
