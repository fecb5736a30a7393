/// \file
/// The part of the L2 cache that is reserved for lines which an access policy asks to keep.
#pragma once

#include <cstddef>

namespace common {

/// Holds a set-aside; when it goes, the lines kept in it are given up and the limit from before
/// holds again.
class SetAside
{
  public:
    /// Bytes that the current device can set aside at the most: 0 below compute capability 8.0 and
    /// under MIG. Throws CudaError.
    [[nodiscard]] static std::size_t most();

    /// Sets `bytes` aside, at most most(); the driver may round. Throws CudaError.
    explicit SetAside(std::size_t bytes);
    SetAside(const SetAside&) = delete;
    SetAside& operator=(const SetAside&) = delete;
    ~SetAside();

  private:
    std::size_t before_ = 0;
};

} // namespace common
