/// \file
/// Finds the arrays that a GPU may have to put into local memory.
#pragma once

#include "rewriter/source.hpp"

#include <cstddef>
#include <vector>

namespace launch_rewriter {

/// A declaration, by its tokens.
struct LocalArray
{
    std::size_t name;
    std::size_t end;     ///< the `;` of its declaration
    bool surely = false; ///< no compiler can know an index, whatever it inlines and unrolls
};

/// The arrays in the body of a kernel, or of a function that kernels call, with an index that does
/// not look like one that a compiler knows after it has unrolled the loops. Where a declaration is
/// not plain, it is left alone. The function's parameters stand behind `specifier`, its body
/// between the braces `open` and `close`.
[[nodiscard]] std::vector<LocalArray> local_arrays(const Source& source, std::size_t specifier,
                                                   std::size_t open, std::size_t close);

/// True of the `for` of a loop behind `#pragma unroll 1`.
[[nodiscard]] bool keeps_its_loop(const Source& source, std::size_t keyword);

} // namespace launch_rewriter
