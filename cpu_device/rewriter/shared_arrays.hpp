/// \file
/// Declarations of `__shared__` arrays.
#pragma once

#include "rewriter/source.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace launch_rewriter {

/// An `extern __shared__` declaration: `float tile[][32]` is "float", "tile", "[][32]".
struct DynamicArray
{
    std::string type;
    std::string name;
    std::string extents;

    /// A reference to the array, so that it decays, indexes and casts as the original does.
    [[nodiscard]] std::string as_reference() const;
};

/// Rewrites the declaration whose `__shared__` is token `shared`, so that a C++ compiler reads it;
/// returns the array if it is dynamic. One `inside` a function is declared where it stands; one
/// outside has to be declared again in each function that names it. Throws Unsupported.
std::optional<DynamicArray> rewrite_shared_array(Source& source, std::size_t shared, bool inside);

} // namespace launch_rewriter
