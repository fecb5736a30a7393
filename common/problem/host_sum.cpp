#include "common/problem/host_sum.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace common {

HostSum::HostSum(const Setting& setting, MemoryKind memory, std::size_t size)
    : Problem("host read"), seed_(setting.seed), memory_(memory), n_(size)
{}

Verdict HostSum::verify()
{
    Verdict verdict;
    verdict.size = 1;
    verdict.ok = sum_ == expected_;
    if (!verdict.ok) {
        verdict.mismatches = 1;
        verdict.first.push_back({0, format_element(Element::f64, &sum_),
                                 format_element(Element::f64, &expected_), std::isnan(sum_)});
    }
    return verdict;
}

void HostSum::make_arrays()
{
    // Made in cached memory: what is written to the other kind is not read back for the sum.
    std::vector<float> values(n_);
    generate(Element::f32, seed_, 0, 0, n_, values.data());
    expected_ = 0;
    for (const float value : values)
        expected_ += static_cast<double>(value);
    host_ = Buffer<float>(n_, memory_);
    std::copy(values.begin(), values.end(), host_.data());
}

} // namespace common
