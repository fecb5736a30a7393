// PTX beyond the reading of a register and an access with a cache hint.
// COMPILE => 1 ptx_refused\.cu:6: inline PTX cannot run on the CPU device
__global__ void vote(unsigned* x)
{
    unsigned lanes;
    asm volatile("vote.sync.ballot.b32 %0, 1, 0xffffffff;" : "=r"(lanes));
    x[threadIdx.x] = lanes;
}

int main() { vote<<<1, 32>>>(nullptr); }
