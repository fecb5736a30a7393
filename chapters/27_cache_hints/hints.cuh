// Loads with cache hints, by threads and by the TMA.
#pragma once

#ifdef __CUDACC__
#include <cuda/annotated_ptr>
#include <cuda/ptx>
#endif

#include <cstdint>

//! [hints]
// What a load tells the caches: nothing, to evict its line first, or to evict it last.
enum class Hint
{
    none,
    evict_first,
    evict_last
};

#ifdef __CUDACC__
// A pointer whose loads ask the L2 to evict their lines last.
template<class T>
using EvictLast = cuda::annotated_ptr<const T, cuda::access_property::persisting>;
#else // the CPU device does not simulate hints
template<class T>
using EvictLast = const T*;
#endif
constexpr const char* no_hints = "the model has no cache hints"; // of rows without modelled time

// Returns *p, loaded with that hint.
template<Hint hint, class T>
__device__ T load(const T* p)
{
    if constexpr (hint == Hint::evict_first) {
        return __ldcs(p);
    } else if constexpr (hint == Hint::evict_last) {
        return *EvictLast<T>(p);
    } else {
        return *p;
    }
}
//! [hints]

#ifdef __CUDACC__
// Issues a bulk copy of `bytes`, a multiple of 16, to shared memory by the TMA, with that hint for
// L2. `barrier`, an mbarrier, counts the bytes that arrive. Needs compute capability 9.0.
template<Hint hint>
__device__ void bulk_load(void* to, const void* from, unsigned bytes, std::uint64_t* barrier)
{
#if __CUDA_ARCH__ >= 900
    if constexpr (hint == Hint::none) {
        cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, to, from, bytes,
                                 barrier);
        return;
    }
    std::uint64_t policy = 0;
    if constexpr (hint == Hint::evict_first) {
        asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    } else {
        asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    }
    const auto shared = [](void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); };
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".L2::cache_hint [%0], [%1], %2, [%3], %4;" ::"r"(shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared(barrier)), "l"(policy)
                 : "memory"); // <cuda/ptx> has no function with a hint
#endif
}
#endif
