/// \file
/// What kernels, and the runtime inside of them, ask of the engine.
#include "core/executor.hpp"
#include "core/faults.hpp"
#include "core/kernels.hpp"
#include "core/launch_monitor.hpp"
#include "core/memory.hpp"
#include "core/repetition.hpp"

#include <atomic>
#include <bit>

namespace cpu_device {

namespace {

std::atomic<bool> abandoned = false;
/// Reads of the clock after which a thread seems to wait by it: one that measures has two.
constexpr unsigned clock_reads_before_yield = 64;

Worker& worker_of(const char* call)
{
    if (current_worker == nullptr)
        fault(std::string(call) + " was called outside of a kernel.");
    return *current_worker;
}

// Apart, as what makes a sentence needs a large frame: lanes that wait share a cache.
[[gnu::noinline, noreturn]] void report_outside(unsigned mask, SourceLine where)
{
    fault("passes the mask " + hexadecimal(mask, mask_digits) + " to the warp-wide operation at " +
          to_string(where) + ", but is lane " + std::to_string(lane()) +
          ", which is not in it; a mask must contain every lane that makes the call.");
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
    BlockScheduler& scheduler = worker_of("A barrier").scheduler();
    scheduler.current()->of_grid = of_grid;
    scheduler.current()->predicate = predicate;
    scheduler.meet(Warp::at_barrier, where);
    return static_cast<int>(scheduler.barrier_count());
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
    BlockScheduler& scheduler = worker_of("A warp-wide operation").scheduler();
    Thread& self = *scheduler.current();
    if ((mask >> self.lane() & 1) == 0)
        report_outside(mask, where);
    self.mask = mask;
    self.value = value;
    scheduler.meet(Warp::in_exchange, where);
    return *self.values;
}

unsigned active_mask(SourceLine where)
{
    BlockScheduler& scheduler = worker_of("__activemask()").scheduler();
    Thread& self = *scheduler.current();
    self.where = where;
    scheduler.suspend(Warp::gathering);
    return self.mask;
}

void abandon_kernel()
{
    abandoned = true;
    BlockScheduler& scheduler = worker_of("abandon_kernel()").scheduler();
    for (;;) // its fiber is never resumed
        scheduler.suspend(Warp::returned);
}

bool kernel_was_abandoned()
{
    return abandoned;
}

std::uint64_t blocks_begun()
{
    return worker_of("An asynchronous copy").scheduler().blocks_begun();
}

void note_clock_read()
{
    note_effect();
    BlockScheduler& scheduler = worker_of("The clock").scheduler();
    if (++scheduler.current()->clock_reads % clock_reads_before_yield == 0)
        scheduler.suspend(Warp::yielded_to_warps);
}

void wait_for_print_order(SourceLine where)
{
    note_effect(); // it prints
    if (current_worker == nullptr)
        return;
    note_unfinished_print();
    current_worker->scheduler().current()->where = where;
    current_worker->scheduler().suspend(Warp::waiting_to_print);
}

void note_other_order()
{
    if (current_worker != nullptr)
        current_worker->note_other_order();
}

unsigned lane()
{
    return worker_of("A warp-wide operation").scheduler().current()->lane();
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
    current_worker->scheduler().yield(pc, address);
}

} // namespace cpu_device
