/// \file
/// What kernels, and the runtime inside of them, ask of the engine: handed to the worker of the
/// calling thread.
#include "core/executor.hpp"
#include "core/faults.hpp"
#include "core/kernels.hpp"
#include "core/launch_monitor.hpp"
#include "core/repetition.hpp"
#include "core/unfinished.hpp"

#include <atomic>
#include <bit>

namespace cpu_device {

namespace {

std::atomic<bool> abandoned = false;

Worker& worker_of(const char* call)
{
    if (current_worker == nullptr)
        fault(std::string(call) + " was called outside of a kernel.");
    return *current_worker;
}

} // namespace

bool in_kernel()
{
    return current_worker != nullptr;
}

int barrier(bool predicate, SourceLine where, bool of_grid)
{
    if (of_grid && !running_configuration().cooperative) {
        const Untraced untraced;
        fault("grid.sync() at " + to_string(where) +
              " in a launch that is not cooperative: nothing makes all blocks resident, and a GPU "
              "ends with an error. Launch the kernel by cudaLaunchCooperativeKernel().");
    }
    return worker_of("A barrier").barrier(predicate, where, of_grid);
}

void check_launch_bounds(unsigned threads, unsigned, unsigned)
{
    const Untraced untraced;
    const Dimensions& block = running_configuration().block;
    if (const unsigned own = block.x * block.y * block.z; own > threads)
        fault("the kernel is launched in blocks of " + std::to_string(own) +
              " threads, but its __launch_bounds__ allow " + std::to_string(threads) +
              ": a GPU does not run it, and cudaGetLastError() returns an error. Launch smaller "
              "blocks, or raise the bound.");
}

const WarpValues& warp_exchange(unsigned mask, std::uint64_t value, SourceLine where)
{
    return worker_of("A warp-wide operation").warp_exchange(mask, value, where);
}

const std::uint64_t* tile_exchange(unsigned threads, std::uint64_t value, SourceLine where)
{
    return worker_of("A tile").tile_exchange(threads, value, where);
}

unsigned active_mask(SourceLine where)
{
    return worker_of("__activemask()").active_mask(where);
}

void abandon_kernel()
{
    abandoned = true;
    worker_of("abandon_kernel()").abandon();
}

bool kernel_was_abandoned()
{
    return abandoned;
}

std::uint64_t blocks_begun()
{
    return worker_of("An asynchronous copy").blocks_begun();
}

void note_clock_read()
{
    note_effect();
    worker_of("The clock").note_clock_read();
}

void wait_for_print_order(SourceLine where)
{
    note_effect(); // it prints
    if (current_worker == nullptr)
        return;
    note_unfinished_print();
    current_worker->wait_for_print_order(where);
}

void note_other_order()
{
    if (current_worker != nullptr)
        current_worker->note_other_order();
}

unsigned lane()
{
    return worker_of("A warp-wide operation").lane();
}

void* dynamic_shared()
{
    return worker_of("Dynamic shared memory").dynamic_shared();
}

void record_access(const void* address, std::size_t bytes, Access access, const void* site)
{
    if (current_worker == nullptr || !current_worker->counts())
        return;
    Tracer& tracer = current_worker->tracer();
    const auto pc = reinterpret_cast<std::uintptr_t>(site);
    const auto begin = reinterpret_cast<std::uintptr_t>(address);
    if (bytes <= 16 && std::has_single_bit(bytes))
        tracer.record(pc, begin, static_cast<unsigned>(bytes), access);
    else
        tracer.record_range(pc, begin, bytes, access);
}

void note_step(Step step, const void* site, std::size_t pending)
{
    if (current_worker == nullptr || !current_worker->counts())
        return;
    current_worker->tracer().note_step(reinterpret_cast<std::uintptr_t>(site), step, pending);
}

void yield_lane(std::uintptr_t pc, std::uintptr_t address)
{
    current_worker->yield(pc, address);
}

} // namespace cpu_device
