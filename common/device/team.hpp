/// \file
/// Several devices, each with streams of its own, and how they wait for each other.
#pragma once

#include "common/device/check.hpp"
#include "common/device/memory.hpp"

#include <algorithm>
#include <vector>

namespace common {

/// A stream of a device, and an event that marks how far it has come.
struct StreamWithEvent
{
    cudaStream_t stream = nullptr; ///< of its team, but for device 0's main one: see Team::fork()
    cudaEvent_t mark = nullptr;    ///< of its team
};

/// A device that uses memory, and the device that has it: their numbers in a team.
struct AccessPath
{
    unsigned executor;     ///< the one that uses it
    unsigned memory_owner; ///< the one that has it
};

/// The devices of a chapter (Chapter::devices()). One host thread drives them all: it says which
/// device it means, queues work there, and goes on to the next. Nothing is asked of a device before
/// open().
///
/// Where each device has a process of its own (Ranks), a team has the devices of all, of which this
/// process can use one: the others' numbers are `elsewhere`, and there are no streams to wait for.
class Team
{
  public:
    static constexpr unsigned most = 16; ///< devices of a team: pointers that a kernel is given
    static constexpr int elsewhere = -1; ///< the number of a device that another process uses

    /// Devices by the numbers that CUDA gives them, up to `most` of them in one process.
    explicit Team(std::vector<int> devices);

    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    /// Access that was requested ends with the team.
    ~Team();

    /// Devices: 1 where the machine has no other.
    [[nodiscard]] unsigned size() const { return static_cast<unsigned>(devices_.size()); }
    /// The number that CUDA gives to device `k` of the team.
    [[nodiscard]] int device(unsigned k) const { return devices_[k]; }
    /// Whether each device has a process of its own.
    [[nodiscard]] bool spans_processes() const
    {
        return std::find(devices_.begin(), devices_.end(), elsewhere) != devices_.end();
    }
    /// Whether this process is the one that uses device `k`.
    [[nodiscard]] bool here(unsigned k) const { return devices_[k] != elsewhere; }
    /// From each device to each other one; and from the first to itself: every device is as far
    /// from its own memory.
    [[nodiscard]] std::vector<AccessPath> ways() const;
    //! [ask]
    /// Whether kernels of device k can access the memory of device j after peer_access(true).
    [[nodiscard]] bool can_access(unsigned k, unsigned j) const
    {
        int can = 0;
        CHECK_CUDA(cudaDeviceCanAccessPeer(&can, device(k), device(j)));
        return can != 0;
    }
    /// Returns an attribute of the path from device k to the memory of device j. Throws CudaError
    /// if both are the same device.
    [[nodiscard]] int peer_attribute(unsigned k, unsigned j, cudaDeviceP2PAttr which) const
    {
        int value = 0;
        CHECK_CUDA(cudaDeviceGetP2PAttribute(&value, which, device(k), device(j)));
        return value;
    }
    //! [ask]
    /// From here on this thread means device `k`; the same as before, where that is elsewhere.
    /// Throws CudaError.
    void use(unsigned k) const
    {
        if (here(k))
            CHECK_CUDA(cudaSetDevice(devices_[k]));
    }

    /// Makes streams and events, the first time. Throws CudaError.
    void open();

    /// The stream of device `k` that the time is taken of, once open() has made it.
    [[nodiscard]] const StreamWithEvent& main(unsigned k) const { return main_[k]; }
    /// One for what runs next to it: nothing waits for it unless wait() says so.
    [[nodiscard]] const StreamWithEvent& side(unsigned k) const { return side_[k]; }

    //! [peer_access]
    /// Enables or disables access of every device's kernels to the memory of every other device.
    /// Access has a direction: device k enables its access to device j, and j to k.
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

    //! [marks]
    /// Records the event of a stream of device k.
    void mark(unsigned k, const StreamWithEvent& of) const
    {
        use(k);
        CHECK_CUDA(cudaEventRecord(of.mark, of.stream));
    }
    /// Makes a stream of any device wait for the last recorded event of `other`.
    static void wait(const StreamWithEvent& waiting, const StreamWithEvent& other)
    {
        CHECK_CUDA(cudaStreamWaitEvent(waiting.stream, other.mark));
    }
    //! [marks]

    //! [fork_meet]
    /// Makes the first `count` devices wait for the work queued on `first`, a stream of device 0,
    /// which becomes the main stream of device 0.
    void fork(unsigned count, cudaStream_t first)
    {
        main_[0].stream = first;
        mark(0, main_[0]);
        for (unsigned k = 1; k < count; ++k) {
            wait(main_[k], main_[0]);
        }
    }

    /// Makes all `count` devices wait for each other.
    void meet(unsigned count) const
    {
        for (unsigned k = 0; k < count; ++k) {
            mark(k, main_[k]);
        }
        for (unsigned k = 0; k < count; ++k) {
            for (unsigned j = 0; j < count; ++j) {
                if (j != k) {
                    wait(main_[k], main_[j]);
                }
            }
        }
        use(0);
    }

    /// Calls queue(k, stream) for each of the first `count` devices.
    template<class Queue>
    void queue_on_each(unsigned count, Queue queue) const
    {
        for (unsigned k = 0; k < count; ++k) {
            use(k);
            queue(k, main_[k].stream);
        }
        use(0);
    }

    /// Calls queue(k, stream) for each device, between two barriers: the first waits for all
    /// inputs, the second for all results.
    template<class Queue>
    void between_barriers(cudaStream_t first, Queue queue)
    {
        fork(size(), first);
        meet(size());
        queue_on_each(size(), queue);
        meet(size());
    }

    /// Forks, queues and meets: two events on `first`, before and after, time the work of all
    /// devices.
    template<class Queue>
    void each(unsigned count, cudaStream_t first, Queue queue)
    {
        fork(count, first);
        queue_on_each(count, queue);
        meet(count);
    }
    //! [fork_meet]

  private:
    struct Owned
    {
        Stream stream;
        Stream side_stream;
        Event mark;
        Event side_mark;
    };

    std::vector<int> devices_;
    std::vector<Owned> owned_;
    std::vector<StreamWithEvent> main_;
    std::vector<StreamWithEvent> side_;
    bool peer_access_ = false;
};

} // namespace common
