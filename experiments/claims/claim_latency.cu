// claim_latency: Does the latency grow with the table, and from which SM is a line far?
//
// The walk of chapter 21 through tables of 1 to 64 GiB. Then one line of the L2, or many, from each
// SM alone: the columns have the nearest, the median and the farthest of them, in
// cycles of its clock.

#include "../../chapters/21_latency/lines.cuh"
#include "common/chapter.hpp"

#include <algorithm>
#include <bit>
#include <vector>

unsigned arrival(unsigned lines, unsigned hops)
{
    unsigned i = 0;
    for (unsigned hop = 0; hop < hops; ++hop) {
        i = next_line(i, lines, true);
    }
    return i;
}

// From the L2, past L1.
__device__ const Line* follow(const Line* line, unsigned hops)
{
    for (unsigned hop = 0; hop < hops; ++hop) {
        line = reinterpret_cast<const Line*>(
            __ldcg(reinterpret_cast<const unsigned long long*>(&line->next)));
    }
    return line;
}

// Written is where the walk arrived.
__global__ void chase(const Line* table, unsigned* c, unsigned hops)
{
    c[0] = static_cast<unsigned>(follow(table, hops) - table);
}

#ifdef __CUDACC__
// There is a block for each SM. The one on `which` walks, first to bring the lines into
// the L2, then for the clock; all others end.
__global__ void chase_on(const Line* table, unsigned which, unsigned hops, long long* cycles,
                         const Line** arrived)
{
    unsigned here = 0;
    asm("mov.u32 %0, %%smid;" : "=r"(here));
    if (here != which) {
        return;
    }
    const Line* line = follow(table, hops);
    const long long start = clock64();
    line = follow(line, hops);
    const long long stop = clock64();
    cycles[which] = stop - start;
    *arrived = line;
}
#else
__global__ void chase_on(const Line*, unsigned, unsigned, long long*, const Line**) {}
#endif

// Cycles of a hop on each SM, by its number; 0 where no block came to it.
std::vector<double> cycles_by_multiprocessor(const Line* table, unsigned hops)
{
    const unsigned count = common::attribute(cudaDevAttrMultiProcessorCount);
    common::Buffer<long long> cycles(count);
    common::Buffer<const Line*> arrived(1);
    CHECK_CUDA(cudaMemset(cycles.data(), 0, cycles.bytes()));
    for (unsigned which = 0; which < count; ++which) {
        chase_on<<<count, 1>>>(table, which, hops, cycles.data(), arrived.data());
    }
    std::vector<long long> all(count);
    CHECK_CUDA(cudaMemcpy(all.data(), cycles.data(), cycles.bytes(), cudaMemcpyDeviceToHost));
    std::vector<double> found;
    for (const long long one : all) {
        found.push_back(static_cast<double>(one) / hops);
    }
    return found;
}

// The SMs from the nearest to the farthest: the one behind that share of the others.
double ranked(std::vector<double> cycles, double share)
{
    std::erase(cycles, 0.0);
    std::sort(cycles.begin(), cycles.end());
    return cycles.empty()
               ? 0.0
               : cycles[static_cast<std::size_t>(share * static_cast<double>(cycles.size() - 1))];
}

// Which share of the SMs that are near to one line are near to the other, too: all of
// them or none where two halves of the L2 decide, half of them where nothing does.
double near_both(const std::vector<double>& one, const std::vector<double>& other)
{
    const double middle = ranked(one, 0.5);
    const double other_middle = ranked(other, 0.5);
    double near = 0;
    double both = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
        if (one[i] > 0 && one[i] <= middle && other[i] > 0) {
            ++near;
            both += other[i] <= other_middle ? 1 : 0;
        }
    }
    return near > 0 ? both / near : 0.0;
}

void run_tables(common::Chapter& chapter)
{
    constexpr std::size_t gib = (std::size_t{1} << 30) / sizeof(unsigned);
    const unsigned hops = common::backend() == common::Backend::cpu ? 1u << 8 : 1u << 14;
    const common::Sizes sizes{
        .gpu = {gib / 16, gib / 4, gib, 2 * gib, 4 * gib, 8 * gib, 16 * gib, 32 * gib, 64 * gib},
        .cpu = {1u << 15},
        .bytes_per_element = sizeof(unsigned)};
    for (std::size_t n : chapter.sizes(sizes)) {
        const auto lines = static_cast<unsigned>(
            std::bit_floor(std::max<std::size_t>(n * sizeof(unsigned) / sizeof(Line), 1)));
        common::Words p(chapter, "chase", n);
        p.done = hops;
        common::Buffer<Line> table;
        const auto setup = [&] {
            table = common::Buffer<Line>(lines);
            link<<<common::blocks(lines, 256), 256>>>(table.data(), lines, true);
            p.expect_words(1, [to = arrival(lines, hops)](std::size_t) { return to; });
        };
        chapter.run(
            {.name = "chase", .columns = {{"table", lines * sizeof(Line)}}, .setup = setup}, p,
            [&](cudaStream_t stream) { chase<<<1, 1, 0, stream>>>(table.data(), p.c, hops); });
    }
}

// Tables of one line at several places of a MiB, each its own successor, and one of all its lines.
void run_places(common::Chapter& chapter)
{
    constexpr unsigned all = (1u << 20) / sizeof(Line);
    const unsigned hops = common::backend() == common::Backend::cpu ? 1u << 6 : 1u << 10;
    common::Buffer<Line> table;
    std::vector<double> of_first_line;
    const auto run = [&](const char* name, unsigned lines, unsigned first) {
        common::Words p(chapter, "chase", lines);
        p.done = hops;
        std::vector<double> cycles;
        const auto setup = [&, lines, first] {
            if (table.size() == 0) {
                table = common::Buffer<Line>(all); // one for all rows: places are told apart
            }
            link<<<common::blocks(lines, 256), 256>>>(table.data() + first, lines, true);
            p.expect_words(1, [to = arrival(lines, hops)](std::size_t) { return to; });
            if (common::backend() == common::Backend::gpu) {
                cycles = cycles_by_multiprocessor(table.data() + first, hops);
                if (of_first_line.empty()) {
                    of_first_line = cycles;
                }
            }
        };
        const auto at = [&cycles](double share) { return ranked(cycles, share); };
        chapter.run({.name = name,
                     .columns = {{"line", first},
                                 {"nearest", [at] { return at(0); }},
                                 {"quarter", [at] { return at(0.25); }},
                                 {"median", [at] { return at(0.5); }},
                                 {"three_quarters", [at] { return at(0.75); }},
                                 {"farthest", [at] { return at(1); }},
                                 {"near_line_0", [&] { return near_both(of_first_line, cycles); }}},
                     .setup = setup},
                    p, [&, first](cudaStream_t stream) {
                        chase<<<1, 1, 0, stream>>>(table.data() + first, p.c, hops);
                    });
    };
    for (unsigned first : {0u, 1u, 2u, 32u, 257u, 1024u, 4095u, 8191u}) {
        run("one_line", 1, first);
    }
    run("all_lines", all, 0);
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    run_tables(chapter);
    run_places(chapter);
    return chapter.finish();
}
