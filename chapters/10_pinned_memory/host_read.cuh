// A sum by the host, which reads each element once.
#pragma once

#include <cstddef>

//! [host_read]
// The host reads every element. Eight sums at once, so that the additions do not wait for each
// other and memory is what bounds it.
double add_on_host(const float* host, std::size_t n)
{
    double sums[8] = {};
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        for (std::size_t k = 0; k < 8; ++k) {
            sums[k] += static_cast<double>(host[i + k]);
        }
    }
    for (; i < n; ++i) {
        sums[0] += static_cast<double>(host[i]);
    }
    double sum = 0;
    for (double part : sums) {
        sum += part;
    }
    return sum;
}
//! [host_read]
