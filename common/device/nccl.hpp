/// \file
/// NCCL's collectives on the devices of a team, where the build has found NCCL.
#pragma once

#include "common/device/memory.hpp"
#include "common/device/team.hpp"

#include <memory>
#include <string>
#include <vector>

namespace common {

/// A communicator for each device of a team, made when the first collective needs it. A collective
/// takes an array on each device; it begins when `first`, a stream of device 0, has come to it, and
/// is done when that stream goes on. Where each device has a process of its own, each calls with
/// its own stream, and of the arrays only its own is used. All sums are of floats. Throws
/// std::runtime_error with NCCL's own words where it refuses.
class Nccl
{
  public:
    /// Keeps the team, which must outlive it; asks nothing of NCCL yet.
    explicit Nccl(Team& team);
    ~Nccl();

    /// Why there is none: empty where the build has found NCCL.
    [[nodiscard]] static std::string missing();

    /// Every array of `to` becomes the sum of all `from`, of n floats each. That is done `times` in
    /// a row, where no device waits for another but by NCCL's own kernels.
    void all_reduce(const std::vector<float*>& from, const std::vector<float*>& to, std::size_t n,
                    cudaStream_t first, unsigned times = 1);
    /// Registers all arrays of `from` and `to`, of n floats each, so that NCCL may access them
    /// without buffers of its own. Destroying the returned handle deregisters them.
    [[nodiscard]] std::shared_ptr<void>
    register_arrays(const std::vector<float*>& from, const std::vector<float*>& to, std::size_t n);
    /// Array k of `to`, of n floats, becomes part k of the sum of all `from`.
    void reduce_scatter(const std::vector<float*>& from, const std::vector<float*>& to,
                        std::size_t n, cudaStream_t first);
    /// Every array of `to` becomes all `from`, of n floats each, one behind another.
    void all_gather(const std::vector<float*>& from, const std::vector<float*>& to, std::size_t n,
                    cudaStream_t first);

  private:
    template<class Call>
    void run(const char* name, cudaStream_t first, Call call, unsigned times = 1);
    void make_communicators();

    struct Communicators;
    Team& team_;
    std::unique_ptr<Communicators> communicators_;
    Buffer<float> word_; ///< of each process: what they add up to meet
};

} // namespace common
