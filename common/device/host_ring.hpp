/// \file
/// An all-reduce between processes without NCCL: through the memory of their hosts, around a ring.
#pragma once

#include "common/device/memory.hpp"
#include "common/device/socket.hpp"

#include <cstddef>
#include <vector>

namespace common {

/// Connections from each rank to the next, made when the first sum needs them.
class HostRing
{
  public:
    /// Array `ranks().rank()` of `to` becomes the sum of all ranks' `from`, of n floats each.
    /// Returns when this rank has its sum in host memory and `stream` will bring it to the device.
    /// Takes all ranks (Ranks). Throws CudaError.
    void all_reduce(const std::vector<float*>& from, const std::vector<float*>& to, std::size_t n,
                    cudaStream_t stream);

  private:
    struct Piece
    {
        float* first;
        std::size_t count;
    };

    void connect();
    [[nodiscard]] Piece piece(unsigned number) const;
    void pass(Piece out, Piece in);

    Socket next_;
    Socket previous_;
    std::size_t n_ = 0;
    Buffer<float> array_; // of n_ floats, pinned: what of the sum this rank has
    Buffer<float> came_;  // of one piece, which is still to be added
};

} // namespace common
