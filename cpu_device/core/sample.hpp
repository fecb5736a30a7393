/// \file
/// Which blocks of a launch are counted.
#pragma once

#include "core/races.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace cpu_device {

/// Of one configuration: some tenths of a second.
inline constexpr std::uint64_t enough_requests = 1 << 20;
/// How much of a launch is traced for the simulation of the caches: sectors and steps. Two waves of
/// the book's kernels, and some tens of milliseconds.
inline constexpr std::size_t traced_size = std::size_t{1} << 19;

/// Of a launch that makes more than enough requests, some blocks are counted, spread over the grid;
/// the others run at full speed. One of so many neighbours is. How many follows from the first
/// blocks, and again from each part of the grid for those behind it: enough for that many requests,
/// and where blocks make different numbers of them, for an error of a tenth, unless that takes
/// six times as many. So counts do not depend on the host's threads. Any thread may call.
class Sample
{
  public:
    /// Blocks that are counted in any case, the first ones; unless the very first makes more than
    /// enough requests alone.
    static constexpr std::uint64_t first_blocks = LaunchRaces::watched_blocks;

    /// Neighbouring blocks of which one in so many is counted.
    struct Stratum
    {
        std::uint64_t stride = 1;
        std::uint64_t blocks = 0; ///< that it is of: those that are counted in any case are not
    };
    /// Instead of a place in strata(): of a block that is counted in any case, being one of the
    /// first, or one whose neighbours are traced. It stands for no others.
    static constexpr std::size_t always_counted = ~std::size_t{0};

    /// Without `possible`, all blocks are counted.
    Sample(bool possible, std::uint64_t blocks, std::uint64_t first_traced);

    /// The place in strata() of what a block is counted for; nothing if it is not counted. Waits
    /// until that is known: blocks have to be requested in order, and run by who asks.
    [[nodiscard]] std::optional<std::size_t> stratum_of(std::uint64_t block);
    /// A block that is counted has run; `can`: the kernel can run uncounted.
    void add(std::uint64_t block, std::uint64_t requests, bool can);
    /// Sampling weight of a counted block of that stratum: how many blocks it stands for.
    [[nodiscard]] std::uint64_t weight(std::size_t stratum);
    /// After the launch.
    [[nodiscard]] const std::vector<Stratum>& strata() const { return strata_; }

  private:
    static constexpr std::uint64_t parts = 64;

    /// Of a block behind the first ones. Of the last one, because that is where tests of the index
    /// decide.
    [[nodiscard]] bool is_certain(std::uint64_t block) const
    {
        return block - first_traced_ < traced_blocks_ || block + 1 == blocks_;
    }
    /// Lets others go on until `ready()`.
    template<class Ready>
    void wait_until(std::unique_lock<std::mutex>& lock, Ready ready)
    {
        while (!ready()) {
            const unsigned seen = changes_;
            lock.unlock();
            changes_.wait(seen);
            lock.lock();
        }
    }
    [[nodiscard]] std::uint64_t stride_for(double a_block) const;
    void note(std::uint64_t requests);
    void begin();
    void begin_part();

    const bool all_;
    const std::uint64_t blocks_;
    const std::uint64_t first_traced_;
    const std::uint64_t part_blocks_;
    std::mutex mutex_;
    std::atomic<unsigned> changes_ = 0; ///< under the mutex, whose holder may wait for one
    std::uint64_t traced_blocks_ = 0;
    std::uint64_t first_ = first_blocks;
    std::array<std::uint64_t, first_blocks> requests_{}; ///< of the first blocks,
    std::size_t first_done_ = 0;                         ///< of which so many have run,
    bool zero_done_ = false;                             ///< and this one
    bool can_ = true;
    bool others_noted_ = false;        ///< one behind those has run
    std::uint64_t noted_ = 0;          ///< blocks: the first ones, until then, and then the others
    std::uint64_t sum_ = 0;            ///< their requests,
    std::uint64_t sum_of_squares_ = 0; ///< and these squared
    std::vector<Stratum> strata_;
    std::array<std::size_t, parts> stratum_of_part_{};
    std::uint64_t known_parts_ = 0;   ///< parts that have a stratum
    std::uint64_t part_counted_ = 0;  ///< blocks of the last of them that are counted,
    std::uint64_t part_requests_ = 0; ///< their requests,
    std::uint64_t pending_ = 0;       ///< and how many have not run
};

} // namespace cpu_device
