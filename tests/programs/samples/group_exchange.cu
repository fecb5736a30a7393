// Groups exchange values of 16 and 32 bytes, and part by label.
// RUN => 0 vector 1 31, wide 496, odd lanes 16 sum 256, thirds 11 11 10
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
namespace cg = cooperative_groups;
struct Wide { double a, b, c; int d; };
struct AddWide { __device__ Wide operator()(Wide x, Wide y) const { return {x.a + y.a, x.b, x.c, x.d}; } };
__global__ void k(uint4* vectors, double* wide, int* labelled)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    uint4 v = make_uint4(threadIdx.x, 1, 2, 3);
    vectors[threadIdx.x] = tile.shfl_xor(v, 1);
    const Wide sum = cg::reduce(tile, Wide{double(threadIdx.x), 1, 2, 3}, AddWide());
    if (tile.thread_rank() == 0) *wide = sum.a;
    auto half = cg::binary_partition(tile, threadIdx.x % 2 == 1);
    const int total = cg::reduce(half, int(threadIdx.x), cg::plus<int>());
    if (threadIdx.x == 1) { labelled[0] = half.size(); labelled[1] = total; }
    auto third = cg::labeled_partition(tile, threadIdx.x % 3);
    if (third.thread_rank() == 0) labelled[2 + threadIdx.x] = third.num_threads();
}
int main()
{
    uint4* v;
    double* w;
    int* l;
    cudaMallocManaged(&v, 32 * sizeof *v);
    cudaMallocManaged(&w, sizeof *w);
    cudaMallocManaged(&l, 5 * sizeof *l);
    k<<<1, 32>>>(v, w, l);
    cudaDeviceSynchronize();
    printf("vector %u %u, wide %g, odd lanes %d sum %d, thirds %d %d %d\n", v[0].x, v[30].x, *w, l[0], l[1], l[2], l[3], l[4]);
}
