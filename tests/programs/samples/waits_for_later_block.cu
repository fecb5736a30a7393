// A block that spins until a later one has written, in a launch that is not cooperative.
// RUN MOVING_BYTES_PATIENCE=1 => 6 kernel wait_for .*at waits_for_later_block.cu:6: .*waits for another block
__global__ void wait_for(int* flag)
{
    if (blockIdx.x + 1 < gridDim.x)
        while (atomicAdd(flag, 0) == 0) {}
    else
        atomicExch(flag, 1);
}
int main()
{
    int* flag;
    cudaMalloc(&flag, sizeof *flag);
    cudaMemset(flag, 0, sizeof *flag);
    wait_for<<<1000, 32>>>(flag);
    cudaDeviceSynchronize();
}
