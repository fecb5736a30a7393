/// \file
/// What the runtime asks of the engine, inside kernels and about them, next to what the CUDA
/// headers do (cpu_device/detail/engine.hpp).
#pragma once

#include "cpu_device/detail/engine.hpp"
#include "cpu_device/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace cpu_device {

// --- about launches --------------------------------------------------------------------------

/// While an access policy keeps lines of somebody's choice in the L2, the caches are not simulated.
void note_access_policy(bool in_force);
/// Most dynamic shared memory that a launch of the kernel `function` may request: 48 KiB, or what
/// set_dynamic_shared_limit() (cudaFuncSetAttribute) said last; of null, the most of any kernel.
[[nodiscard]] std::size_t dynamic_shared_limit(const void* function);
void set_dynamic_shared_limit(const void* function, std::size_t bytes);

struct ConfigurationError
{
    std::string text; ///< the end of a sentence; empty if nothing is wrong
    LaunchStatus status = LaunchStatus::invalid_configuration;
};
[[nodiscard]] ConfigurationError configuration_error(const LaunchConfiguration& configuration);

// --- inside kernels --------------------------------------------------------------------------

/// Tells that threads of the block are ordered by what neither barriers nor warp-wide calls tell.
void note_other_order();
/// Tells that the calling thread has read the clock. One that does so again and again, and meets no
/// other in between, waits by it and gives way.
void note_clock_read();
/// The blocks that the calling thread of the host has begun so far: what a thread of a kernel keeps
/// for its block ends with it.
[[nodiscard]] std::uint64_t blocks_begun();

class Tracer;
/// What the accesses of the calling thread are told to: null outside of kernels and in the engine
/// itself, see Untraced.
extern __thread Tracer* current_tracer;

/// While one lives, the accesses of the calling thread are neither checked nor counted, but for
/// those that record_access() is told of. For functions that kernels call and that use the standard
/// library: the linker may take its templates from the kernels' object files, where they are
/// instrumented like a kernel.
class Untraced
{
  public:
    Untraced() : before_(std::exchange(current_tracer, nullptr)) {}
    ~Untraced() { current_tracer = before_; }
    Untraced& operator=(Untraced&&) = delete;

  private:
    Tracer* before_;
};

/// Checks and counts an access that the compiler's instrumentation cannot see (asynchronous copies,
/// atomics in functions that are not instrumented). `site` tells instructions apart: the return
/// address of the function that the kernel called.
void record_access(const void* address, std::size_t bytes, Access access, const void* site);

/// Notes what a thread of a kernel does next to its accesses, at that `site`. Of Step::arrived:
/// `pending` groups may still be in flight.
void note_step(Step step, const void* site, std::size_t pending = 0);

/// Ends the calling thread of a kernel and every block that has not begun: what a GPU does to a
/// kernel whose assertion fails. No kernel is launched afterwards.
[[noreturn]] void abandon_kernel();
/// True after abandon_kernel().
[[nodiscard]] bool kernel_was_abandoned();

} // namespace cpu_device
