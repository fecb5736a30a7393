#include "common/problem/selection.hpp"

#include "common/device/check.hpp"
#include "common/problem/parallel.hpp"
#include "common/problem/write_elements.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace common {

Selection::Selection(const Setting& setting, std::size_t size, Kept kept)
    : Problem("select"), n(size), key_(random_bits::input_key(setting.seed, 0)), kept_(kept)
{
    if (n > dropped)
        throw std::length_error("a selection is from up to 2^31 words");
}

Verdict Selection::verify()
{
    const auto number = static_cast<unsigned>(found());
    Verdict verdict = number_.verify(
        [&](std::size_t, std::size_t, void* out) { *static_cast<unsigned*>(out) = number; });
    verdict.output = "Of how many are kept: ";
    if (!verdict.ok)
        return verdict;
    if (order_ == KeptOrder::any)
        return verify_any_order();
    return output_.verify_again([this](std::size_t first, std::size_t wanted, void* out) {
        kept_words(first, wanted, static_cast<unsigned*>(out));
    });
}

void Selection::make_arrays()
{
    const std::size_t tiles = (n + least_tile - 1) / least_tile;
    input_ = Buffer<unsigned>(n);
    output_ = Array(Element::u32, n);
    number_ = Array(Element::u32, 1);
    sums_ = Buffer<unsigned>(tiles);
    states_ = Buffer<unsigned long long>(tiles + 1);
    a = input_.data();
    c = static_cast<unsigned*>(output_.data());
    count = static_cast<unsigned*>(number_.data());
    sums = sums_.data();
    states = states_.data();
    if (skips_initialization())
        return;
    write_elements(input_.data(), n, [this](std::size_t i) { return element(i); });
    before_.assign((n + grain - 1) / grain + 1,
                   0); // each part's own at first, a place further on
    parallel_for(n, grain, [this](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            before_[begin / grain + 1] += keeps(i) ? 1 : 0;
    });
    std::partial_sum(before_.begin(), before_.end(), before_.begin());
}

void Selection::kept_words(std::size_t first, std::size_t wanted, unsigned* out) const
{
    const auto part = std::upper_bound(before_.begin(), before_.end(), first) - 1;
    std::size_t number = *part; // of the kept word that comes next
    std::size_t k = 0;
    for (std::size_t i = static_cast<std::size_t>(part - before_.begin()) * grain;
         i < n && k < wanted; ++i)
        if (keeps(i) && number++ >= first)
            out[k++] = element(i);
    std::fill(out + k, out + wanted, untouched);
}

Verdict Selection::verify_any_order()
{
    std::vector<std::atomic<std::uint32_t>> seen(n / 32 + 1);
    return output_.verify([&](std::size_t first, std::size_t wanted, void* out) {
        auto* words = static_cast<unsigned*>(out);
        const std::size_t there = std::clamp(found(), first, first + wanted) - first;
        CHECK_CUDA(cudaMemcpy(words, c + first, there * sizeof(unsigned), cudaMemcpyDeviceToHost));
        for (std::size_t k = 0; k < there; ++k) {
            const std::size_t i = words[k];
            const std::uint32_t bit = 1U << i % 32;
            if (i >= n || !keeps(i) || (seen[i / 32].fetch_or(bit) & bit) != 0)
                words[k] = ~words[k]; // dropped, or there already: anything but this
        }
        std::fill(words + there, words + wanted, untouched);
    });
}

} // namespace common
