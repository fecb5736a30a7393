// 08.2: Set a device pointer by its symbol
// minutes: 15
// difficulty: 2
// practises: __device__ variables, cudaMemcpyToSymbol, host and device addresses
// hint: Two things must be where the kernel can read them: the pointer `table`, and the memory that
//     it points to. Which of the two does cudaMemcpyToSymbol copy to the device?
// hint: The host copies an address to the symbol, and the kernel reads at that address. So it must
//     be an address in device memory, to which the entries were copied before.
// hint: Allocate 32 floats with cudaMalloc, copy the entries there with cudaMemcpy, and copy the
//     pointer from cudaMalloc to the symbol; its size is `sizeof` the pointer. Free the memory
//     after the launch.
#include "common/exercise.hpp"

#include <vector>

void solve(const float* host_entries, const float* a, float* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    static std::vector<float> entries(32); // ordinary memory of the host
    for (std::size_t k = 0; k < entries.size(); ++k) {
        entries[k] = static_cast<float>(2 * k + common::Setting(attempt).seed);
    }
    common::Arrays<float> problem(attempt, {.task = "add entry"}, [](auto& in, std::size_t i) {
        return in.a[i] + entries[i % entries.size()];
    });
    attempt.run_transfer(problem, [&] { solve(entries.data(), problem.a, problem.c, problem.n); });
    attempt.launches(1);
    std::uint64_t read_from_host = 0;
    for (const common::Operation& operation : attempt.operations())
        read_from_host += operation.link_in_bytes;
    attempt.counted_goal(
        "on_device", "has the table in device memory", read_from_host == 0,
        common::filled_in("The kernel reads {} bytes from host memory.", {read_from_host}));
    attempt.frees_memory();
    attempt.ordered();
}
