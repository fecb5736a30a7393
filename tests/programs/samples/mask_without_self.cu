// A lane that passes a mask in which it is not.
// RUN => 6 thread \(16, 0, 0\): passes the mask 0x0000ffff to the warp-wide operation of mask_without_self.cu:3, but is lane 16 and not in it
__global__ void k(int* x) { x[threadIdx.x] = __shfl_xor_sync(0xffff, x[threadIdx.x], 1); }
int main()
{
    int* x;
    cudaMalloc(&x, 128);
    k<<<1, 32>>>(x);
}
