// 21.1: Keep the loads dependent
//
// One thread chases pointers through a table of cache lines, to measure the latency of a load as
// on the page. It arrives at the right line and reads the right values. But timed on a GPU, a hop
// takes far less than on the page: the loads of this chase do not wait for each other. Find out
// why, and fix the chase. The table is right, and each hop must read its link once.

#include <cstddef>

constexpr unsigned lines = 1u << 16; // of a table
constexpr unsigned words = 32;       // of a line; the first says which line comes next

// The link of line i. Following the links visits every line once before it returns to the first.
__host__ __device__ unsigned next_line(unsigned i)
{
    return (1664525u * i + 1) % lines;
}

__global__ void link(unsigned* table)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    table[i * words] = next_line(i);
}

// Stores the line where the chase has arrived, and the XOR of all links that it has read: numbers
// that a float holds exactly.
__global__ void chase(const unsigned* table, float* c, unsigned hops)
{
    unsigned i = 0;
    unsigned seen = 0;
    for (unsigned hop = 0; hop < hops; ++hop) {
        seen ^= table[i * words]; // the compiler would remove an unused load
        i = next_line(i);
    }
    c[0] = static_cast<float>(i);
    c[1] = static_cast<float>(seen);
}

// The check calls both, with arrays in device memory, and tests where the chase gets its links.
void make_table(unsigned* table)
{
    link<<<lines / 256, 256>>>(table);
}
void walk(const unsigned* table, float* c, unsigned hops)
{
    chase<<<1, 1>>>(table, c, hops);
}
