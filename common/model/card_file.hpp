/// \file
/// Cards that `./run calibrate` writes: what was measured of one, as JSON.
#pragma once

#include "common/model/card.hpp"

#include <stdexcept>
#include <string>
#include <string_view>

namespace common {

/// A file that describes no GPU. what() is a sentence that names it and what is wrong.
class CardError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// True if what `--card` was given is a file and not a GPU's name: it ends in .json or has a '/'.
[[nodiscard]] bool names_card_file(std::string_view card);
/// Reads the file and adds its GPU, whose option is the path. What the file says nothing of is
/// that of its base GPU, for the limits of this one (with_limits()). Throws CardError.
const Card& read_card_file(const std::string& path);
/// The same from text. `path` is the file's, for messages and as the option.
const Card& card_from_json(const std::string& text, const std::string& path);

} // namespace common
