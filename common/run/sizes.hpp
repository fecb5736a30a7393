/// \file
/// How large the arrays of a chapter are.
#pragma once

#include <cstddef>
#include <vector>

namespace common {

struct Options;

/// The sizes, in elements, of a chapter that sweeps them.
struct Sizes
{
    std::vector<std::size_t> gpu = {}; ///< on a GPU with --full
    std::vector<std::size_t> cpu = {}; ///< on the CPU device, and with --launch-once
    /// On a GPU without --full: some of `gpu`; all of them if this is empty.
    std::vector<std::size_t> default_sizes = {};
    /// Bytes per element of all arrays together; 0 if any size fits.
    std::size_t bytes_per_element = 0;
};

/// True where every row and size is requested: on the CPU device, with --full or --launch-once, and
/// of variants that --variant names without --usual.
[[nodiscard]] bool wants_everything(const Options& options);

/// Elements of an array: 2^20 on the CPU device and with --launch-once (2^16 with --quick), 2^28 on
/// a GPU (2^22).
[[nodiscard]] std::size_t usual_elements(const Options& options);
/// The same, or 2^26 where the GPU in use has less than 24 GiB. Throws CudaError.
[[nodiscard]] std::size_t elements_for_memory(const Options& options);

/// The sizes that the options request, each once, the smallest first: the smallest alone with
/// --quick, the largest alone with --launch-once.
[[nodiscard]] std::vector<std::size_t> chosen_sizes(const Options& options, const Sizes& all);
/// The same, without those whose arrays do not fit the free memory, which are named on standard
/// error. Throws CudaError.
[[nodiscard]] std::vector<std::size_t> fitting_sizes(const Options& options, const Sizes& all);
/// The sizes at which a chapter is modelled that runs at those for the CPU device: as many of those
/// that it has on a GPU, the largest but for those that are only there to be huge.
[[nodiscard]] std::vector<std::size_t> reference_sizes(const Sizes& all);

} // namespace common
