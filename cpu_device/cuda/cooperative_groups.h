/// \file
/// Cooperative groups: a block, its tiles, and the grid.
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/builtins.hpp"
#include "cpu_device/detail/warp.hpp"

namespace cooperative_groups {

using cpu_device::SourceLine;

namespace details {

CPU_DEVICE_FUNCTION(unsigned, rank_in_block, (),
                    (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x)
inline unsigned threads_of_block()
{
    return blockDim.x * blockDim.y * blockDim.z;
}
/// The lanes of the calling one's tile that the block has threads for.
inline unsigned tile_mask(unsigned size)
{
    const unsigned lane = cpu_device::lane();
    const unsigned first = lane / size * size;
    const unsigned behind = threads_of_block() - rank_in_block() + lane - first;
    return 0xFFFFFFFFu >> (32 - (behind < size ? behind : size)) << first;
}

} // namespace details

/// All threads of a block.
class thread_block
{
  public:
    static void sync(CPU_DEVICE_WHERE) { cpu_device::barrier(false, where); }
    static unsigned size() { return details::threads_of_block(); }
    static unsigned num_threads() { return size(); }
    static unsigned thread_rank() { return details::rank_in_block(); }
    static dim3 group_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
    static dim3 thread_index() { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
};

CPU_DEVICE_FUNCTION(thread_block, this_thread_block, (), {})

/// All threads of a cooperative launch.
class grid_group
{
  public:
    static void sync(CPU_DEVICE_WHERE) { cpu_device::barrier(false, where, true); }
    static unsigned long long num_blocks()
    {
        return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
    }
    static unsigned long long block_rank()
    {
        return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x +
               blockIdx.x;
    }
    static unsigned long long size() { return num_blocks() * details::threads_of_block(); }
    static unsigned long long num_threads() { return size(); }
    static unsigned long long thread_rank()
    {
        return block_rank() * details::threads_of_block() + details::rank_in_block();
    }
};

CPU_DEVICE_FUNCTION(grid_group, this_grid, (), {})

/// `lanes` neighbouring threads; any tile of that size converts to one without a parent.
template<unsigned lanes, class Parent = void>
class thread_block_tile
{
    static_assert(lanes <= 32 && (lanes & (lanes - 1)) == 0,
                  "A tile of the CPU device has 1, 2, 4, 8, 16 or 32 threads.");

  public:
    explicit thread_block_tile(unsigned threads_of_parent)
        : mask_(details::tile_mask(lanes)), threads_of_parent_(threads_of_parent)
    {}
    template<class Other>
    thread_block_tile(const thread_block_tile<lanes, Other>& other)
        : thread_block_tile(other.meta_group_size() * lanes)
    {}

    static constexpr unsigned size() { return lanes; }
    static constexpr unsigned num_threads() { return lanes; }
    unsigned thread_rank() const { return cpu_device::lane() % lanes; }
    /// Number of this tile among those of its parent.
    unsigned meta_group_rank() const
    {
        return details::rank_in_block() % threads_of_parent_ / lanes;
    }
    unsigned meta_group_size() const { return (threads_of_parent_ + lanes - 1) / lanes; }

    void sync(CPU_DEVICE_WHERE) const { cpu_device::warp_exchange(mask_, 0, where); }
    template<class T>
    T shfl(T value, unsigned source, CPU_DEVICE_WHERE) const
    {
        return from(value, source % present(), where);
    }
    /// Ranks without a rank `delta` below keep their own value.
    template<class T>
    T shfl_up(T value, unsigned delta, CPU_DEVICE_WHERE) const
    {
        const unsigned own = thread_rank();
        return from(value, own >= delta ? own - delta : own, where);
    }
    template<class T>
    T shfl_down(T value, unsigned delta, CPU_DEVICE_WHERE) const
    {
        const unsigned own = thread_rank();
        return from(value, own + delta < present() ? own + delta : own, where);
    }
    template<class T>
    T shfl_xor(T value, unsigned bits, CPU_DEVICE_WHERE) const
    {
        const unsigned source = thread_rank() ^ bits;
        return from(value, source < present() ? source : thread_rank(), where);
    }
    int any(int predicate, CPU_DEVICE_WHERE) const
    {
        return cpu_device::lanes_with(1, mask_, predicate != 0, where) != 0;
    }
    int all(int predicate, CPU_DEVICE_WHERE) const
    {
        return cpu_device::lanes_with(0, mask_, predicate != 0, where) == 0;
    }
    /// Bit r is set if rank r passes true.
    unsigned ballot(int predicate, CPU_DEVICE_WHERE) const
    {
        return cpu_device::lanes_with(1, mask_, predicate != 0, where) >> first();
    }
    /// The lanes of the group, for the functions that combine them.
    unsigned cpu_device_mask() const { return mask_; }

  private:
    template<class T>
    T from(T value, unsigned source, SourceLine where) const
    {
        return cpu_device::value_of_lane(mask_, value, first() + static_cast<int>(source), where);
    }
    int first() const { return __builtin_ctz(mask_); }
    /// Those of its threads that the block has.
    unsigned present() const { return static_cast<unsigned>(__builtin_popcount(mask_)); }

    unsigned mask_;
    unsigned threads_of_parent_;
};

template<unsigned lanes, class Parent>
thread_block_tile<lanes, Parent> tiled_partition(const Parent& parent)
{
    return thread_block_tile<lanes, Parent>(static_cast<unsigned>(parent.size()));
}
template<class Group>
void sync(const Group& group, CPU_DEVICE_WHERE)
{
    group.sync(where);
}
template<class Group>
auto thread_rank(const Group& group)
{
    return group.thread_rank();
}

} // namespace cooperative_groups
