// 13_prefetch_and_advice: What do prefetch and advice give back of what managed memory costs?
//
// The matrix sum of chapter 12 in managed memory, step by step. Pages need not wait until somebody
// touches them: a prefetch moves them ahead, and advice says what to do when they are touched.

#include "common/chapter.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

using Problem = common::HostVectorAdd;
using Queue = void (*)(const Problem&, cudaStream_t);

//! [prefetch]
void prefetch_in(const Problem& p, cudaStream_t stream)
{
    for (float* array : {p.a, p.b, p.c}) {
        common::prefetch(array, p.n * sizeof(float), common::device_place(), stream);
    }
}

void prefetch_out(const Problem& p, cudaStream_t stream)
{
    common::prefetch(p.c, p.n * sizeof(float), common::host_place(), stream);
}
//! [prefetch]

//! [advice]
// The inputs are only read: each side may have a copy of its own.
void advise_read_mostly(const Problem& p)
{
    for (float* array : {p.a, p.b}) {
        CHECK_CUDA(cudaMemAdvise(array, p.n * sizeof(float), cudaMemAdviseSetReadMostly,
                                 common::device_place()));
    }
}

// Everything stays on the host, mapped for the device: chapter 11's way.
void advise_stay(const Problem& p)
{
    for (float* array : {p.a, p.b, p.c}) {
        const std::size_t bytes = p.n * sizeof(float);
        CHECK_CUDA(
            cudaMemAdvise(array, bytes, cudaMemAdviseSetPreferredLocation, common::host_place()));
        CHECK_CUDA(cudaMemAdvise(array, bytes, cudaMemAdviseSetAccessedBy, common::device_place()));
    }
}
//! [advice]

//! [same]
// The host's part, and the kernel with its launch: those of chapter 12.
void initialise(const Problem& p, const Problem& source)
{
    std::copy_n(source.host_a, p.n, p.host_a);
    std::copy_n(source.host_b, p.n, p.host_b);
}

void add_on_host(const Problem& p)
{
    for (std::size_t i = 0; i < p.n; ++i) {
        p.host_c[i] = p.host_a[i] + p.host_b[i];
    }
}

std::ptrdiff_t count_zeros(const Problem& p)
{
    return std::count(p.host_c, p.host_c + p.n, 0.0f);
}

// A matrix of n elements in rows of `columns`; the last row may be shorter.
__global__ void add(const float* a, const float* b, float* c, std::size_t columns, std::size_t n)
{
    const std::size_t column = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t row = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    const std::size_t i = row * columns + column;
    if (column < columns && i < n) {
        c[i] = a[i] + b[i];
    }
}

// As square as it gets.
std::size_t columns_of(std::size_t n)
{
    return static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(n))));
}

const dim3 block(32, 8);

dim3 grid_of(std::size_t n)
{
    const std::size_t columns = columns_of(n);
    return {common::blocks(columns, block.x), common::blocks((n + columns - 1) / columns, block.y)};
}

void launch_add(const Problem& p, cudaStream_t stream)
{
    add<<<grid_of(p.n), block, 0, stream>>>(p.a, p.b, p.c, columns_of(p.n), p.n);
}
//! [same]

//! [ways]
struct Way
{
    const char* name;
    std::vector<const char*> phases;
    Queue to_device = nullptr; // pages move by themselves
    Queue to_host = nullptr;
    void (*advise)(const Problem&) = nullptr;
};

const Way ways[] = {
    {.name = "managed_prefetch",
     .phases = {"host_sum", "transfer", "kernel", "host_read", "total", "total_of_16"},
     .to_device = prefetch_in,
     .to_host = prefetch_out},
    {.name = "managed_read_mostly",
     .phases = {"host_sum", "kernel", "total"},
     .to_device = prefetch_in,
     .to_host = prefetch_out,
     .advise = advise_read_mostly},
    {.name = "managed_stay", .phases = {"host_sum", "kernel", "total"}, .advise = advise_stay},
};
//! [ways]

//! [rows]
// What shows the difference, and takes some seconds each.
const std::set<std::string> usual = {"managed_prefetch total", "managed_stay total"};

void run(common::Chapter& chapter, const Way& way, Problem& source, bool all_phases)
{
    Problem p(chapter, common::Space::managed, source.n);
    const auto missing = [] {
        return common::concurrent_managed_access() ? "" : "needs concurrent managed access";
    };
    std::ptrdiff_t zeros = 0;
    const common::Job job = {.arrays = p,
                             .write = [&](const Problem& to) { initialise(to, source); },
                             .to_device = way.to_device,
                             .kernel = launch_add,
                             .to_host = way.to_host,
                             .read = [&](const Problem& from) { zeros = count_zeros(from); },
                             .add_on_host = add_on_host};
    bool advised = way.advise == nullptr;
    for (const std::string phase : way.phases) {
        if (!all_phases && phase != "total") {
            continue;
        }
        const auto setup = [&] {
            source.allocate();
            std::exchange(advised, true) ? void() : way.advise(p);
        };
        common::run_phase(chapter,
                          {.name = way.name,
                           .threads = block.x * block.y,
                           .unavailable = missing,
                           .full = !usual.contains(way.name + (" " + phase)),
                           .setup = setup},
                          job, phase);
    }
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    const std::vector<std::size_t> sizes = chapter.sizes({.gpu = {1u << 20, 1u << 24},
                                                          .cpu = {1u << 14, 1u << 18},
                                                          .usual = {1u << 24},
                                                          .bytes_per_element = 9 * sizeof(float)});
    for (std::size_t n : sizes) {
        Problem source(chapter, common::Space::pageable, n);
        for (const Way& way : ways) {
            run(chapter, way, source, n == sizes.back());
        }
    }
    return chapter.finish();
}
