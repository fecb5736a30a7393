/// \file
/// Functions that only the host runs. Nothing is told of their accesses, so they need no calls,
/// which would be most of what a reference takes that loops over arrays.
#pragma once

#include "rewriter/source.hpp"

#include <cstddef>
#include <optional>

namespace launch_rewriter {

struct HostFunction
{
    std::size_t first; ///< where an attribute may stand
    std::size_t name;
};
/// That whose body the brace `open` opens; nothing if it may belong to both sides.
[[nodiscard]] std::optional<HostFunction> host_function(const Source& source, std::size_t open);

} // namespace launch_rewriter
