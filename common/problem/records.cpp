#include "common/problem/records.hpp"

namespace common {

ArrayOptions records(std::size_t n, std::size_t fields, std::size_t used)
{
    constexpr std::size_t tile = AddToRecords::tile;
    return {.task = used == fields ? "add to records" : "add to one field",
            .n = (n + tile - 1) / tile * tile * fields,
            .size = n,
            .bytes = 2 * n * used * sizeof(float),
            .background = kept_byte};
}

} // namespace common
