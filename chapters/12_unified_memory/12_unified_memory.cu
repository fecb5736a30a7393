// 12_unified_memory: What does managed memory cost compared with explicit copies?
//
// A matrix sum, c = a + b, one phase per row (job.cuh): the host writes a and b, the device adds,
// the host reads c (matrix_sum.cuh). Explicit copies move the data as in chapter 04; managed memory
// migrates a page when it is accessed.

#include "job.cuh"
#include "matrix_sum.cuh"

#include <set>
#include <string>
#include <vector>

//! [copies]
void copy_in(const Problem& p, cudaStream_t stream)
{
    const std::size_t bytes = p.n * sizeof(float);
    CHECK_CUDA(cudaMemcpyAsync(p.a, p.host_a, bytes, cudaMemcpyHostToDevice, stream));
    CHECK_CUDA(cudaMemcpyAsync(p.b, p.host_b, bytes, cudaMemcpyHostToDevice, stream));
}

void copy_out(const Problem& p, cudaStream_t stream)
{
    CHECK_CUDA(cudaMemcpyAsync(p.host_c, p.c, p.n * sizeof(float), cudaMemcpyDeviceToHost, stream));
}
//! [copies]

//! [static]
// A variable in managed memory: the host assigns it, kernels read it, and no call copies it.
__managed__ std::size_t managed_columns;

__global__ void add_static(const float* a, const float* b, float* c, std::size_t n)
{
    add_element(a, b, c, managed_columns, n);
}
//! [static]

//! [launch_static]
void launch_add_static(const Problem& p, cudaStream_t stream)
{
    CHECK_CUDA(cudaStreamSynchronize(stream)); // a kernel may still be reading it
    managed_columns = columns_of(p.n);
    add_static<<<grid_of(p.n), block, 0, stream>>>(p.a, p.b, p.c, p.n);
}
//! [launch_static]

//! [ways]
// How the data reaches the other side, and the phases that become rows.
struct Way
{
    const char* name;
    std::vector<const char*> phases;
    Queue launch;
    Queue to_device = nullptr; // null: pages migrate on faults
    Queue to_host = nullptr;
};

const Way ways[] = {
    {.name = "explicit",
     .phases = {"initialise", "host_sum", "transfer", "kernel", "host_read", "total",
                "total_of_16"},
     .launch = launch_add,
     .to_device = copy_in,
     .to_host = copy_out},
    {.name = "managed",
     .phases = {"initialise", "host_sum", "kernel", "kernel_again", "host_read", "total",
                "total_of_16"},
     .launch = launch_add},
    {.name = "managed_static", .phases = {"kernel_again"}, .launch = launch_add_static},
};
//! [ways]

//! [rows]
// The rows that run without --full: the others show nothing new and take seconds each.
const std::set<std::string> usual = {"explicit total", "managed kernel", "managed total"};

void run(common::Chapter& chapter, const Way& way, Problem& source, bool all_phases)
{
    const bool copies = way.to_device != nullptr;
    Problem p(chapter, copies ? common::MemoryKind::pinned : common::MemoryKind::managed, source.n);
    std::ptrdiff_t zeros = 0;
    const Job job = {.arrays = p,
                     .write = [&](const Problem& to) { initialise(to, source); },
                     .to_device = way.to_device,
                     .kernel = way.launch,
                     .to_host = way.to_host,
                     .read = [&](const Problem& from) { zeros = count_zeros(from); },
                     .add_on_host = add_on_host};
    for (const std::string phase : way.phases) {
        if (!all_phases && phase != "total") {
            continue;
        }
        run_phase(chapter,
                  {.name = way.name,
                   .threads = block.x * block.y,
                   .full_only = !usual.contains(way.name + (" " + phase)),
                   .setup = [&] { source.allocate(); }},
                  job, phase);
    }
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    const std::vector<std::size_t> sizes = chapter.sizes({.gpu = {1u << 20, 1u << 24},
                                                          .cpu = {1u << 14, 1u << 18},
                                                          .default_sizes = {1u << 24},
                                                          .bytes_per_element = 9 * sizeof(float)});
    for (std::size_t n : sizes) {
        Problem source(chapter, common::MemoryKind::pageable, n);
        for (const Way& way : ways) {
            run(chapter, way, source, n == sizes.back());
        }
    }
    return chapter.finish();
}
