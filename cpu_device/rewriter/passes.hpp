/// \file
/// What is looked for in a source, and changed: the rewriter calls these in one pass.
#pragma once

#include "rewriter/source.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace launch_rewriter {

// --- launches of kernels, by name and by address ---------------------------------------------

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

// --- declarations of `__shared__` arrays -----------------------------------------------------

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

// --- arrays that a GPU may have to put into local memory -------------------------------------

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

// --- PTX that the CPU device understands -----------------------------------------------------

/// Makes C++ of the `asm` at token `keyword` if it is one instruction that reads a special register
/// (`mov.u32 %0, %laneid;`), or loads or stores with a cache hint (`ld.global.cs.f32 %0, [%1];`).
/// Returns whether it is.
bool rewrite_assembly(Source& source, std::size_t keyword);
/// `asm volatile("" ::: "memory")` holds no instruction: it only keeps compilers from moving
/// code across it.
[[nodiscard]] bool is_empty_assembly(const Source& source, std::size_t i);

// --- functions that only the host runs -------------------------------------------------------

// Nothing is told of their accesses, so they need no calls, which would be most of what a reference
// takes that loops over arrays.

struct HostFunction
{
    std::size_t first; ///< where an attribute may stand
    std::size_t name;
};
/// That whose body the brace `open` opens; nothing if it may belong to both sides.
[[nodiscard]] std::optional<HostFunction> host_function(const Source& source, std::size_t open);

// --- shifts, whose count goes by another rule on a GPU than on a host ------------------------

/// True of a `<<` or `>>` with a count that is no literal. One `>>` that may close the
/// arguments of a template is taken for that.
[[nodiscard]] bool is_shift(const Source& source, std::size_t i);

} // namespace launch_rewriter
