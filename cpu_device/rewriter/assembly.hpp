/// \file
/// The PTX that the CPU device understands.
#pragma once

#include "rewriter/source.hpp"

#include <cstddef>

namespace launch_rewriter {

/// Makes C++ of the `asm` at token `keyword` if it is one instruction that reads a special register
/// (`mov.u32 %0, %laneid;`), or loads or stores with a cache hint (`ld.global.cs.f32 %0, [%1];`).
/// Returns whether it is.
bool rewrite_assembly(Source& source, std::size_t keyword);
/// `asm volatile("" ::: "memory")` holds no instruction: it only keeps compilers from moving
/// code across it.
[[nodiscard]] bool is_empty_assembly(const Source& source, std::size_t i);

} // namespace launch_rewriter
