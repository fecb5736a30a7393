/// \file
/// The GPUs that can be modelled, each described once: what a program sees of it, its caches, the
/// link and the host, and how fast each unit is.
#pragma once

#include <cpu_device/device_limits.hpp>

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace common {

/// One GPU and the host it is in. Times are in nanoseconds unless a name says otherwise, rates in
/// units a nanosecond (bytes: GB/s, of 10^9 bytes), of the whole GPU unless an SM is
/// named. The files in cards/ describe them; a card file that is read later, as `./run calibrate`
/// writes one of what it has measured, has the same form.
struct Card
{
    std::string option;              ///< as `--card` takes it: "h200"
    std::string name;                ///< as people write it: "H200"
    std::string basis;               ///< where the figures come from, as a sentence
    std::string doubt;               ///< how far off its times are, as a sentence; "" of the H200
    cpu_device::DeviceLimits limits; ///< what a program sees of it: sizes, limits, clocks

    std::size_t l1_bytes = 0;                ///< of an SM, shared memory included
    std::vector<std::size_t> carve_outs_kib; ///< what shared memory may take of it, ascending
    double l2_slices = 1;                    ///< of L2, each with units of its own
    /// A double for each figure of cards/h200.json, which says what it means, where it comes from
    /// and how it scales.
#define CARD_CONSTANT(name, scales) double name = 0;
#ifndef DOXYGEN // which has no build folder
#include "card_constants.inc"
#endif
#undef CARD_CONSTANT

    /// Clock of an SM, under load.
    [[nodiscard]] constexpr double clock_ghz() const
    {
        return limits.clock_khz / 1e6;
    }
    /// Of DRAM, by its clock and its width, in whole GB/s as data sheets have it.
    [[nodiscard]] constexpr double peak() const
    {
        return static_cast<int>(2e-6 * limits.memory_clock_khz * limits.memory_bus_bits / 8);
    }
};

/// The figures of a GPU by name, as in its file, with their places in a Card.
inline constexpr std::pair<std::string_view, double Card::*> card_constants[] = {
#define CARD_CONSTANT(name, scales) {#name, &Card::name},
#ifndef DOXYGEN
#include "card_constants.inc"
#endif
#undef CARD_CONSTANT
};

/// All GPUs that are built in; the first is the default.
[[nodiscard]] std::span<const Card> cards();
/// `"h200"` and so on.
[[nodiscard]] std::vector<std::string> card_options();
/// The GPU of that option or of that name, of cards() or added; null if there is none.
[[nodiscard]] const Card* find_card(std::string_view name);
/// The sentence for an option that no GPU has, with the nearest that one has and all of them.
[[nodiscard]] std::string unknown_card(std::string_view option);

/// A file that describes no GPU. what() is a sentence that names it and what is wrong.
class CardError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// True if what `--card` was given is a file and not a GPU's name: it ends in .json or has a '/'.
[[nodiscard]] bool names_card_file(std::string_view card);
/// Reads the file and adds its GPU, whose option is the path: it is found from now on, before one
/// of the same option that was added earlier. What the file says nothing of is that of its base
/// GPU, for the limits of this one. Throws CardError.
const Card& read_card_file(const std::string& path);
/// The same from text. `path` is the file's, for messages and as the option.
const Card& card_from_json(const std::string& text, const std::string& path);

} // namespace common
