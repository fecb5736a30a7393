#include "common/backend.hpp"

// docs/counters.py looks for the name.
__global__ void row_marker() {}

namespace common {

void mark_row(std::size_t row)
{
    row_marker<<<static_cast<unsigned>(row + 1), 1>>>();
}

} // namespace common
