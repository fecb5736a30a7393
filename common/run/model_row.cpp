#include "common/run/model_row.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace common {

std::vector<Operation> scaled(std::vector<Operation> operations, double factor)
{
    const auto scale = [factor](std::uint64_t& bytes) {
        bytes = static_cast<std::uint64_t>(std::llround(static_cast<double>(bytes) * factor));
    };
    for (Operation& operation : operations) {
        for (std::uint64_t* bytes :
             {&operation.bytes, &operation.link_in_bytes, &operation.link_out_bytes})
            scale(*bytes);
        std::for_each(operation.peer_in_bytes.begin(), operation.peer_in_bytes.end(), scale);
        std::for_each(operation.peer_out_bytes.begin(), operation.peer_out_bytes.end(), scale);
    }
    return operations;
}

Modelled model_row(const std::vector<Operation>& operations, const Card& card, std::uint64_t n,
                   bool whole)
{
    const auto milliseconds = [whole](const Timeline& timeline) {
        return whole ? timeline.host_ms : timeline.device_ms;
    };
    Timeline timeline = model(operations, card);
    Modelled modelled;
    modelled.card = card.name;
    modelled.ms = milliseconds(timeline);
    modelled.left_out = timeline.bars.size() - std::min(timeline.bars.size(), Modelled::max_bars);
    timeline.bars.resize(timeline.bars.size() - modelled.left_out);
    modelled.bars = std::move(timeline.bars);
    for (unsigned power = 8; power <= 30; power += 2) {
        const std::uint64_t elements = std::uint64_t{1} << power;
        const double factor = static_cast<double>(elements) / static_cast<double>(n);
        Timeline other = model(scaled(operations, factor), card);
        modelled.at.push_back({elements, milliseconds(other)});
        if (elements == Modelled::drawn_elements) {
            other.bars.resize(modelled.bars.size());
            modelled.at.back().bars = std::move(other.bars);
        }
    }
    return modelled;
}

} // namespace common
