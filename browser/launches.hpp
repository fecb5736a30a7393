/// \file
/// The kernels of the figures, as a reader's settings launch them.
#pragma once

#include "browser/lanes.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace figures {

/// A question and its settings: `time kernel=add_striped threads=256 per_thread=4`.
class Settings
{
  public:
    explicit Settings(std::string_view words);

    [[nodiscard]] const std::string& question() const { return question_; }
    [[nodiscard]] std::uint64_t number(const std::string& name, std::uint64_t otherwise) const;
    [[nodiscard]] unsigned small(const std::string& name, unsigned otherwise) const
    {
        return static_cast<unsigned>(number(name, otherwise));
    }
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
    double bytes = 0;                ///< that the task must move
    std::vector<std::size_t> arrays; ///< bytes of each; the last one is what it computes

    [[nodiscard]] std::uint64_t blocks() const { return std::uint64_t{grid.x} * grid.y; }
    [[nodiscard]] unsigned threads() const { return block.x * block.y; }
};

/// Settings that no kernel has launch nothing: a grid without a block.
[[nodiscard]] Launch make_launch(const Settings& settings);

// Each in a source of its own, in chapters/: an edited kernel compiles that one again.
namespace chapter_01 {
[[nodiscard]] Launch launch(const Settings& settings);
}
namespace chapter_03 {
[[nodiscard]] Launch launch(const Settings& settings);
}
namespace chapter_05 {
[[nodiscard]] Launch launch(const Settings& settings);
}
namespace chapter_06 {
[[nodiscard]] Launch launch(const Settings& settings);
}
namespace chapter_07 {
[[nodiscard]] Launch launch(const Settings& settings);
}
namespace chapter_14 {
[[nodiscard]] Launch launch(const Settings& settings);
}
namespace chapter_15 {
[[nodiscard]] Launch launch(const Settings& settings);
}
namespace chapter_16 {
[[nodiscard]] Launch launch(const Settings& settings);
}
namespace chapter_19 {
[[nodiscard]] Launch launch(const Settings& settings);
}
namespace chapter_20 {
[[nodiscard]] Launch launch(const Settings& settings);
}

// --- for those -----------------------------------------------------------------------------------

/// As common::blocks().
constexpr unsigned blocks(std::size_t elements, std::size_t per_block)
{
    return static_cast<unsigned>((elements + per_block - 1) / per_block);
}

/// make.operator()<value>() for the one of these values that a setting has; for the first, if it
/// has none.
template<unsigned first, unsigned... more, class Make>
auto choose(std::uint64_t value, Make make)
{
    const auto others = [&]<unsigned second, unsigned... rest>(auto self)
    {
        if (value == second)
            return make.template operator()<second>();
        if constexpr (sizeof...(rest) > 0)
            return self.template operator()<rest...>(self);
        else
            return make.template operator()<first>();
    };
    if constexpr (sizeof...(more) > 0)
        return others.template operator()<more...>(others);
    else
        return make.template operator()<first>();
}

/// c = a + b, of n floats each.
[[nodiscard]] Launch add(const Settings& settings,
                         void (*kernel)(Pointer<const float>, Pointer<const float>, Pointer<float>,
                                        std::size_t),
                         unsigned per_thread);
/// c = a transposed, or not: of a matrix. `down` says which way blockIdx.x runs; a block does
/// `covers`.
[[nodiscard]] Launch
of_matrix(const Settings& settings,
          void (*kernel)(Pointer<const float>, Pointer<float>, std::size_t, std::size_t), bool down,
          Dimensions block, Dimensions covers, std::size_t shared_bytes);

} // namespace figures
