// The part of the L2 cache that is reserved for lines which an access policy asks to keep.
#pragma once

#include "common/device/check.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <optional>

/// Sets the size of the set-aside. The destructor resets the persisting lines and restores the
/// size from before.
class SetAside
{
  public:
    /// For an array of `bytes`: at most an eighth of it, so that even the largest window is visited
    /// four times.
    explicit SetAside(std::size_t bytes)
        : max_bytes_(max_bytes_of_device()),
          usable_bytes_(max_bytes_ == 0 ? bytes / 8 : std::min(max_bytes_, bytes / 8))
    {}
    SetAside(const SetAside&) = delete;
    SetAside& operator=(const SetAside&) = delete;
    ~SetAside()
    {
        if (!before_)
            return;
        cudaCtxResetPersistingL2Cache();
        cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, *before_);
    }

    /// Returns why nothing can be set aside; empty if something can.
    [[nodiscard]] const char* missing() const
    {
        return max_bytes_ == 0 ? "needs an L2 that can be set aside" : "";
    }
    /// Returns the floats, in whole float4s, that fill `percent` of the largest set-aside.
    [[nodiscard]] std::size_t floats(unsigned percent) const
    {
        return std::max<std::size_t>(usable_bytes_ * percent / 100 / sizeof(float4), 1) * 4;
    }
    /// Resets the persisting lines, and reserves `percent` of the largest set-aside, which the
    /// driver rounds up. Call it with 0, too: an H200 begins with 11.25 MiB.
    void reserve(unsigned percent)
    {
        if (max_bytes_ == 0)
            return;
        CHECK_CUDA(cudaCtxResetPersistingL2Cache());
        if (!before_)
            CHECK_CUDA(cudaDeviceGetLimit(&before_.emplace(), cudaLimitPersistingL2CacheSize));
        CHECK_CUDA(
            cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, usable_bytes_ * percent / 100));
    }

  private:
    /// 0 below compute capability 8.0, under MIG, and without a device, which --list does not need.
    static std::size_t max_bytes_of_device()
    {
        int device = 0;
        int bytes = 0;
        if (cudaGetDevice(&device) != cudaSuccess ||
            cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxPersistingL2CacheSize, device) !=
                cudaSuccess)
            return 0;
        return static_cast<std::size_t>(bytes);
    }

    std::size_t max_bytes_;
    std::size_t usable_bytes_;
    std::optional<std::size_t> before_;
};
