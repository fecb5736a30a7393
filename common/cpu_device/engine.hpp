/// \file
/// The CPU device's engine: runs the threads of a kernel on the host and counts the memory
/// transactions of every warp. The CUDA headers under include/ are built on this page alone.
#pragma once

#include "common/counts.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cpu_device {

// --- memory ---------------------------------------------------------------------------------

enum class MemoryKind
{
    device,  ///< cudaMalloc: a host thread may not touch it
    pinned,  ///< cudaMallocHost, cudaHostRegister: host memory that kernels may use
    managed  ///< cudaMallocManaged
};

struct Allocation
{
    std::byte* address = nullptr;
    std::size_t bytes = 0;
    MemoryKind kind = MemoryKind::device;
    std::uint64_t serial = 0; ///< "allocation 3", counted from 1
    bool freed = false;
};

/// Reserves `bytes` with guard pages around them; device memory is filled with the poison pattern.
/// Null when memory is exhausted.
[[nodiscard]] void* allocate(std::size_t bytes, MemoryKind kind);
/// False when `address` is not the start of a live allocation. The pages stay reserved, so that a
/// later use is reported as a use after free.
bool release(void* address);
/// The live or freed allocation that holds `address` (or, if none, the closest one below).
[[nodiscard]] bool find_allocation(const void* address, Allocation& found);
/// Adds or removes memory that the program owns (cudaHostRegister).
bool adopt(void* address, std::size_t bytes);
bool disown(void* address);
/// Bytes of device memory in use, and how much there is.
[[nodiscard]] std::size_t device_memory_used();
[[nodiscard]] std::size_t device_memory_total();

// --- launches -------------------------------------------------------------------------------

struct Dimensions
{
    unsigned x = 1, y = 1, z = 1;
};

struct LaunchConfiguration
{
    const char* kernel = ""; ///< as written: `scale<float>`
    const char* file = "";
    int line = 0;
    Dimensions grid, block;
    std::size_t dynamic_shared_bytes = 0;
    std::size_t max_dynamic_shared_bytes = 48 * 1024; ///< raised by cudaFuncSetAttribute
    bool cooperative = false;                         ///< grid-wide barriers allowed
};

enum class LaunchStatus
{
    ok,
    invalid_configuration, ///< empty grid, more than 1024 threads, too much shared memory, ...
    too_large_cooperative_grid
};

/// Calls `body(context)` once for every thread of the grid, blocks in parallel. Returns when all
/// have finished. A fault in a kernel (bad address, divergent barrier, ...) is reported with
/// kernel, block and thread on standard error and ends the process with status 6.
LaunchStatus launch(const LaunchConfiguration& configuration, void (*body)(void*), void* context);

/// The launches since forget_launches(), in order, with their counts.
[[nodiscard]] const std::vector<common::LaunchRecord>& launches();
void forget_launches();
/// Seeds the order of warps in a block and lanes in a warp; 0 is ascending.
void set_lane_order(std::uint64_t seed);
/// Off: kernels run without counting or address checks. On at the start.
void set_tracing(bool on);

// --- for use inside kernels -----------------------------------------------------------------

/// True on a thread that is running a kernel.
[[nodiscard]] bool in_kernel();
/// __syncthreads(). Reports a barrier that some threads of the block never reach.
void barrier();
/// __syncthreads_count(): how many threads of the block passed true.
[[nodiscard]] int barrier_count(bool predicate);
/// A grid-wide barrier of a cooperative launch.
void grid_barrier();

/// What the lanes of `mask` put into one warp-wide exchange.
struct WarpValues
{
    std::array<std::uint64_t, 32> value{};
    unsigned mask = 0; ///< lanes that took part
};
/// Waits until every live lane of `mask` has called it, then gives each lane the values of all.
/// Every shuffle, vote, match and warp reduction is made of this; __syncwarp() too.
[[nodiscard]] const WarpValues& warp_exchange(unsigned mask, std::uint64_t value);
/// Lanes of the calling warp that run in step with it now (__activemask()).
[[nodiscard]] unsigned active_mask();
/// Lane of the calling thread in its warp, 0 to 31.
[[nodiscard]] unsigned lane();
/// Start of the block's `extern __shared__` memory.
[[nodiscard]] void* dynamic_shared();

/// Counts an access that the compiler's instrumentation cannot see (asynchronous copies, atomics).
enum class Access
{
    load,
    store,
    atomic
};
void record_access(const void* address, std::size_t bytes, Access access, const void* site);

/// Ends the process with status 6 after one sentence that begins with kernel, block and thread.
[[noreturn]] void fault(const std::string& what);

} // namespace cpu_device
