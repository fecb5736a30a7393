/// \file
/// Launches of kernels, by name and by address.
#pragma once

#include "rewriter/source.hpp"

#include <cstddef>
#include <functional>
#include <set>
#include <string>

namespace launch_rewriter {

using Names = std::set<std::string, std::less<>>;

/// The tokens of the `<<<` that begins at a token, which some formatters write as `<< <`; 0 if none
/// does.
[[nodiscard]] std::size_t chevron_tokens(const Source& source, std::size_t first);

/// Makes a call of the launch whose `<<<` begins at token `chevrons`. Throws Unsupported.
void rewrite_launch(Source& source, std::size_t chevrons);

/// `(void*)k` and `reinterpret_cast<void*>(k)` forget k's parameters, which cudaLaunchKernel()
/// has to know: if `k` is one of `kernels`, both become a call that remembers them. `cast` is the
/// token that such a cast would begin with.
void rewrite_kernel_address(Source& source, std::size_t cast, const Names& kernels);

} // namespace launch_rewriter
