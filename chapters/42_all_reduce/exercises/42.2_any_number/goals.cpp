// 42.2: All-reduce for any number of devices
// minutes: 15
// difficulty: 2
// practises: shares of an array, alignment, ragged ends
// hint: With three devices and n = 1009, which elements does no device sum? And where does the
//     share of device 1 begin?
// hint: Divide whole fours instead of elements: how many are there, if the last may be
//     incomplete, and how many does each device get, rounded up?
// hint: each = (fours + devices - 1) / devices * 4 elements. Some k * each may exceed n: such a
//     share begins at n.
#include "common/exercise.hpp"
#include "common/problem/parts.hpp"

#include <string>

std::size_t begin_of(std::size_t n, unsigned devices, unsigned k);
void solve(const float* const* a, float* const* c, unsigned devices, std::size_t n);

namespace {

std::string fault_of(std::size_t n, unsigned devices)
{
    const std::size_t fair = ((n + 3) / 4 + devices - 1) / devices * 4;
    for (unsigned k = 0; k < devices; ++k) {
        const std::size_t share = begin_of(n, devices, k + 1) - begin_of(n, devices, k);
        if (share > fair)
            return common::filled_in(
                "with {} devices one has {} elements to add up; {} are enough.",
                {devices, share, fair});
    }
    const std::size_t end = begin_of(n, devices, devices);
    return end == n ? ""
                    : common::filled_in("with {} devices the last one ends at element {} of {}.",
                                        {devices, end, n});
}

} // namespace

void goals(common::Attempt& attempt)
{
    const unsigned devices = attempt.needs_devices(3);
    const std::size_t n = 2 * attempt.n() + 15;
    common::Team team(devices == 2 ? std::vector<int>{0, 1} : std::vector<int>{0, 1, 2});
    common::Parts problem(attempt, team, "all-reduce", n, 2 * devices * n * sizeof(float),
                          std::vector<common::Part>(devices, {n, n}),
                          [&](unsigned, std::size_t first, std::size_t count, float* out) {
                              problem.sum_of_inputs(first, count, out);
                          });
    attempt.run(problem, [&] {
        team.peer_access(true);
        solve(problem.a.data(), problem.c.data(), devices, n);
    });
    attempt.stores_at_most(devices * n * sizeof(float));
    std::string fault;
    for (const unsigned count : {devices, 2U, 4U})
        fault = fault.empty() ? fault_of(n, count) : fault;
    attempt.goal("fair", "gives no device a longer part than necessary", fault.empty(), fault);
}
