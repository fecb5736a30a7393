// 11_unified_memory: What does managed memory cost, and what do prefetch and advice give back?
//
// A matrix sum, c = a + b, step by step: the host writes a and b, the device adds, the host reads
// c. Explicit copies move the data in chapter 04's way; managed memory moves it page by page, when
// somebody touches it. Every step starts with the three matrices on the host, unless it says so.

#include "addition.cuh"
#include "common/chapter.hpp"
#include "job.hpp"
#include "moves.cuh"

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

//! [host]
// The host's part. In managed memory p.host_a is p.a, the kernel's own array.
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
//! [host]

//! [ways]
// How the data gets to the other side, and the phases that are worth a row.
struct Way
{
    const char* name;
    const char* phases;
    Queue launch;
    Queue to_device = nullptr; // pages move by themselves
    Queue to_host = nullptr;
    void (*advise)(const Problem&) = nullptr;
};

const Way ways[] = {
    {"explicit", "initialise host_sum transfer kernel host_read total total_of_16", launch_add,
     copy_in, copy_out},
    {"managed", "initialise host_sum kernel kernel_again host_read total total_of_16", launch_add},
    {"managed_static", "kernel_again", launch_add_static},
    {"managed_prefetch", "host_sum transfer kernel host_read total total_of_16", launch_add,
     prefetch_in, prefetch_out},
    {"managed_read_mostly", "host_sum kernel total", launch_add, prefetch_in, prefetch_out,
     advise_read_mostly},
    {"managed_stay", "host_sum kernel total", launch_add, nullptr, nullptr, advise_stay},
};
//! [ways]

//! [rows]
// What shows the difference, and takes some seconds each.
const std::set<std::string> usual = {"explicit total", "managed kernel", "managed total",
                                     "managed_prefetch total", "managed_stay total"};

void run(common::Chapter& chapter, const Way& way, Problem& source, bool all_phases)
{
    const bool copies = way.to_device == copy_in;
    Problem p(chapter, copies ? common::Space::pinned : common::Space::managed, source.n);
    const auto missing = [&] {
        const bool moves_ahead = way.to_device == prefetch_in || way.advise != nullptr;
        return moves_ahead && !common::concurrent_managed_access()
                   ? "needs concurrent managed access"
                   : "";
    };
    const auto queue = [&p](Queue part) -> common::Launch {
        return [&p, part](cudaStream_t stream) { part != nullptr ? part(p, stream) : void(); };
    };
    std::ptrdiff_t zeros = 0;
    const common::Job job = {.arrays = p,
                             .write = [&](cudaStream_t) { initialise(p, source); },
                             .to_device = queue(way.to_device),
                             .kernel = queue(way.launch),
                             .to_host = queue(way.to_host),
                             .read = [&](cudaStream_t) { zeros = count_zeros(p); },
                             .add_on_host = [&](cudaStream_t) { add_on_host(p); }};
    bool advised = way.advise == nullptr;
    std::istringstream phases(way.phases);
    for (std::string phase; phases >> phase;) {
        if (!all_phases && phase != "total") {
            continue;
        }
        if (!chapter.everything() && !usual.contains(way.name + (" " + phase))) {
            continue;
        }
        const std::string task = phase == "total" ? "" : phase; // a part is no match for the whole
        common::Work work = common::phase_of(job, phase);
        work.setup = [&] {
            source.allocate();
            std::exchange(advised, true) ? void() : way.advise(p);
        };
        chapter.run_transfer({way.name, block.x * block.y, {{"phase", phase}}, missing, task}, p,
                             work);
    }
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    const std::vector<std::size_t> sizes =
        chapter.sizes({1u << 20, 1u << 24}, {1u << 14, 1u << 18}, 9 * sizeof(float), {1u << 24});
    for (std::size_t n : sizes) {
        Problem source(chapter, common::Space::pageable, n);
        for (const Way& way : ways) {
            run(chapter, way, source, n == sizes.back());
        }
    }
    return chapter.finish();
}
