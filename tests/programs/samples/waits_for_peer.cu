// A kernel that waits for what a kernel of another device writes.
// RUN MOVING_BYTES_DEVICES=2 MOVING_BYTES_PATIENCE=1 => 6 kernel wait_for .*on device 0, .*at waits_for_peer.cu:5: .*kernels of several devices, too, run here one after the other.*an event of the other device
__global__ void wait_for(volatile int* flag)
{
    while (*flag == 0)
        ;
}

__global__ void set(int* flag) { *flag = 1; }

int main()
{
    int* flag;
    cudaMalloc(&flag, sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    wait_for<<<1, 1>>>(flag);
    cudaSetDevice(1);
    cudaDeviceEnablePeerAccess(0, 0);
    set<<<1, 1>>>(flag);
    return cudaDeviceSynchronize();
}
