// What does not compile is said in a sentence or two, at the line of the program.
// COMPILE => 1 ^[^\n]*old_shuffle.cu:3: __shfl_down\(\) has left CUDA: write __shfl_down_sync\(\)
__global__ void k(int* x) { *x = __shfl_down(*x, 1); }
int main() { k<<<1, 32>>>(nullptr); }
