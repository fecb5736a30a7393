// 36.3: Choose the number of stages
// minutes: 15
// difficulty: 1
// practises: Little's law, shared memory as the limit of a pipeline
// hint: GB/s x ns are bytes. How many must the whole GPU have in flight, and how many each SM?
// hint: A stage of all blocks of an SM has blocks x threads x 16 bytes. How many stages, rounded
//     up, hold the necessary bytes? Divide once, at the end: integers round down.
// hint: Shared memory holds shared_bytes / (blocks x threads x 16) stages, rounded down. Return
//     the smaller of both, and 1 if that is 0.
#include "common/exercise.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

unsigned stages_needed(unsigned gb_per_s, unsigned latency, unsigned multiprocessors,
                       unsigned shared_bytes, unsigned blocks, unsigned threads);
void solve(const uint4* a, uint4* c, std::size_t n);

namespace {

struct Case
{
    unsigned gb_per_s;
    unsigned latency;
    unsigned multiprocessors;
    unsigned shared_bytes;
    unsigned blocks;
    unsigned threads;

    [[nodiscard]] std::uint64_t told() const
    {
        return stages_needed(gb_per_s, latency, multiprocessors, shared_bytes, blocks, threads);
    }
    [[nodiscard]] std::uint64_t stage() const { return std::uint64_t{16} * blocks * threads; }
    [[nodiscard]] bool enough(std::uint64_t stages) const
    {
        return stages * stage() * multiprocessors >= std::uint64_t{gb_per_s} * latency;
    }
    [[nodiscard]] bool fits(std::uint64_t stages) const
    {
        return stages <= 1 || stages * stage() <= shared_bytes;
    }
    [[nodiscard]] std::string words() const
    {
        return common::filled_in(
            "With {} GB/s, {} ns, {} SMs of {} bytes, {} blocks "
            "of {} threads: {} stages.",
            {gb_per_s, latency, multiprocessors, shared_bytes, blocks, threads, told()});
    }
};

} // namespace

void goals(common::Attempt& attempt)
{
    const Case cases[] = {{4000, 600, 128, 131072, 1, 128}, {4000, 600, 128, 131072, 8, 256},
                          {3300, 700, 114, 131072, 1, 96},  {4800, 800, 132, 16384, 2, 128},
                          {320, 500, 40, 65536, 2, 32},     {8000, 700, 148, 8192, 4, 256},
                          {2048, 512, 128, 131072, 1, 128}}; // the last needs four, exactly
    common::Copy<uint4> problem(attempt);
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n); });
    const Case* scarce = nullptr;
    const Case* large = nullptr;
    const Case* many = nullptr;
    for (const Case& c : cases) {
        const std::uint64_t stages = c.told();
        if (!c.fits(stages))
            large = &c;
        if (stages < 1 || (!c.enough(stages) && c.fits(stages + 1)))
            scarce = &c;
        if (stages > 1 && c.enough(stages - 1))
            many = &c;
    }
    const auto told = [](const Case* c) { return c == nullptr ? "" : c->words(); };
    attempt.goal("room", "has no more stages than shared memory can hold", large == nullptr,
                 told(large));
    attempt.goal("enough", "has enough stages to saturate memory, or as many as fit",
                 scarce == nullptr, told(scarce));
    attempt.goal("fewest", "has no more stages than that", many == nullptr, told(many));
}
