#include "set_aside.hpp"

#include "common/device/check.hpp"

#include <cuda_runtime.h>

namespace common {

std::size_t SetAside::most()
{
    int device = 0;
    int bytes = 0;
    CHECK_CUDA(cudaGetDevice(&device));
    CHECK_CUDA(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxPersistingL2CacheSize, device));
    return static_cast<std::size_t>(bytes);
}

SetAside::SetAside(std::size_t bytes)
{
    CHECK_CUDA(cudaDeviceGetLimit(&before_, cudaLimitPersistingL2CacheSize));
    CHECK_CUDA(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, bytes));
}

SetAside::~SetAside()
{
    cudaCtxResetPersistingL2Cache();
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, before_);
}

} // namespace common
