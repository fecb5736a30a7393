/// \file
/// What a chapter does with its rows: one runner for each mode.
#pragma once

#include "common/problem/problem.hpp"
#include "common/report/results.hpp"
#include "common/run/launch.hpp"
#include "common/run/options.hpp"
#include "common/run/reference_run.hpp"
#include "common/run/sizes.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace common {

/// What kind of row a variant makes.
enum class Kind
{
    kernel,   ///< device time of a launch
    transfer, ///< host time of a call and all that it queues
    library   ///< device time of a library's launch
};

/// A row as a chapter declares it.
struct RowSpec
{
    const Variant& variant; ///< like what follows, the chapter's: it lives while the row runs
    Problem& problem;       ///< has no memory before a row allocates it
    const Launch& launch;   ///< called as often as a mode needs it; never by --list
    Kind kind;              ///< which function of Chapter was called
};

/// What the command line requests, and what came of it so far.
struct Context
{
    Options options;          ///< of the command line, for the whole run
    std::vector<int> devices; ///< those that rows may use, the one that this thread uses first
    Results results;          ///< in the order in which the rows ran
};

/// What is done with the rows of a chapter that were requested, one after another.
class Runner
{
  public:
    Runner() = default;
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;
    virtual ~Runner() = default;

    /// Elements of an array, unless --n says how many.
    [[nodiscard]] virtual std::size_t elements() const = 0;
    /// Those of `all` sizes that this mode takes, unless --n names one.
    [[nodiscard]] virtual std::vector<std::size_t> sizes(const Sizes& all) const = 0;
    /// Does what the mode is for. May throw CudaError.
    virtual void run(const RowSpec& row) = 0;
    /// Completes the results when all rows have run. In the second process: ends it.
    virtual void finish() = 0;
    /// The results, in lines of at most `width` columns.
    [[nodiscard]] virtual std::string text(std::size_t width) const = 0;
};

/// Names the rows, and asks nothing of a device.
[[nodiscard]] std::unique_ptr<Runner> make_list_runner(Context& context);
/// On the CPU device: runs each row in two orders of lanes, verifies and counts it, and models its
/// time: that of transfers from their calls, that of kernels from what `reference`, if there is
/// one, tells.
[[nodiscard]] std::unique_ptr<Runner> make_cpu_runner(Context& context,
                                                      std::unique_ptr<ReferenceRun> reference);
/// In the second process on the CPU device: runs a sample of each kernel's blocks, and tells the
/// first one what was seen.
[[nodiscard]] std::unique_ptr<Runner> make_sampler(std::unique_ptr<ReferenceRun> reference);
/// On a GPU: verifies each row, measures it and verifies it again; with --launch-once verifies it
/// alone.
[[nodiscard]] std::unique_ptr<Runner> make_gpu_runner(Context& context);

/// The row in a table: the columns whose values are known; with `ask`, all of them.
[[nodiscard]] Row make_row(const RowSpec& spec, bool ask);
/// Why a row cannot run here; empty where it can.
[[nodiscard]] std::string unavailable_reason(const RowSpec& row);

} // namespace common
