/// \file
/// The devices that a chapter uses.
#pragma once

#include "common/run/options.hpp"

#include <vector>

namespace common {

/// Has the CPU device be as many as a chapter of `usual` devices takes, unless --devices or the
/// environment says how many. To be called before the first CUDA call. Ends the program with status
/// 2 where the chapter cannot have as many.
void offer_devices(const Options& options, int usual);

/// Selects the device that --gpu names, and returns those of a chapter of `usual` devices as CUDA
/// numbers them, that one first: all there are, or as many as --devices says. Ends the program with
/// status 4 without a device, and with 2 where one is not there.
[[nodiscard]] std::vector<int> open_devices(const Options& options, int usual);

/// The same under --list, which asks nothing of a device.
[[nodiscard]] std::vector<int> listed_devices(const Options& options, int usual);

} // namespace common
