#include "common/problem/scan.hpp"

#include "common/problem/parallel.hpp"
#include "common/problem/write_elements.hpp"

#include <numeric>

namespace common {

Scan::Scan(const Setting& setting, std::size_t size)
    : Problem("scan"), n(size), key_(random_bits::input_key(setting.seed, 0))
{}

Verdict Scan::verify()
{
    return output_.verify_again([this](std::size_t first, std::size_t count, void* out) {
        unsigned sum = before_[first / grain];
        for (std::size_t i = first / grain * grain; i < first; ++i)
            sum += element(i);
        for (std::size_t k = 0; k < count; ++k)
            static_cast<unsigned*>(out)[k] = sum += element(first + k);
    });
}

void Scan::make_arrays()
{
    const std::size_t tiles = (n + least_tile - 1) / least_tile;
    input_ = Buffer<unsigned>(n);
    output_ = Array(Element::u32, n);
    sums_ = Buffer<unsigned>(tiles);
    states_ = Buffer<unsigned long long>(tiles + 1);
    a = input_.data();
    c = static_cast<unsigned*>(output_.data());
    sums = sums_.data();
    states = states_.data();
    if (skips_initialization())
        return;
    write_elements(input_.data(), n, [this](std::size_t i) { return element(i); });
    before_.assign(n / grain + 1, 0); // at first of each part by itself, a place further on
    parallel_for(n / grain * grain, grain, [this](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            before_[i / grain + 1] += element(i);
    });
    std::partial_sum(before_.begin(), before_.end(), before_.begin());
}

} // namespace common
