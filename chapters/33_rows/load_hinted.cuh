// Loads that tell the caches whether what they read is read again.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

// Loads 16 bytes of a row. The caches had better keep them until they are read for the last time,
// and drop them first from then on. Before compute capability 8.0 there are no such hints.
template<bool last>
__device__ inline uint4 load_hinted(const uint4* from)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    uint4 x;
    std::uint64_t policy = 0;
    if constexpr (last) {
        asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
        asm volatile("ld.global.L1::evict_first.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                     : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
                     : "l"(from), "l"(policy));
    } else {
        asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
        asm volatile("ld.global.L1::evict_last.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                     : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
                     : "l"(from), "l"(policy));
    }
    return x;
#else
    return *from;
#endif
}
