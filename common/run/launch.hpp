/// \file
/// What a row is, and what it runs: variants, their columns, launches and their grids.
#pragma once

#include "common/device/measure.hpp"
#include "common/report/parameter.hpp"

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace common {

/// A value, or a question to the device that is asked once, when a row that needs it runs. Copies
/// share the answer. T is unsigned, std::string or Parameter: what does not depend on the question
/// is compiled once for each, in launch.cpp, and not with every chapter.
template<class T>
class Lazy
{
  public:
    /// A value that is known.
    template<class U>
    requires std::convertible_to<U, T> Lazy(U value) : state_(known_state(T(std::move(value)))) {}
    /// A value that `question` will return.
    template<class Question>
    requires std::is_invocable_r_v<T, Question> Lazy(Question question)
        : state_(asked_state(std::move(question)))
    {}
    Lazy(const Lazy&);                ///< shares the answer
    Lazy(Lazy&&) noexcept;            ///< takes it
    Lazy& operator=(const Lazy&);     ///< shares it
    Lazy& operator=(Lazy&&) noexcept; ///< takes it
    ~Lazy();

    /// True if it is known without asking.
    [[nodiscard]] bool known() const;
    /// The value; asks if it is not known.
    [[nodiscard]] const T& operator()() const;

  private:
    struct State;
    static std::shared_ptr<State> known_state(T value);
    static std::shared_ptr<State> asked_state(std::function<T()> question);
    std::shared_ptr<State> state_;
};

/// One more column of a row: {"per_thread", 4}, {"occupancy", [&] { return occupancy(256); }}.
struct Column
{
    /// A value that is known: a number or a word.
    template<class T>
    Column(std::string name, T value) : parameter(Parameter(std::move(name), std::move(value)))
    {}
    /// A function that returns one.
    template<std::invocable Question>
    Column(std::string name, Question question)
        : parameter([name = std::move(name), question = std::move(question)] {
              return Parameter(name, question());
          })
    {}

    Lazy<Parameter> parameter; ///< heading and value
};

/// One row of a chapter's table, and what happens around its launch.
struct Variant
{
    std::string name;                 ///< what `--variant` selects; several rows may share it
    Lazy<unsigned> threads = 0u;      ///< threads per block; 0 where that says nothing
    std::vector<Column> columns = {}; ///< further columns
    /// Why it cannot run here; empty where it can. Asked only when the row would run.
    Lazy<std::string> unavailable = std::string();
    std::string task = {}; ///< where it is not the problem's
    /// What the time model cannot know of it, as the end of a sentence; empty where it can tell a
    /// time.
    std::string model_excluded_reason = {};
    /// True if a block's work depends on the progress of other blocks, as when it spins on a flag:
    /// the CPU device then runs blocks one by one, so that counts are the same in every run.
    bool sequential_blocks = false;
    /// True for a row that the chapter does not discuss: on a GPU it runs only with --full, with
    /// --launch-once or with its name after --variant.
    bool full_only = false;
    /// Called once, before everything else.
    std::function<void()> setup = {};
    /// Brings the data to where a transfer finds it; called before every launch, and not timed.
    Launch before = {};
    /// Does what is left of a transfer, so that the output can be verified; called before that.
    Launch after = {};
    /// Cold samples begin by making lines that an access policy holds in the L2 ordinary ones,
    /// unless this is set.
    bool keep_persisting_lines = false;
};

/// Most blocks in the first dimension of a grid.
inline constexpr std::size_t max_blocks = 0x7fff'ffff;
/// Most blocks in the second dimension of a grid.
inline constexpr std::size_t max_blocks_y = 0xffff;

/// Throws std::length_error: a grid of `count` blocks is too large.
[[noreturn]] void throw_too_many_blocks(std::size_t count);

/// Blocks of `per_block` elements that cover `n` elements: the quotient rounded up. Throws
/// std::length_error where that is more than max_blocks.
[[nodiscard]] constexpr unsigned blocks(std::size_t n, std::size_t per_block)
{
    const std::size_t count = n / per_block + (n % per_block == 0 ? 0 : 1);
    if (count > max_blocks)
        throw_too_many_blocks(count);
    return static_cast<unsigned>(count);
}

/// Grid of blocks of `block_width` x `block_height` elements that covers `width` x `height` of
/// them. Throws std::length_error where that is more than max_blocks times max_blocks_y.
[[nodiscard]] dim3 grid(std::size_t width, std::size_t height, std::size_t block_width,
                        std::size_t block_height);

/// Why no block can have `bytes` of shared memory, and a KiB that a kernel has of its own; empty
/// where it can. Throws CudaError.
[[nodiscard]] std::string lack_of_shared_memory(std::size_t bytes);

/// Variant::unavailable where the GPU's compute capability is below `major`.0, where a block cannot
/// have `shared` bytes of shared memory, and on the CPU device.
[[nodiscard]] Lazy<std::string> needs_compute_capability(int major, std::size_t shared = 0);

} // namespace common
