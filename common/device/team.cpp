#include "common/device/team.hpp"

#include <algorithm>
#include <utility>

namespace common {

Team::Team(std::vector<int> devices) : devices_(std::move(devices))
{
    if (!spans_processes())
        devices_.resize(std::min<std::size_t>(devices_.size(), most));
}

Team::~Team()
{
    for (unsigned k = 0; k < size() && peer_access_; ++k)
        for (unsigned j = 0; j < size(); ++j)
            if (j != k && cudaSetDevice(device(k)) == cudaSuccess)
                static_cast<void>(cudaDeviceDisablePeerAccess(device(j)));
    if (peer_access_)
        static_cast<void>(cudaSetDevice(device(0)));
}

std::vector<AccessPath> Team::access_paths() const
{
    std::vector<AccessPath> all;
    for (unsigned k = 0; k < size(); ++k)
        for (unsigned j = 0; j < size(); ++j)
            if (k != j || k == 0)
                all.push_back({k, j});
    return all;
}

void Team::open()
{
    if (spans_processes())
        return;
    for (unsigned k = 0; owned_.size() < devices_.size(); ++k) {
        use(k);
        const Owned& own = owned_.emplace_back();
        main_.push_back({own.stream, own.event.get()});
        side_.push_back({own.side_stream, own.side_event.get()});
    }
    use(0);
}

} // namespace common
