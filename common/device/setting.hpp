/// \file
/// Numbers that the environment says.
#pragma once

#include "common/text/terminal.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <system_error>

namespace common {

/// Ends the process with status 2 after a sentence that says what the environment variable `name`,
/// which is set, must be: `allowed`, "a whole number from 1 to 4".
[[noreturn]] inline void refuse_setting(const char* name, const char* allowed)
{
    end_program(2,
                std::string(name) + " is '" + std::getenv(name) + "'; it must be " + allowed + ".");
}

/// The number from `least` to `most` that the environment variable `name` holds, whatever the
/// locale; nothing if it is not set. Anything else is refused: see refuse_setting().
template<class Number>
[[nodiscard]] std::optional<Number> setting(const char* name, Number least, Number most,
                                            const char* allowed)
{
    const char* const text = std::getenv(name);
    if (text == nullptr)
        return {};
    const char* const end = text + std::strlen(text);
    Number number{};
    const auto [behind, error] = std::from_chars(text, end, number);
    if (error == std::errc() && behind == end && number >= least && number <= most)
        return number;
    refuse_setting(name, allowed);
}

} // namespace common
