/// \file
/// Rewrites a source and the files beside it that it includes.
#pragma once

#include <filesystem>
#include <vector>

namespace launch_rewriter {

/// Rewrites `input` into `output`, and the files that it includes by `"name"` and that lie beside
/// it into `output`.includes/. Returns every file read, `input` first. Throws Unsupported, and
/// std::runtime_error for files that cannot be read or written.
std::vector<std::filesystem::path> rewrite_file(const std::filesystem::path& input,
                                                const std::filesystem::path& output);

} // namespace launch_rewriter
