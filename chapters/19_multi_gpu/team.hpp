// The devices of chapter 19, each with streams of its own, and how they wait for each other.
#pragma once

#include "common/chapter.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace common {

/// The devices of a chapter. One host thread drives them all: it says which device it means, queues
/// work there, and goes on to the next. Nothing is asked of a device before open().
class Team
{
  public:
    static constexpr unsigned most = 16; ///< devices of a team: pointers that a kernel is given

    /// The devices that the chapter has, up to `most` of them.
    explicit Team(const Chapter& chapter) : devices_(chapter.devices())
    {
        devices_.resize(std::min<std::size_t>(devices_.size(), most));
    }

    [[nodiscard]] unsigned size() const { return static_cast<unsigned>(devices_.size()); }
    /// The number that CUDA gives to device `k` of the team.
    [[nodiscard]] int device(unsigned k) const { return devices_[k]; }
    /// From here on this thread means device `k`. Throws CudaError.
    void use(unsigned k) const { CHECK_CUDA(cudaSetDevice(devices_[k])); }

    /// Makes streams and events, the first time. Throws CudaError.
    void open()
    {
        for (unsigned k = 0; lanes_.size() < devices_.size(); ++k) {
            use(k);
            lanes_.emplace_back();
        }
        use(0);
    }

    //! [peer_access]
    // Lets kernels of every device use the memory of every other, or forbids it. Access has a
    // direction: device k asks for what lies on device j, and j has to ask for itself.
    void peer_access(bool on)
    {
        open();
        for (unsigned k = 0; k < size() && on != peer_access_; ++k) {
            use(k);
            for (unsigned j = 0; j < size(); ++j) {
                if (j != k) {
                    CHECK_CUDA(on ? cudaDeviceEnablePeerAccess(device(j), 0)
                                  : cudaDeviceDisablePeerAccess(device(j)));
                }
            }
        }
        peer_access_ = on;
        use(0);
    }
    //! [peer_access]

    //! [fork_join]
    // The streams of the first `count` devices go on when `first`, a stream of device 0, has come
    // here. It takes the place of device 0's own.
    void fork(unsigned count, cudaStream_t first)
    {
        lanes_[0].begin.record(first);
        for (unsigned k = 1; k < count; ++k) {
            use(k);
            CHECK_CUDA(cudaStreamWaitEvent(lanes_[k].stream, lanes_[0].begin.get()));
        }
        use(0);
    }

    // None of them goes on before all have come here.
    void meet(unsigned count, cudaStream_t first)
    {
        const auto stream = [&](unsigned k) { return k == 0 ? first : lanes_[k].stream.get(); };
        for (unsigned k = 0; k < count; ++k) {
            use(k);
            lanes_[k].end.record(stream(k));
        }
        for (unsigned k = 0; k < count; ++k) {
            use(k);
            for (unsigned j = 0; j < count; ++j) {
                if (j != k) {
                    CHECK_CUDA(cudaStreamWaitEvent(stream(k), lanes_[j].end.get()));
                }
            }
        }
        use(0);
    }

    // queue(k, stream) for each of them.
    template<class Queue>
    void queue_on_each(unsigned count, cudaStream_t first, Queue queue)
    {
        for (unsigned k = 0; k < count; ++k) {
            use(k);
            queue(k, k == 0 ? first : lanes_[k].stream.get());
        }
        use(0);
    }

    // All three: two events on `first`, before and after, time what all devices do.
    template<class Queue>
    void each(unsigned count, cudaStream_t first, Queue queue)
    {
        fork(count, first);
        queue_on_each(count, first, queue);
        meet(count, first);
    }
    //! [fork_join]

    /// A second stream of device `k`, for what runs beside its first, and an event for each.
    [[nodiscard]] cudaStream_t side(unsigned k) const { return lanes_[k].side; }
    [[nodiscard]] cudaEvent_t side_begin(unsigned k) const { return lanes_[k].side_begin.get(); }
    [[nodiscard]] cudaEvent_t side_end(unsigned k) const { return lanes_[k].side_end.get(); }

    /// Variant::unavailable of what takes two devices.
    [[nodiscard]] Lazy<std::string> needs_two() const
    {
        return [this] { return std::string(size() < 2 ? "needs two GPUs" : ""); };
    }

  private:
    struct Lane
    {
        Stream stream;
        Stream side;
        Event begin;
        Event end;
        Event side_begin;
        Event side_end;
    };

    std::vector<int> devices_;
    std::vector<Lane> lanes_;
    bool peer_access_ = false;
};

} // namespace common
