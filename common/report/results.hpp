/// \file
/// The results of a chapter: what its table shows, and what a results file holds.
#pragma once

#include "common/device/environment.hpp"
#include "common/device/measure.hpp"
#include "common/model/time_model.hpp"
#include "common/report/parameter.hpp"
#include "common/timeline/timeline.hpp"

#include <cpu_device/counts.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace common {

/// `"cold"`, `"hot"`.
[[nodiscard]] const char* name(Cache cache);

/// A timeline as a row of the results holds it.
struct Modelled
{
    /// The same row with another number of elements: all bytes scaled.
    struct At
    {
        std::uint64_t n = 0;        ///< elements
        double ms = 0;              ///< as below
        std::vector<Bar> bars = {}; ///< at drawn_elements alone
    };

    std::string card; ///< Card::name
    double ms = 0;    ///< of the device for a kernel, of the host for a transfer
    // Of kernels alone, from the time model; empty where the link decides:
    std::optional<std::uint64_t> n = {};      ///< elements, those of the reference results
    std::optional<double> gb_per_s = {};      ///< Row::bytes at that size over the time
    std::optional<double> share_of_peak = {}; ///< of the GPU's memory, 0 to 1
    std::string limited_by = {};              ///< Bound::name, of the kernel that takes longest
    std::vector<Bound> bounds = {};           ///< likewise, the least time that each makes
    std::optional<Traffic> traffic = {};      ///< of all of them
    std::vector<Demand> demands = {};         ///< of each of them: the time follows from these
    // Of what crosses the link:
    std::vector<Bar> bars;    ///< at most max_bars
    std::size_t left_out = 0; ///< bars that were one too many
    std::vector<At> at = {};  ///< 2^8, 2^10, ..., 2^30 elements

    /// Bars that a results file holds of one timeline.
    static constexpr std::size_t max_bars = 256;
    /// The usual size of the reference results, for which the book draws timelines.
    static constexpr std::uint64_t drawn_elements = std::uint64_t{1} << 28U;
};

/// One line of a table. What was not measured, counted or checked is empty.
struct Row
{
    std::string variant;                    ///< its name
    std::string task = {};                  ///< Problem::task(); none in a reader's own program
    std::vector<Parameter> parameters = {}; ///< in the order of the columns: threads, ..., n
    std::uint64_t bytes = 0;                ///< that any solution must move
    /// Problem::operations(), where there are any.
    std::optional<std::uint64_t> operations = {};
    std::optional<bool> verified = {};        ///< before and after it was measured
    bool library = false;                     ///< a library's solution, not the chapter's
    std::optional<Cache> cache = {};          ///< at the start of a sample
    bool in_l2 = false;                       ///< faster than the memory can be: it was the cache
    std::optional<Timing> time = {};          ///< on a GPU
    std::optional<double> gb_per_s = {};      ///< bytes over the median time, in 10^9 per second
    std::optional<double> share_of_peak = {}; ///< of theoretical_peak(), 0 to 1
    std::optional<double> share_of_copy = {}; ///< of copy_bandwidth()
    std::optional<GpuState> gpu = {};         ///< on a GPU, right behind the samples
    std::optional<Energy> energy = {};        ///< on a GPU, with --energy
    std::optional<Counts> counts = {};        ///< on the CPU device
    /// That went from one device to another, by copies and kernels, on the CPU device; empty where
    /// nothing did.
    std::optional<std::uint64_t> peer_bytes = {};
    std::optional<Modelled> modelled = {};  ///< on the CPU device
    std::string model_excluded_reason = {}; ///< Variant::model_excluded_reason; in no file
    std::string note = {};                  ///< why something is missing, or what is wrong

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
    static constexpr int schema = 2; ///< the only one that is read

    std::string chapter;                      ///< "05_float4"
    DeviceDescription device;                 ///< that it was run on
    std::optional<double> copy_gb_per_s = {}; ///< copy_bandwidth(), where it was measured
    Environment environment;                  ///< compilers, versions, clocks, date
    std::vector<Parameter> options = {};      ///< of the command line
    std::vector<Row> rows = {};               ///< in the order of the table
};

/// A row for one launch of a program that is no chapter: named after its kernel, with its grid and
/// its block as parameters.
[[nodiscard]] Row row_of(const LaunchRecord& launch);

} // namespace common
