// Interval arithmetic with the rounding modes of single instructions.
// RUN => 0 0.1 is inside its tenth: yes, widths grow: yes, root inside: yes, down 16777216 up 16777218
#include <cstdio>
struct Interval { double low, high; };
__device__ Interval operator+(Interval a, Interval b) { return {__dadd_rd(a.low, b.low), __dadd_ru(a.high, b.high)}; }
__device__ Interval over(double a, double b) { return {__ddiv_rd(a, b), __ddiv_ru(a, b)}; }
__device__ Interval root(Interval a) { return {__dsqrt_rd(a.low), __dsqrt_ru(a.high)}; }
__global__ void k(Interval* out, float* bounds)
{
    const Interval tenth = over(1, 10);
    Interval sum = tenth;
    for (int i = 1; i < 10; ++i) sum = sum + tenth;
    out[0] = tenth;
    out[1] = sum;
    out[2] = root(Interval{2, 2});
    bounds[0] = __fadd_rd(16777216.0f, 1.0f);
    bounds[1] = __fadd_ru(16777216.0f, 1.0f);
}
int main()
{
    Interval* i;
    float* b;
    cudaMallocManaged(&i, 3 * sizeof *i);
    cudaMallocManaged(&b, 2 * sizeof *b);
    k<<<1, 1>>>(i, b);
    cudaDeviceSynchronize();
    const bool inside = i[0].low < 0.1 + 1e-18 && i[0].low < i[0].high && i[0].low <= 0.1 && 0.1 <= i[0].high;
    const bool grows = i[1].low <= 1 && 1 <= i[1].high && i[1].high - i[1].low > i[0].high - i[0].low;
    const bool root = i[2].low * i[2].low <= 2 && i[2].high * i[2].high >= 2 && i[2].low < i[2].high;
    printf("0.1 is inside its tenth: %s, widths grow: %s, root inside: %s, down %.0f up %.0f\n", inside ? "yes" : "no", grows ? "yes" : "no", root ? "yes" : "no", b[0], b[1]);
}
