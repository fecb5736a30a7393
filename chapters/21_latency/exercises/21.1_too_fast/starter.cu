// 21.1: Keep the loads dependent
//
// One thread walks through a table of cache lines, to measure the latency of a load as the page
// does. It arrives where it should, and what it has read is right. But where its hops are timed on
// a GPU, one takes far less than what the page has measured: the loads of this walk do not wait
// for each other. Find out why not, and fix the walk. The table is right as it is, and a hop reads
// its link once.

#include <cstddef>

constexpr unsigned lines = 1u << 16; // of a table
constexpr unsigned words = 32;       // of a line; the first says which line comes next

// The links of every table: a walk along them comes to each line once before it is back.
__host__ __device__ unsigned next_line(unsigned i)
{
    return (1664525u * i + 1) % lines;
}

__global__ void link(unsigned* table)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    table[i * words] = next_line(i);
}

// Written is where the walk has arrived and, joined, all links that it has read: numbers that a
// float holds exactly.
__global__ void chase(const unsigned* table, float* c, unsigned hops)
{
    unsigned i = 0;
    unsigned seen = 0;
    for (unsigned hop = 0; hop < hops; ++hop) {
        seen ^= table[i * words]; // what is not used, the compiler takes away
        i = next_line(i);
    }
    c[0] = static_cast<float>(i);
    c[1] = static_cast<float>(seen);
}

// The check calls both, with arrays in device memory. It wants to know how the walk finds its way.
void make_table(unsigned* table)
{
    link<<<lines / 256, 256>>>(table);
}
void walk(const unsigned* table, float* c, unsigned hops)
{
    chase<<<1, 1>>>(table, c, hops);
}
