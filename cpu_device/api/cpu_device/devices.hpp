/// \file
/// How many devices the program sees.
#pragma once

namespace cpu_device {

/// As many devices as there can be at most.
inline constexpr int max_devices = 4;

/// Devices that the program sees: what set_device_count() says, or Settings::devices.
[[nodiscard]] int device_count();

/// To be called before the first CUDA call, which may request the number; it takes precedence over
/// the settings. All devices are alike, each with its memory, its streams and its events. Throws
/// std::invalid_argument, with a sentence, if `count` is not 1 to max_devices, or if a device that
/// would go away has been used.
void set_device_count(int count);

} // namespace cpu_device
