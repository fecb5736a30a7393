/// \file
/// The results of a chapter: what its table shows, and what a results file holds.
#pragma once

#include "common/device/environment.hpp"
#include "common/device/measure.hpp"
#include "common/model/timeline.hpp"
#include "common/report/parameter.hpp"

#include <cpu_device/counts.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace common {

/// `"cold"`, `"hot"`.
[[nodiscard]] const char* name(Cache cache);

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
    std::optional<double> share_of_copy = {}; ///< of copy_ceiling()
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
    std::optional<double> copy_gb_per_s = {}; ///< copy_ceiling(), where it was measured
    Environment environment;                  ///< compilers, versions, clocks, date
    std::vector<Parameter> options = {};      ///< of the command line
    std::vector<Row> rows = {};               ///< in the order of the table
};

/// A row for one launch of a program that is no chapter: named after its kernel, with its grid and
/// its block as parameters.
[[nodiscard]] Row row_of(const LaunchRecord& launch);

} // namespace common
