#include "common/problem/words_of_steps.hpp"

#include "common/problem/parallel.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

namespace common {

Expected words_of_steps(const Words& p, std::size_t m, bool chain, std::size_t ahead)
{
    struct Known
    {
        std::once_flag once;
        std::vector<std::uint32_t> words;
    };
    return [&p, m, chain, ahead, known = std::make_shared<Known>()](std::size_t first,
                                                                    std::size_t count, void* out) {
        if (!chain)
            return p.input(first, count, static_cast<std::uint32_t*>(out));
        std::call_once(known->once, [&] {
            std::vector<std::uint32_t>& c = known->words;
            c.resize(p.n);
            for (std::size_t piece = 0; piece < p.n; piece += m)
                parallel_for(std::min(m, p.n - piece), 1 << 14,
                             [&](std::size_t begin, std::size_t end) {
                                 p.input(piece + begin, end - begin, &c[piece + begin]);
                                 for (std::size_t i = begin; i < end && piece > 0; ++i)
                                     c[piece + i] += c[piece - m + (i + ahead) % m];
                             });
        });
        std::memcpy(out, &known->words[first], count * sizeof(std::uint32_t));
    };
}

} // namespace common
