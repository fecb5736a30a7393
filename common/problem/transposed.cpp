#include "common/problem/transposed.hpp"

namespace common {

Arrays<float> transposed(const Setting& setting, const Extent& m)
{
    return Arrays<float>(setting, {.task = "transpose", .n = m.size()},
                         [m](const Inputs<float>& in, std::size_t i) {
                             return in.a[i % m.rows * m.columns + i / m.rows];
                         });
}

} // namespace common
