/// \file
/// The launches of a program as the rows of its table: those of one kernel that count alike.
#pragma once

#include "common/model/card.hpp"
#include "common/model/time_model.hpp"

#include <cpu_device/launches.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace own_program {

inline constexpr std::size_t name_columns = 32; ///< of a kernel
inline constexpr int bad_usage = 2; ///< exit status, also where the report cannot be written

/// Launches of one kernel with one grid and one block that count alike.
struct Shape
{
    common::LaunchRecord total;
    common::Counts first; ///< of the first of them
    double first_ms = 0;  ///< likewise
    /// Of each of LaunchRecord::numbers the values that they were launched with.
    std::vector<std::set<long long>> numbers = {};
    std::uint64_t launches = 1; ///< counted
    std::uint64_t uncounted = 0;
    /// Of those of them that were modelled, with cold caches.
    std::uint64_t modelled = 0;
    double ms = 0;                     ///< of all of these
    double bytes = 0;                  ///< that move at least, likewise
    common::ModelledTime longest = {}; ///< the time of the one that takes longest,
    std::size_t longest_launch = 0;    ///< and its place among all launches
    std::string_view untimed = {};     ///< why one of them has no time, as untimed() says it
    bool mixed = false;                ///< its launches do not count alike

    /// True of a launch of the same kernel with the same configuration.
    [[nodiscard]] bool covers(const common::LaunchRecord& launch) const
    {
        return launch.kernel == total.kernel && launch.device == total.device &&
               !is_namesake(launch) && launch.grid == total.grid && launch.block == total.block &&
               launch.dynamic_shared_bytes == total.dynamic_shared_bytes;
    }

    /// True of another kernel of the same name: an overload, or a template with another lambda.
    [[nodiscard]] bool is_namesake(const common::LaunchRecord& launch) const
    {
        const std::string_view known[] = {launch.signature, total.signature};
        return launch.kernel == total.kernel && known[0] != known[1] && !known[0].empty() &&
               !known[1].empty();
    }

    /// Of all its launches, with cold caches; 0 where none was modelled.
    [[nodiscard]] double all_ms() const
    {
        return modelled == 0
                   ? 0
                   : ms * static_cast<double>(launches + uncounted) / static_cast<double>(launches);
    }

    void add(const Shape& other)
    {
        for (std::size_t i = 0; i < std::min(numbers.size(), other.numbers.size()); ++i)
            numbers[i].insert(other.numbers[i].begin(), other.numbers[i].end());
        total.counts += other.total.counts;
        total.link_in_bytes += other.total.link_in_bytes;
        total.link_out_bytes += other.total.link_out_bytes;
        launches += other.launches;
        uncounted += other.uncounted;
        modelled += other.modelled;
        ms += other.ms;
        bytes += other.bytes;
        untimed = untimed.empty() ? other.untimed : untimed;
        if (other.longest.ms > longest.ms) {
            longest = other.longest;
            longest_launch = other.longest_launch;
        }
    }
};

/// In the order of each shape's first launch. A kernel whose launches differ more often than a
/// table can show has one row for all of them.
[[nodiscard]] std::vector<Shape> shapes_of(const std::vector<common::LaunchRecord>& launches);

/// The kernel as the program calls it; with its parameters where that is not enough.
[[nodiscard]] std::string name_of(const Shape& shape, const std::vector<Shape>& shapes);

/// "stride 16, n 1 to 99": the whole numbers among its arguments by which its launches differ from
/// others of the same kernel and configuration; empty where they do not.
[[nodiscard]] std::string arguments_of(const Shape& shape, const std::vector<Shape>& shapes);

/// The GPU that times are modelled for: what MOVING_BYTES_CARD says, a name or a file, or
/// the default; null if that says "none". Ends the program if there is no such GPU.
[[nodiscard]] const common::Card* modelled_card();

/// The registers of a thread of the kernel, by nvcc, of several with that name the fewest; 0 where
/// nvcc is not installed or has not compiled it.
[[nodiscard]] int registers_of(const std::string& kernel);

/// What a launch asks of the GPU, if the caches were simulated and the time can be told; as many
/// blocks are resident as if they took no shared memory, unless `shared`.
[[nodiscard]] std::optional<common::Demand> demand_of(const common::LaunchRecord& launch,
                                                      bool shared = true);

/// Why there is no such thing, as the end of a sentence; empty where there is, or no model.
[[nodiscard]] std::string_view untimed(const common::LaunchRecord& launch);

/// The time of a launch on the GPU, where demand_of() has something.
[[nodiscard]] std::optional<common::ModelledTime> model(const common::LaunchRecord& launch);

/// Bytes that must move, at least: every sector that each launch touches, once.
[[nodiscard]] double dram_bytes(const common::LaunchRecord& launch);

} // namespace own_program
