/// \file
/// The base class of runners that launch and verify every row.
#pragma once

#include "common/device/memory.hpp"
#include "common/run/runner.hpp"
#include "common/text/terminal.hpp"

#include <cpu_device/counts.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace common {

/// The line that says which row runs. Of the whole run ./run tells in MOVING_BYTES_PROGRESS: which
/// chapter of how many this is and how many rows it has; 0 where that is not known.
class RowProgress
{
  public:
    /// Reads the environment.
    RowProgress();
    /// Shows the next row of the chapter: "03_coarsening: chapter 3 of 18, row 5 of 22, ROW".
    void next(const std::string& row, const std::string& chapter);
    /// Clears the line.
    void clear() { line_.clear(); }

  private:
    unsigned chapter_ = 0;
    unsigned chapters_ = 0;
    unsigned rows_ = 0;
    unsigned row_ = 0;
    Progress line_;
};

/// Shows which row runs, prepares it, and adds it to the results: with what run_row() finds, or
/// with the reason why it cannot run here.
class Launcher : public Runner
{
  public:
    /// Keeps references to parts of `context`, which must outlive it.
    explicit Launcher(Context& context)
        : options_(context.options), devices_(context.devices), results_(context.results)
    {}

    [[nodiscard]] std::size_t elements() const override { return elements_for_memory(options_); }
    [[nodiscard]] std::vector<std::size_t> sizes(const Sizes& all) const override
    {
        return fitting_sizes(options_, all);
    }
    void run(const RowSpec& spec) override;
    void finish() override { results_.environment.record_clocks_after(); }
    [[nodiscard]] std::string text(std::size_t width) const override;

  protected:
    /// The results of launch_and_verify().
    struct Seen
    {
        Verdict verdict;                   ///< verdict on the output
        Counts counts;                     ///< counts of the launch; empty on a GPU
        std::vector<Operation> operations; ///< calls during the launch; empty on a GPU
    };

    /// Runs a row whose problem has its memory, and adds it to the results.
    virtual void run_row(Row row, const RowSpec& spec) = 0;
    /// The estimate of a row's time in the progress line.
    [[nodiscard]] virtual std::string time_limit() const = 0;

    /// Poisons the output, runs the row once, and says what is wrong with the output.
    /// tools/results/hardware_counters.py finds its kernels by the name of the NVTX range around
    /// it.
    [[nodiscard]] Seen launch_and_verify(const Row& row, const RowSpec& spec);
    /// Runs what comes before or after the launch, if there is anything, to its end.
    void run_unmeasured(const Row& row, const Launch& launch);
    /// Waits for everything, and reports what went wrong as the variant's.
    void finish_launch(const Row& row);
    /// Notes the verdict in the row; false, with the row added, when it is bad.
    bool accept(Row& row, const Verdict& verdict, const char* when);

    /// Made for the first row that runs, after what that row made itself.
    cudaStream_t stream();

    const Options& options_;          ///< of the command line
    const std::vector<int>& devices_; ///< Context::devices: the first is the one in use
    Results& results_;                ///< rows are added to it as they are done

  private:
    std::optional<Stream> stream_;
    RowProgress progress_;
};

} // namespace common
