/// \file
/// NCCL's collectives on the devices of a team, where the build has found NCCL.
#pragma once

#include "common/device/team.hpp"

#include <memory>
#include <string>

namespace common {

/// A communicator for each device of a team, made when the first collective needs it. All sums are
/// of floats. Throws std::runtime_error with NCCL's own words where it refuses.
class Nccl
{
  public:
    /// Keeps the team, which must outlive it; asks nothing of NCCL yet.
    explicit Nccl(Team& team);
    ~Nccl();

    /// Why there is none: empty where the build has found NCCL.
    [[nodiscard]] static std::string missing();

    /// call(k, stream) for each device, between what NCCL calls the start and the end of a group:
    /// one thread asks for all devices, and nothing begins before all are asked for.
    template<class Call>
    void run(cudaStream_t first, Call call)
    {
        open();
        team_.fork(team_.size(), first);
        begin_group();
        team_.queue_on_each(team_.size(), call);
        end_group();
        team_.meet(team_.size());
    }

    /// Every `to` of n floats becomes the sum of all `from`.
    void all_reduce(unsigned k, const float* from, float* to, std::size_t n, cudaStream_t stream);
    /// `to`, of n floats, becomes part k of the sum of all `from`.
    void reduce_scatter(unsigned k, const float* from, float* to, std::size_t n,
                        cudaStream_t stream);
    /// Every `to` becomes all `from`, of n floats each, one behind another.
    void all_gather(unsigned k, const float* from, float* to, std::size_t n, cudaStream_t stream);

  private:
    void open();
    static void begin_group();
    static void end_group();

    struct Communicators;
    Team& team_;
    std::unique_ptr<Communicators> communicators_;
};

} // namespace common
