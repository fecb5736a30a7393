/// \file
/// Turns the two things in a CUDA source that no C++ compiler can read, `k<<<...>>>(...)` and
/// `extern __shared__`, into C++, and marks the arrays that a GPU may have to keep in local memory.
/// Everything else that CUDA adds is a macro of `cpu_device/detail/qualifiers.hpp`.
///
/// The rewriter is a program of its own: it includes nothing of the other rooms.
#pragma once

#include <string>
#include <string_view>

namespace launch_rewriter {

/// The text of `source` with its launches and dynamic shared arrays rewritten; every line stays
/// where it was. `file` is the name used in messages. Of a `preprocessed` text the functions of the
/// host go without the calls before each access, which would be most of what a reference takes. A
/// page passes its programs as they are written: clang does not preprocess behind a precompiled
/// header, without which a page would compile all headers each time.
///
///     scale<T><<<grid, block>>>(x, n);   ->  CPU_DEVICE_KERNEL(scale<T>).on(grid, block)(x, n);
///     extern __shared__ float tile[];    ->  float (&tile)[] = ... start of the block's memory;
///     float x[8]; ... x[threadIdx.x % 8]  ->  float local_memory_x[8]; auto& x = ...
///
/// Throws Unsupported for a launch inside device code, PTX in device code, and what it cannot read.
[[nodiscard]] std::string rewrite(std::string_view source, const std::string& file,
                                  bool preprocessed = false);

} // namespace launch_rewriter
