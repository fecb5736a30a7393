/// \file
/// One source preprocessed twice: for the host, and for the device, where `__CUDA_ARCH__` is
/// defined.
#pragma once

#include <string>
#include <string_view>

namespace launch_rewriter {

/// Joins the two: the bodies of kernels and of functions for the device are the device's, those of
/// functions for the host the host's. A function for both that differs gets both bodies and
/// chooses when it runs. Outside all functions the device's lines stand, and the host's where the
/// device has none. Lines begin with marks of where they stood, as those of a preprocessor do.
[[nodiscard]] std::string join_passes(std::string_view host, std::string_view device);

} // namespace launch_rewriter
