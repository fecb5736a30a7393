// COMPILE => 1 inline_ptx\.cu:5: inline PTX cannot run on the CPU device
__global__ void lane(unsigned* x)
{
    unsigned id;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(id));
    x[threadIdx.x] = id;
}

int main() { lane<<<1, 32>>>(nullptr); }
