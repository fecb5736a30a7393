/// \file
/// The kernels of the figures, as a reader's settings launch them.
#pragma once

#include "lanes.hpp"

#include <cpu_device/operation.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace figures {

/// A question and its settings: `time kernel=add_strided threads=256 per_thread=4`.
class Settings
{
  public:
    explicit Settings(std::string_view words);

    [[nodiscard]] const std::string& question() const { return question_; }
    [[nodiscard]] std::uint64_t number(const std::string& name, std::uint64_t otherwise) const;
    [[nodiscard]] std::string word(const std::string& name, const std::string& otherwise) const;

  private:
    std::string question_;
    std::map<std::string, std::string> values_;
};

/// A kernel, ready to run for each thread of its grid.
struct Launch
{
    std::function<void()> kernel; ///< of the thread that lanes.hpp says
    Dimensions grid;
    Dimensions block;
    std::size_t shared_bytes = 0;
    double bytes = 0; ///< that the task must move

    [[nodiscard]] std::uint64_t blocks() const { return std::uint64_t{grid.x} * grid.y; }
    [[nodiscard]] unsigned threads() const { return block.x * block.y; }
};

/// Each array of a launch begins at a multiple of it: three have room in the 32 bits of an address.
constexpr std::uintptr_t array_bytes = std::uintptr_t{5} << 28;

/// Settings that no kernel has launch nothing: a grid without a block.
[[nodiscard]] Launch make_launch(const Settings& settings);

/// What chapter 04 asks of the runtime: chunk by chunk, in turn over the streams. One stream has
/// all of it in one piece.
[[nodiscard]] std::vector<cpu_device::Operation>
pipeline_operations(std::uint64_t n, std::uint64_t chunks, std::uint64_t streams, bool pinned);

} // namespace figures
