/// \file
/// Work on large host arrays, spread over the processor's cores.
#pragma once

#include <cstddef>
#include <functional>

namespace common {

/// Calls `work(first, last)` for ranges of at most `grain` that cover 0 to `count`, from several
/// threads at once when there is more than one range. Rethrows the first exception.
void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t first, std::size_t last)>& work);

} // namespace common
