// Loads with cache hints.
#pragma once

#ifdef __CUDACC__
#include <cuda/annotated_ptr>
#endif

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
