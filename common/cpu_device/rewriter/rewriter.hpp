/// \file
/// Turns the two things in a CUDA source that no C++ compiler can read, `k<<<...>>>(...)` and
/// `extern __shared__`, into C++, and marks the arrays that a GPU may have to keep in local memory.
/// Everything else that CUDA adds is a macro of `cpu_device/builtins.hpp`.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace launch_rewriter {

/// Something that the CPU device cannot run; what() is one sentence that begins with file:line.
class Unsupported : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// Asked for every `#include "name"`; returns what to write between the quotes instead, or nothing
/// to leave the line as it is.
using IncludeHandler = std::function<std::optional<std::string>(std::string_view name)>;

/// The text of `source` with its launches and dynamic shared arrays rewritten; every line stays
/// where it was. `file` is the name used in messages.
///
///     scale<T><<<grid, block>>>(x, n);   ->  CPU_DEVICE_KERNEL(scale<T>).on(grid, block)(x, n);
///     extern __shared__ float tile[];    ->  float (&tile)[] = ... start of the block's memory;
///     float x[8]; ... x[threadIdx.x % 8]  ->  float local_memory_x[8]; auto& x = ...
///
/// Throws Unsupported for a launch inside device code, PTX in device code, and what it cannot read.
[[nodiscard]] std::string rewrite(
    std::string_view source, const std::string& file,
    const IncludeHandler& include = [](std::string_view) { return std::nullopt; });

/// Rewrites `input` into `output`, and the files that it includes by `"name"` and that lie beside
/// it into `output`.includes/. Returns every file read, `input` first. Throws Unsupported, and
/// std::runtime_error for files that cannot be read or written.
std::vector<std::filesystem::path> rewrite_file(const std::filesystem::path& input,
                                                const std::filesystem::path& output);

} // namespace launch_rewriter
