// What the host may use, it may not use any longer: not the advice that device memory gets.
// RUN => 6 Host code reads from memory inside freed allocation 1 \(400 bytes\)\.\n
int main()
{
    int* x;
    cudaMallocHost(&x, 400);
    cudaFreeHost(x);
    return x[3];
}
