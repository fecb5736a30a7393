/// \file
/// The CPU device's engine: runs the threads of a kernel on the host and counts the memory
/// transactions of every warp. The CUDA headers are built on this page alone, so that an edit of it
/// compiles every kernel again: what only the runtime asks is in core/kernels.hpp and
/// core/faults.hpp, and what programs may ask is in the headers of the interface.
#pragma once

#include "cpu_device/detail/source_line.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace cpu_device {

// --- launches -------------------------------------------------------------------------------

struct Dimensions
{
    unsigned x = 1, y = 1, z = 1;
};

/// An argument of a launch.
struct WholeNumber
{
    bool is_one = false;
    long long value = 0;
};

struct LaunchConfiguration
{
    const char* kernel = ""; ///< as written: `scale<float>`
    const char* file = "";
    int line = 0;
    Dimensions grid, block;
    std::size_t dynamic_shared_bytes = 0;
    const void* function = nullptr; ///< its address; null where only the call can tell it
    const char* signature = "";     ///< as LaunchRecord::signature
    bool cooperative = false;       ///< grid-wide barriers allowed
    bool by_address = false;        ///< threads call `function` by call_kernel()
    /// Of launch()'s context, if it may be copied, and the arguments are all that tells two
    /// launches of the kernel apart; else 0.
    std::size_t context_bytes = 0;
    const std::byte* arguments = nullptr; ///< the bytes of each, back to back
    std::size_t argument_bytes = 0;
    const WholeNumber* numbers = nullptr; ///< of each argument
    std::size_t number_count = 0;
    const char* parameters = ""; ///< their names, "x, n"; empty where nobody knows them
};

enum class LaunchStatus
{
    ok,
    invalid_configuration, ///< empty grid, more than 1024 threads, too much shared memory, ...
    too_large_cooperative_grid,
    out_of_resources, ///< more registers than a block may have
    abandoned         ///< by this launch or one before: abandon_kernel()
};

/// Calls `body(context)` once for every thread of the grid, blocks in parallel. Returns when all
/// have finished. A fault in a kernel (bad address, divergent barrier, ...) is reported with
/// kernel, block and thread on standard error and ends the process with status 6.
/// A status other than ok comes with one sentence on standard error.
LaunchStatus launch(const LaunchConfiguration& configuration, void (*body)(void*), void* context);

/// Tells the runtime API how a launch went, for cudaGetLastError(); the runtime API defines it.
void set_launch_error(LaunchStatus status);

// --- for use inside kernels -----------------------------------------------------------------

/// True on a thread that is running a kernel.
[[nodiscard]] bool in_kernel();
/// __syncthreads_count(): waits for every thread of the block that has not returned, and tells how
/// many of them passed true. Reports a barrier that some of them cannot reach. __syncthreads() and
/// its other variants are made of this; `of_grid`, a grid-wide barrier of a cooperative launch.
int barrier(bool predicate = false, CPU_DEVICE_WHERE, bool of_grid = false);

inline constexpr unsigned warp_lanes = 32; ///< threads of a warp

/// What the lanes of `mask` put into one warp-wide exchange.
struct WarpValues
{
    std::array<std::uint64_t, warp_lanes> value{};
    unsigned mask = 0; ///< lanes that took part
};
/// Waits until every live lane of `mask` has called it with this mask, then gives each lane the
/// values of all, valid until its next call of the engine. A lane of the mask that has returned
/// from the kernel takes no part. Every shuffle, vote and warp reduction is made of this;
/// __syncwarp() too.
const WarpValues& warp_exchange(unsigned mask, std::uint64_t value = 0, CPU_DEVICE_WHERE);
/// __activemask(): the lanes of the calling warp that reach this line together. Waits until no
/// other lane of the warp can go on.
[[nodiscard]] unsigned active_mask(CPU_DEVICE_WHERE);
/// What the rewriter begins a kernel with that has __launch_bounds__: ends the program if the
/// launch has larger blocks.
void check_launch_bounds(unsigned threads, unsigned = 0, unsigned = 0);
/// Waits until it is the calling lane's turn to print: the lanes of a warp print line by line of
/// the source, and at each line in the order of the lanes. Does nothing outside of kernels.
void wait_for_print_order(SourceLine where);
/// Tells, before main() begins, that the program has a kernel that may print. Returns true.
bool note_printing_kernels();
/// That, of a program that calls wait_to_print() somewhere.
template<class Program>
inline const bool has_printing_kernels = note_printing_kernels();
/// What a kernel calls before printf().
template<class Program = void>
void wait_to_print(CPU_DEVICE_WHERE)
{
    static_cast<void>(&has_printing_kernels<Program>);
    wait_for_print_order(where);
}
/// Lane of the calling thread in its warp, 0 to 31.
[[nodiscard]] unsigned lane();
/// Start of the block's `extern __shared__` memory.
[[nodiscard]] void* dynamic_shared();

/// Tells of an array that the calling thread has in local memory, and returns its address. As far
/// as the compiler knows, that is other memory, of which it tells every access; and nothing else
/// points there, so that the rest of the kernel is compiled as if there were no such call.
/// `surely`: no compiler can keep it in registers.
[[nodiscard]] __attribute__((malloc)) void* local_memory(volatile void* array, std::size_t bytes,
                                                         bool surely);

/// Tells that the calling thread begins the next round of a loop that no compiler unrolls.
void next_round();

/// Tells that the calling thread goes on only when what it loaded last is there.
void need_loaded();

/// Tells that no store of the kernel changes what it loads: all its pointers are `__restrict__`.
void loads_pass_stores();

} // namespace cpu_device
