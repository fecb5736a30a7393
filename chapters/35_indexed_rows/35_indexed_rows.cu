// 35_indexed_rows: How fast can rows be moved to where an index says?
//
// Chapter 17 gathers single elements. Rows of a table are what programs look up: the vectors of
// words, the pages of a cache, and on the way back the sums of their gradients.

#include "common/kernels.hpp"

//! [where]
// Row r is where it is.
struct Here
{
    const unsigned* nothing;
    __device__ std::size_t operator()(std::size_t r) const { return r; }
};

// Row r is where its index says.
struct Indexed
{
    const unsigned* index;
    __device__ std::size_t operator()(std::size_t r) const { return index[r]; }
};

// Row r is in a page of 16 rows, and that is where the table of pages says.
struct Paged
{
    const unsigned* page;
    __device__ std::size_t operator()(std::size_t r) const
    {
        return std::size_t{page[r / 16]} * 16 + r % 16;
    }
};
//! [where]

//! [row_a_thread]
// Rows have `width` vectors of 16 bytes. A thread has a row.
template<class From, class To>
__global__ void row_a_thread(From from, To to, const uint4* a, uint4* c, std::size_t rows,
                             unsigned width)
{
    const std::size_t r = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (r < rows) {
        const std::size_t source = from(r) * width;
        const std::size_t target = to(r) * width;
        for (unsigned k = 0; k < width; ++k) {
            c[target + k] = a[source + k];
        }
    }
}
//! [row_a_thread]

//! [vector_a_thread]
// A thread has a vector.
template<class From, class To>
__global__ void vector_a_thread(From from, To to, const uint4* a, uint4* c, std::size_t rows,
                                unsigned width)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t r = i / width;
    if (r < rows) {
        c[to(r) * width + i % width] = a[from(r) * width + i % width];
    }
}
//! [vector_a_thread]

//! [row_a_group]
// A group of neighbouring threads has a row, and each of them two vectors of it on their way.
template<class From, class To>
__global__ void row_a_group(From from, To to, const uint4* a, uint4* c, std::size_t rows,
                            unsigned width, unsigned group)
{
    const std::size_t r = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / group;
    if (r >= rows) {
        return;
    }
    const uint4* source = a + from(r) * width;
    uint4* target = c + to(r) * width;
    unsigned k = threadIdx.x % group;
    for (; k + group < width; k += 2 * group) {
        const uint4 first = source[k];
        const uint4 second = source[k + group];
        target[k] = first;
        target[k + group] = second;
    }
    if (k < width) { // of a row with a vector for each thread
        target[k] = source[k];
    }
}
//! [row_a_group]

//! [add_each]
// The gradient of a look-up: row r is added to where it was looked up. A thread has a float.
__global__ void add_each(const unsigned* index, const float* a, float* c, std::size_t rows,
                         unsigned width)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t r = i / width;
    if (r < rows) {
        atomicAdd(&c[std::size_t{index[r]} * width + i % width], a[i]);
    }
}
//! [add_each]

//! [add_members]
// The same without atomics: a row of the table has a warp, which adds up the rows that looked it
// up. Their numbers are members[begin[v]] to members[begin[v + 1] - 1].
__global__ void add_members(const unsigned* begin, const unsigned* members, const float4* a,
                            float4* c, std::size_t rows, unsigned width)
{
    const std::size_t v = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
    if (v >= rows) {
        return;
    }
    for (unsigned k = threadIdx.x % 32; k < width; k += 32) {
        float4 sum = make_float4(0, 0, 0, 0);
        for (unsigned j = begin[v]; j < begin[v + 1]; ++j) {
            const float4 x = a[std::size_t{members[j]} * width + k];
            sum = make_float4(sum.x + x.x, sum.y + x.y, sum.z + x.z, sum.w + x.w);
        }
        c[v * width + k] = sum;
    }
}
//! [add_members]

//! [rows]
constexpr unsigned block = 128;
using Rows = common::IndexedRows;

template<class From, class To>
void run_moves(common::Chapter& chapter, Rows& p, bool full)
{
    const unsigned width = p.of<uint4>();
    const auto run = [&](common::RowsRow row, std::size_t threads, auto kernel, auto... group) {
        row.threads = block;
        row.full = full;
        const unsigned grid = common::blocks(threads, block);
        common::run_rows(chapter, p, row, [&](cudaStream_t stream) {
            kernel<<<grid, block, 0, stream>>>(From{p.where}, To{p.where}, p.a<uint4>(),
                                               p.c<uint4>(), p.rows, width, group...);
        });
    };
    run({.name = "row_a_thread", .unmodelled = "few threads wait for a vector each, in turn"},
        p.rows, row_a_thread<From, To>);
    run({.name = "vector_a_thread"}, p.rows * width, vector_a_thread<From, To>);
    run({.name = "row_a_warp"}, p.rows * 32, row_a_group<From, To>, 32u);
    const unsigned group = width < 16 ? width : width / 4; // threads with four vectors each
    run({.name = "row_a_group"}, p.rows * group, row_a_group<From, To>, group);
}

void run_sums(common::Chapter& chapter, Rows& p, bool full)
{
    const unsigned floats = common::blocks(p.rows * p.of<float>(), block);
    const unsigned warps = common::blocks(p.rows * 32, block);
    common::RowsRow row{.name = "add_each", .threads = block, .clears = true, .full = full};
    common::run_rows(chapter, p, row, [&](cudaStream_t stream) {
        add_each<<<floats, block, 0, stream>>>(p.where, p.a<float>(), p.c<float>(), p.rows,
                                               p.of<float>());
    });
    row = {.name = "add_members", .threads = block, .full = full};
    common::run_rows(chapter, p, row, [&](cudaStream_t stream) {
        add_members<<<warps, block, 0, stream>>>(p.begin, p.members, p.a<float4>(), p.c<float4>(),
                                                 p.rows, p.of<float4>());
    });
}

void run_width(common::Chapter& chapter, std::size_t n, std::size_t row_bytes)
{
    using common::RowOrder;
    using common::RowTask;
    for (const RowOrder order : {RowOrder::random, RowOrder::sorted}) {
        const bool full = order == RowOrder::sorted;
        Rows rows(chapter, RowTask::look_up, n, row_bytes, order);
        run_moves<Indexed, Here>(chapter, rows, full);
        Rows sums(chapter, RowTask::add_up, n, row_bytes, order);
        run_sums(chapter, sums, full);
    }
    if (row_bytes == 8192) {
        Rows read(chapter, RowTask::read, n, row_bytes, RowOrder::random);
        run_moves<Paged, Here>(chapter, read, false);
        Rows append(chapter, RowTask::append, n, row_bytes, RowOrder::random);
        run_moves<Here, Paged>(chapter, append, false);
        Rows hot(chapter, RowTask::add_up, n, row_bytes, RowOrder::hot);
        run_sums(chapter, hot, true);
    }
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    constexpr std::size_t mib = 1 << 19; // of elements of 16 bits
    for (std::size_t n : chapter.sizes({.gpu = {mib, 16 * mib, 16 * mib + 7 * 4096, 512 * mib},
                         .cpu = {mib},
                         .usual = {512 * mib},
                         .bytes_per_element = 4})) {
        for (const std::size_t row_bytes : {64, 512, 8192}) {
            run_width(chapter, n, row_bytes);
        }
    }
    return chapter.finish();
}
