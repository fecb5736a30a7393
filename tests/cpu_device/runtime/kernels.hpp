/// \file
/// Kernels of kernels.cu, each run by one function of the host; cpu_device::launches() has what
/// they moved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kernels {

enum class Shuffle
{
    indexed,
    up,
    down,
    exclusive_or
};

/// What each of 64 threads gets when thread t passes T(3 t + 1).
template<class T>
std::vector<T> shuffle(Shuffle kind, int argument, int width);

/// What lane t of one warp gets.
struct WarpResults
{
    unsigned ballot_odd = 0;     ///< __ballot_sync(all, t odd)
    int any_of_none = -1;        ///< __any_sync(all, false)
    int all_below_32 = -1;       ///< __all_sync(all, t < 32)
    int reduce_add = 0;          ///< of t - 16
    unsigned active_in_half = 0; ///< __activemask() where t < 16
    float tile_sum = 0;          ///< cg::reduce over tiles of 8, of t
    unsigned tile_ballot = 0;    ///< tiles of 4: rank 1 and 2 vote
    unsigned tile_rank = 0;      ///< meta_group_rank() of tiles of 4 in tiles of 8
};
std::vector<WarpResults> warp_results();

/// Sums and extremes that `blocks` blocks of 96 threads leave with one atomic per thread.
struct AtomicResults
{
    int add = 0;                 ///< 1
    unsigned subtract = 0;       ///< 1, from blocks * 96
    unsigned long long wide = 0; ///< 1ull << 33
    float add_float = 0;         ///< 0.5
    double add_double = 0;       ///< 0.25
    int minimum = 1 << 30;       ///< of the thread's global index
    int maximum = -1;
    unsigned all_and = ~0u;   ///< of ~(1 << t % 8)
    unsigned all_or = 0;      ///< of 1 << t % 8
    unsigned all_xor = 0;     ///< of 1
    unsigned incremented = 0; ///< atomicInc with limit 6
    unsigned decremented = 0; ///< atomicDec with limit 6
    int cas_add = 0;          ///< 1, by atomicCAS
    int shared_add = 0;       ///< 1, through shared memory
};
AtomicResults atomic_results(unsigned blocks);

/// 32 threads copy one T each: whether every byte arrived.
template<class T>
bool copy_vectors();
/// The same through __ldcs() and __stcs().
template<class T>
bool copy_streaming();

/// What 64 threads that copy 0 to 255 through shared memory by __pipeline_memcpy_async leave, with
/// or without a wait before the use.
std::vector<int> staged_copy(bool wait);
/// Ints that a copy of 16 bytes with 8 zero bytes leaves.
std::vector<int> zero_filled_copy();

/// What a kernel launched by cudaLaunchKernel, cudaLaunchKernelEx and in a destroyed stream left.
struct LaunchResults
{
    int by_pointer = 0;
    int by_configuration = 0;
    int in_destroyed_stream = 0;
    int error = 0; ///< of the last
};
LaunchResults launch_results();

} // namespace kernels
