/// \file
/// The same chapter once more, at the size of the reference: a second process that runs next to the
/// first one on the CPU device, executes a sample of each kernel's blocks on memory that nobody
/// fills, and tells what each launch asks of the caches. What the kernels compute is lost.
#pragma once

#include "common/model/time_model.hpp"

#include <cpu_device/counts.hpp>

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace common {

/// A launch at the size of the reference, as bytes that pass through a pipe.
struct ReferenceLaunch
{
    std::size_t call = 0;            ///< of Chapter::run() and the like, counted from 1
    std::uint64_t n = 0;             ///< Problem::size()
    std::uint64_t bytes = 0;         ///< Problem::bytes()
    std::array<unsigned, 3> grid{};  ///< blocks in x, y, z
    std::array<unsigned, 3> block{}; ///< threads in x, y, z
    std::size_t shared_bytes = 0;    ///< of a block, static and dynamic
    Counts counts;                   ///< of the whole grid, estimated
    Traffic traffic;                 ///< likewise
};

/// One end of it: in the process that begins it, and in the one that runs it.
class ReferenceRun
{
  public:
    /// Elements of an array, unless --n says otherwise: those of most reference results.
    static constexpr std::size_t elements = std::size_t{1} << 28U;

    /// Starts the second process, in which this returns as well. Where that is impossible there is
    /// only the first, which will collect nothing.
    ReferenceRun();
    ReferenceRun(const ReferenceRun&) = delete;
    ReferenceRun& operator=(const ReferenceRun&) = delete;
    /// Ends the second process if it still runs.
    ~ReferenceRun();

    /// True in the second process.
    [[nodiscard]] bool second() const { return child_ == 0; }
    /// In the second process: tells the first one of a launch. Ends the process if that has ended.
    void tell(const ReferenceLaunch& launch) const;
    /// In the second process: ends it.
    [[noreturn]] void end() const;
    /// In the first process: all that was told. Waits for the second one, but no more than a
    /// minute for its next word.
    [[nodiscard]] std::vector<ReferenceLaunch> collect();

  private:
    pid_t child_ = -1;
    int pipe_ = -1; ///< the end that this process uses
};

} // namespace common
