/// \file
/// Rewrites a source: with the files next to it that it includes, or preprocessed.
#pragma once

#include "rewriter/rewriter.hpp"

#include <filesystem>
#include <vector>

namespace launch_rewriter {

/// Rewrites `input` into `output`, with the files that it includes by `"name"` and that lie next to
/// it in their places. Returns every file read, `input` first. Throws Unsupported, and
/// std::runtime_error for files that cannot be read or written.
std::vector<std::filesystem::path> rewrite_file(const std::filesystem::path& input,
                                                const std::filesystem::path& output);

/// Rewrites what the preprocessor made of a source into `output`. Throws as rewrite_file() does.
void rewrite_preprocessed(const std::filesystem::path& input, const std::filesystem::path& output);

} // namespace launch_rewriter
