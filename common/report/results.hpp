/// \file
/// The results of a chapter: what its table shows, and what a results file holds.
#pragma once

#include "common/device/environment.hpp"
#include "common/device/measure.hpp"
#include "common/measure/counts.hpp"
#include "common/measure/timeline.hpp"
#include "common/report/parameter.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace common {

/// One line of a table. What was not measured, counted or checked is empty.
struct Row
{
    std::string variant;                      ///< its name
    std::vector<Parameter> parameters = {};   ///< in the order of the columns: threads, ..., n
    std::uint64_t bytes = 0;                  ///< that any solution must move
    std::optional<bool> verified = {};        ///< before and after it was measured
    std::string task = {};                    ///< Problem::task()
    bool library = false;                     ///< a library's solution, not the chapter's
    std::optional<Cache> cache = {};          ///< at the start of a sample
    bool in_l2 = false;                       ///< faster than the memory can be: it was the cache
    std::optional<Timing> time = {};          ///< on a GPU
    std::optional<double> gb_per_s = {};      ///< bytes over the median time, in 10^9 a second
    std::optional<double> share_of_peak = {}; ///< of theoretical_peak(), 0 to 1
    std::optional<double> share_of_copy = {}; ///< of copy_ceiling()
    std::optional<Counts> counts = {};        ///< on the CPU device
    std::optional<Modelled> modelled = {};    ///< on the CPU device, where bytes cross the link
    std::string note = {};                    ///< why something is missing, or what is wrong

    /// The parameter of that name, or null.
    [[nodiscard]] const Parameter::Value* parameter(std::string_view name) const;
    /// `"float4 (256 threads)"`: enough to tell the row from the others.
    [[nodiscard]] std::string label() const;
};

/// The note of a row that the CPU device cannot run.
inline constexpr const char* gpu_only_note = "GPU only";

/// A whole results file.
struct Results
{
    static constexpr int schema = 1; ///< the only one there is

    std::string chapter;                      ///< "05_float4"
    DeviceDescription device;                 ///< that it was run on
    std::optional<double> copy_gb_per_s = {}; ///< copy_ceiling(), where it was measured
    Environment environment;                  ///< compilers, versions, clocks, date
    std::vector<Parameter> options = {};      ///< of the command line
    std::vector<Row> rows = {};               ///< in the order of the table
};

/// A file that does not hold results. what() is a sentence that names it and what is wrong.
class ResultsError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// The results as JSON, as docs/results.schema.json describes it.
[[nodiscard]] std::string results_to_json(const Results& results);

/// The results from JSON text. `name` is the file's, for messages. Throws ResultsError unless every
/// field that the schema requires is there and is what it should be.
[[nodiscard]] Results results_from_json(const std::string& text, const std::string& name);

/// The results in a file. Throws ResultsError.
[[nodiscard]] Results read_results(const std::string& path);

/// The rows as CSV (RFC 4180), one column a field, with a line of names at the top.
[[nodiscard]] std::string results_to_csv(const Results& results);

/// A row for one launch of a program that is no chapter: named after its kernel, with its grid and
/// its block as parameters.
[[nodiscard]] Row row_of(const LaunchRecord& launch);

/// The best of the chapter's own rows, several if they tie; empty if none was verified.
///
/// With times: the highest bandwidth, and all whose intervals overlap with its own; rows in the L2
/// cache do not count, nor do hot ones beside cold ones. With counts: the fewest sectors for each
/// byte of the problem, then the fewest requests.
[[nodiscard]] std::vector<const Row*> best_rows(const Results& results);

/// The library's row with the highest bandwidth, by the same rules; null if there is none.
[[nodiscard]] const Row* best_library(const Results& results);

/// Sectors of global and local memory that the launch moved for each KiB of the problem; 32 is the
/// least where nothing is reused. The row has counts.
[[nodiscard]] double sectors_per_kib(const Row& row);
/// Requests of global and local memory and wavefronts of constants for each KiB of the problem. The
/// row has counts.
[[nodiscard]] double requests_per_kib(const Row& row);

} // namespace common
