/// \file
/// Several devices, each with streams of its own, and how they wait for each other.
#pragma once

#include "common/device/check.hpp"
#include "common/device/memory.hpp"

#include <algorithm>
#include <vector>

namespace common {

/// A stream of a device, and an event that Team::record() records in it.
struct StreamWithEvent
{
    cudaStream_t stream = nullptr; ///< the team's; device 0's main stream is set by Team::fork()
    cudaEvent_t event = nullptr;   ///< the team's
};

/// A device that accesses memory, and the device whose memory that is: their numbers in a team.
struct AccessPath
{
    unsigned executor;     ///< the device whose kernel or copy accesses the memory
    unsigned memory_owner; ///< the device whose memory it is
};

/// The devices of a chapter (Chapter::devices()). One host thread drives them all: it selects a
/// device, queues work there, and goes on to the next. No device is called before open().
///
/// If each device has a process of its own (Ranks), a team has the devices of all processes. This
/// process uses one of them; the numbers of the others are `remote`, and they have no streams here.
class Team
{
  public:
    static constexpr unsigned most = 16; ///< devices of a team: pointers that a kernel is given
    static constexpr int remote = -1;    ///< the number of a device that another process uses

    /// A team of devices with these CUDA numbers, at most `most` in one process.
    explicit Team(std::vector<int> devices);

    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    /// Disables the peer access that was enabled.
    ~Team();

    /// Number of devices: 1 if the machine has only one.
    [[nodiscard]] unsigned size() const { return static_cast<unsigned>(devices_.size()); }
    /// The CUDA number of device `k` of the team.
    [[nodiscard]] int device(unsigned k) const { return devices_[k]; }
    /// Whether each device has a process of its own.
    [[nodiscard]] bool spans_processes() const
    {
        return std::find(devices_.begin(), devices_.end(), remote) != devices_.end();
    }
    /// Whether this process uses device `k`.
    [[nodiscard]] bool is_local(unsigned k) const { return devices_[k] != remote; }
    /// The paths from each device to every other one, and one to a device's own memory: that of
    /// device 0, which stands for all.
    [[nodiscard]] std::vector<AccessPath> access_paths() const;
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
    /// Selects device `k` for the calls of this thread; does nothing for a remote device. Throws
    /// CudaError.
    void use(unsigned k) const
    {
        if (is_local(k))
            CHECK_CUDA(cudaSetDevice(devices_[k]));
    }

    /// Creates the streams and events, in the first call. Throws CudaError.
    void open();

    /// The main stream of device `k`, which is timed. Call open() first.
    [[nodiscard]] const StreamWithEvent& main(unsigned k) const { return main_[k]; }
    /// Its side stream, for concurrent work: only wait() makes another stream wait for it.
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
    void record(unsigned k, const StreamWithEvent& stream) const
    {
        use(k);
        CHECK_CUDA(cudaEventRecord(stream.event, stream.stream));
    }
    /// Makes a stream of any device wait for the last recorded event of `other`.
    static void wait(const StreamWithEvent& waiting, const StreamWithEvent& other)
    {
        CHECK_CUDA(cudaStreamWaitEvent(waiting.stream, other.event));
    }
    //! [marks]

    //! [fork_meet]
    /// Makes the first `count` devices wait for the work queued on `first`, a stream of device 0,
    /// which becomes the main stream of device 0.
    void fork(unsigned count, cudaStream_t first)
    {
        main_[0].stream = first;
        record(0, main_[0]);
        for (unsigned k = 1; k < count; ++k) {
            wait(main_[k], main_[0]);
        }
    }

    /// Makes all `count` devices wait for each other.
    void barrier(unsigned count) const
    {
        for (unsigned k = 0; k < count; ++k) {
            record(k, main_[k]);
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
    void run_between_barriers(cudaStream_t first, Queue queue)
    {
        fork(size(), first);
        barrier(size());
        queue_on_each(size(), queue);
        barrier(size());
    }

    /// Forks, queues and joins: two events on `first`, before and after, time the work of all
    /// devices.
    template<class Queue>
    void fork_join(unsigned count, cudaStream_t first, Queue queue)
    {
        fork(count, first);
        queue_on_each(count, queue);
        barrier(count);
    }
    //! [fork_meet]

  private:
    struct Owned
    {
        Stream stream;
        Stream side_stream;
        Event event;
        Event side_event;
    };

    std::vector<int> devices_;
    std::vector<Owned> owned_;
    std::vector<StreamWithEvent> main_;
    std::vector<StreamWithEvent> side_;
    bool peer_access_ = false;
};

} // namespace common
