/// \file
/// What the host does with memory that a GPU would still be working on.
#pragma once

#include <string>

namespace cpu_device {

/// A sentence on the first time that the host has read or written what queued work writes, or
/// written what it reads, with no wait between; empty where it never has. Looked for where
/// Settings::watchful requests it.
[[nodiscard]] std::string early_use();

} // namespace cpu_device
