// A kernel that waits for what the host writes after the launch.
// RUN MOVING_BYTES_PATIENCE=1 => 6 kernel wait_for .*at waits_for_host.cu:3: .*waits for the host
__global__ void wait_for(volatile unsigned* flag) { while (flag[0] < 1) {} }
int main()
{
    unsigned* flag;
    cudaMallocHost(&flag, sizeof *flag);
    *flag = 0;
    wait_for<<<1, 1>>>(flag);
    *flag = 1;
    cudaDeviceSynchronize();
}
