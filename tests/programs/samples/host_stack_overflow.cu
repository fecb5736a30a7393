// A local array of the host that its stack cannot hold.
// RUN => -11 Host code (writes to|reads from|uses) 0x[0-9a-f]+, where the program has no memory: .* local array that is larger than its stack
#include <cstdio>
__global__ void first(const int* x) { printf("%d\n", x[0]); }
__attribute__((noinline)) int sum_of(volatile int* x, int n)
{
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += x[i] = i;
    return sum;
}
int main()
{
    constexpr int n = 1 << 26; // 256 MiB
    int numbers[n];
    printf("%d\n", sum_of(numbers, n));
    first<<<1, 1>>>(numbers);
}
