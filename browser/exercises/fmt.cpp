/// \file
/// {fmt} for a browser, compiled once, because distributions install its source for their own
/// processor alone: its headers, whose functions are kept whole here.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include <string>

namespace {

/// Requests all that the other sources call.
[[maybe_unused]] __attribute__((used)) std::string all(fmt::string_view text, fmt::format_args what)
{
    return fmt::vformat(text, what);
}

} // namespace
