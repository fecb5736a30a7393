/// \file
/// The accesses of the launches that were traced.
#pragma once

#include "common/trace/accesses.hpp"

#include <cstddef>

namespace own_program {

using common::Access;
using common::Accesses;

/// Of the atomics that the lanes of a launch request, the share that its warps do where nvcc has
/// one lane add for all that come to the same line (combined_atomics()).
[[nodiscard]] double atomics_left(const Accesses& accesses);

/// Keeps those of every launch that is traced from here on, and models the GPU's caches.
void watch_accesses();
/// Those of a launch by its place in cpu_device::launches(); null where it was not traced.
[[nodiscard]] const Accesses* accesses_of(std::size_t launch);

} // namespace own_program
