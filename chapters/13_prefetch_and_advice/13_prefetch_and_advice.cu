// 13_prefetch_and_advice: How much of the cost of page faults do prefetch and advice recover?
//
// The matrix sum of chapter 12 in managed memory, one phase per row. A prefetch migrates pages
// before they are accessed; advice tells the driver what to do at their page faults.
//
// advice.cuh  read-mostly pages, and pages that stay in host memory

#include "../12_unified_memory/job.cuh"
#include "../12_unified_memory/matrix_sum.cuh"
#include "advice.cuh"

#include <set>
#include <string>
#include <utility>
#include <vector>

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

//! [ways]
struct Way
{
    const char* name;
    std::vector<const char*> phases;
    Queue to_device = nullptr; // null: pages migrate on faults
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
// The rows that run without --full: the others show nothing new and take seconds each.
const std::set<std::string> usual = {"managed_prefetch total", "managed_stay total"};

void run(common::Chapter& chapter, const Way& way, Problem& source, bool all_phases)
{
    Problem p(chapter, common::MemoryKind::managed, source.n);
    const auto missing = [] {
        return common::concurrent_managed_access() ? "" : "needs concurrent managed access";
    };
    std::ptrdiff_t zeros = 0;
    const Job job = {.arrays = p,
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
        run_phase(chapter,
                  {.name = way.name,
                   .threads = block.x * block.y,
                   .unavailable = missing,
                   .full_only = !usual.contains(way.name + (" " + phase)),
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
