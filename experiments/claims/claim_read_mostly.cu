// claim_read_mostly: Which step takes longer where the inputs may have a copy on each side?
//
// Chapter 13 has the whole way with prefetches, with the advice read mostly and without, and not
// the steps of the first. Here both have all steps, and a third row has the advice and no prefetch
// back: what it takes less is what the way back of the output takes.

#include "../../chapters/12_unified_memory/job.cuh"
#include "../../chapters/12_unified_memory/matrix_sum.cuh"

#include <utility>

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

void advise_read_mostly(const Problem& p)
{
    for (float* array : {p.a, p.b}) {
        CHECK_CUDA(cudaMemAdvise(array, p.n * sizeof(float), cudaMemAdviseSetReadMostly,
                                 common::device_place()));
    }
}

void run(common::Chapter& chapter, const char* name, Problem& source, Queue to_host, bool advice)
{
    Problem p(chapter, common::MemoryKind::managed, source.n);
    const auto missing = [] {
        return common::concurrent_managed_access() ? "" : "needs concurrent managed access";
    };
    std::ptrdiff_t zeros = 0;
    const Job job = {.arrays = p,
                     .write = [&](const Problem& to) { initialise(to, source); },
                     .to_device = prefetch_in,
                     .kernel = launch_add,
                     .to_host = to_host,
                     .read = [&](const Problem& from) { zeros = count_zeros(from); },
                     .add_on_host = add_on_host};
    bool advised = !advice;
    for (const char* phase : {"transfer", "kernel", "host_read", "total"}) {
        const auto setup = [&] {
            source.allocate();
            std::exchange(advised, true) ? void() : advise_read_mostly(p);
        };
        run_phase(
            chapter,
            {.name = name, .threads = block.x * block.y, .unavailable = missing, .setup = setup},
            job, phase);
    }
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes({.gpu = {1u << 20, 1u << 24},
                         .cpu = {1u << 14},
                         .default_sizes = {1u << 24},
                         .bytes_per_element = 9 * sizeof(float)})) {
        Problem source(chapter, common::MemoryKind::pageable, n);
        run(chapter, "prefetch", source, prefetch_out, false);
        run(chapter, "read_mostly", source, prefetch_out, true);
        run(chapter, "read_mostly_in", source, nullptr, true);
    }
    return chapter.finish();
}
