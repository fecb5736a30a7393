#include "common/run/share_rows.hpp"

#include "common/device/attribute.hpp"

#include <string>

namespace common {

std::string lack_of_shared_memory(std::size_t bytes)
{
    const std::size_t most = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    return bytes + 1024 <= most
               ? ""
               : "a block has " + std::to_string(most / 1024) + " KiB of shared memory, and " +
                     std::to_string(bytes / 1024 + 1) + " are needed";
}

Variant share_variant(const Histogram<unsigned>& p, bool full)
{
    return {.name = {}, // is the caller's
            .columns = {{"counters", p.bins}, {"values", name_of(p.spread())}},
            .full = full};
}

} // namespace common
