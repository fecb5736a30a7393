/// \file
/// What streams, events and waits promise about the order of a program's operations.
#pragma once

#include "common/device/device.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace common {

/// Names the first copy or kernel that may still run when the host has made its last call; empty
/// if there is none.
[[nodiscard]] std::string left_undone(const std::vector<Operation>& operations);

/// Names the first copy or kernel queued before that may still use the host's memory when the host
/// works on it or unlocks it, or managed memory when its pages come back; empty if there is none.
[[nodiscard]] std::string touched_too_early(const std::vector<Operation>& operations);

/// Names a kernel that may run before a copy to its device, from the host or from another device,
/// or another kernel of the device, queued before it has finished, or a copy to the host before
/// such a kernel; empty if there is none. Only operations of the same of `pieces` are asked about:
/// the k-th of that many equal shares of the copies in, of the kernels and of the copies out are of
/// one piece.
[[nodiscard]] std::string out_of_order(const std::vector<Operation>& operations,
                                       std::size_t pieces);

/// Names a copy to the device of one piece and a kernel or copy to the host of the piece before it
/// that cannot run at the same time, because one waits for the other; empty if there is none.
[[nodiscard]] std::string kept_apart(const std::vector<Operation>& operations, std::size_t pieces);

/// Names a kernel, or a copy between devices, that waits for a kernel of another device, or a copy
/// for one of its own; empty if there is none.
[[nodiscard]] std::string waits_for_kernel(const std::vector<Operation>& operations);

} // namespace common
