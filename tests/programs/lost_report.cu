// A report that cannot be written is no success of a program that ends with 0.
// RUN => 0 touch +1 +32 +2
// RUN MOVING_BYTES_JSON=/no/such/folder/results => 2 Cannot write /no/such/folder/results: No such file
// RUN MOVING_BYTES_TRACE=/no/such/trace => 2 (?s)\A(?!.*cannot write.*cannot write).*cannot write '/no/such/trace'
// RUN >/dev/full => 2 Cannot write the table of kernels to standard output: No space left
__global__ void touch(int* x) { x[threadIdx.x] = 1; }

int main()
{
    int* x;
    cudaMalloc(&x, 32 * sizeof(int));
    touch<<<1, 32>>>(x);
    touch<<<1, 32>>>(x);
}
