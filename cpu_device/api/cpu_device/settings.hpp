/// \file
/// Numbers that the environment says.
#pragma once

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <system_error>

namespace cpu_device {

/// The number from `least` to `most` that the environment variable `name` holds, whatever the
/// locale; nothing if it is not set. If it holds anything else, ends the process with status 2
/// after a sentence that says what it must be: `allowed`, "a whole number from 1 to 4".
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
    std::fflush(stdout);
    std::fprintf(stderr, "%s is '%s'; it must be %s.\n", name, text, allowed);
    std::_Exit(2);
}

} // namespace cpu_device
