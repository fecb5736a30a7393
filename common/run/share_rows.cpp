#include "common/run/share_rows.hpp"

namespace common {

Variant share_variant(const Histogram<unsigned>& p, bool full)
{
    return {.name = {}, // is the caller's
            .columns = {{"counters", p.bins}, {"values", name_of(p.spread())}},
            .full = full};
}

} // namespace common
