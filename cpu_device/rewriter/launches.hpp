/// \file
/// Launches of kernels, by name and by address.
#pragma once

#include "rewriter/source.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace launch_rewriter {

using Names = std::set<std::string, std::less<>>;

/// The tokens of the `<<<` that begins at a token, which some formatters write as `<< <`; 0 if none
/// does.
[[nodiscard]] std::size_t chevron_tokens(const Source& source, std::size_t first);

/// Of kernels, by their names: "x, n".
using ParameterNames = std::map<std::string_view, std::string>;

/// Makes a call of the launch whose `<<<` begins at token `chevrons`; with the names of the
/// kernel's parameters, where they are known. Throws Unsupported.
void rewrite_launch(Source& source, std::size_t chevrons, const ParameterNames& parameters);

/// `(void*)k` and `reinterpret_cast<void*>(k)` forget k's parameters, which cudaLaunchKernel()
/// has to know: if `k` is one of `kernels`, both become a call that remembers them. `cast` is the
/// token that such a cast would begin with.
void rewrite_kernel_address(Source& source, std::size_t cast, const Names& kernels);

} // namespace launch_rewriter
