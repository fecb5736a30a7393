/// \file
/// Memory transactions of a kernel launch, named after the hardware counters that they equal.
#pragma once

#include "cpu_device/traffic.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cpu_device {

/// What an instruction does with memory. A load and a store of one address by one instruction is an
/// atomic.
enum class Access : std::uint8_t
{
    load,
    store,
    atomic
};

/// Memory transactions of one or more kernel launches.
///
/// A *request* is one load or store instruction executed by one warp. A *sector* is the 32-byte
/// unit in which the L1 cache and the memory behind it move data; a request touches 1 to 32 of
/// them, because an access of up to 16 bytes lies in one. The 32 lanes' words of one address in
/// local memory lie side by side: four sectors.
struct Counts
{
    std::uint64_t load_requests = 0;   ///< l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
    std::uint64_t load_sectors = 0;    ///< l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
    std::uint64_t load_bytes = 0;      ///< bytes that the lanes asked to load from global memory
    std::uint64_t store_requests = 0;  ///< l1tex__t_requests_pipe_lsu_mem_global_op_st.sum
    std::uint64_t store_sectors = 0;   ///< l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
    std::uint64_t store_bytes = 0;     ///< bytes that the lanes asked to store to global memory
    std::uint64_t atomic_requests = 0; ///< requests of global atomics and reductions
    /// Sectors of global atomics and reductions, l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum
    /// and _atom.sum: each as often as one address of it is wanted.
    std::uint64_t atomic_sectors = 0;
    std::uint64_t shared_load_requests = 0;   ///< warp-wide loads from shared memory
    std::uint64_t shared_load_conflicts = 0;  ///< wavefronts beyond the fewest a load needs
    std::uint64_t shared_store_requests = 0;  ///< warp-wide stores to shared memory
    std::uint64_t shared_store_conflicts = 0; ///< wavefronts beyond the fewest a store needs
    std::uint64_t shared_atomic_requests = 0; ///< warp-wide atomics on shared memory
    /// Turns that those need beyond one each: lanes that access different words of one bank are
    /// serialized. Those that want one word share a turn, if the compiler knows that each adds 1;
    /// where it does not, a GPU takes one per lane.
    std::uint64_t shared_atomic_conflicts = 0;
    /// Warp-wide reads of `__constant__` memory, as written in the source. A GPU has an instruction
    /// for those alone whose address is known only at run time (LDC): an element whose address the
    /// compiler knows becomes an operand of the instruction that uses it.
    std::uint64_t constant_requests = 0;
    /// Wavefronts that those reads need, one for each different 4-byte word (or wider element) that
    /// the lanes access: 1 if they all want the same, up to 32. With the reads of kernels'
    /// parameters, a few a warp, they are idc__requests.sum.
    std::uint64_t constant_wavefronts = 0;
    std::uint64_t local_load_requests = 0;  ///< l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum
    std::uint64_t local_load_sectors = 0;   ///< l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum
    std::uint64_t local_store_requests = 0; ///< l1tex__t_requests_pipe_lsu_mem_local_op_st.sum
    std::uint64_t local_store_sectors = 0;  ///< l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum
    /// Different 32-byte sectors of global memory touched: the least DRAM traffic.
    std::uint64_t distinct_sectors = 0;
    /// Sectors of another device's memory, which cross the link between the two: of load_sectors.
    /// What L1 has kept of them is counted as if it came again.
    std::uint64_t peer_load_sectors = 0;
    std::uint64_t peer_store_sectors = 0;  ///< likewise, of store_sectors
    std::uint64_t peer_atomic_sectors = 0; ///< likewise, of atomics: each once per request
    /// Warps that made some request (of global or shared memory) without all of their threads. A
    /// bounds guard that cuts through a warp makes one, as does an early return of some of its
    /// threads; a guard that leaves out whole warps does not. The last warp of a block whose size
    /// is no multiple of 32 has only the threads it has.
    std::uint64_t divergent_warps = 0;

    /// Bytes requested by loads and stores of global memory.
    [[nodiscard]] std::uint64_t bytes_requested() const { return load_bytes + store_bytes; }
    /// Sectors of another device's memory.
    [[nodiscard]] std::uint64_t peer_sectors() const
    {
        return peer_load_sectors + peer_store_sectors + peer_atomic_sectors;
    }
    /// Bytes that cross the link to other devices: an atomic's sector goes there and comes back.
    [[nodiscard]] std::uint64_t peer_bytes() const
    {
        return sector_bytes * (peer_sectors() + peer_atomic_sectors);
    }
    /// Bytes requested over bytes moved in sectors, 0 to 1 (above 1 when lanes share bytes);
    /// 0 without loads.
    [[nodiscard]] double load_efficiency() const { return efficiency(load_bytes, load_sectors); }
    /// As load_efficiency(), for stores.
    [[nodiscard]] double store_efficiency() const { return efficiency(store_bytes, store_sectors); }

    /// Adds every counter of `other`.
    Counts& operator+=(const Counts& other);
    /// Subtracts every counter of `other`, which has none that is larger.
    Counts& operator-=(const Counts& other);
    /// True if every counter agrees.
    bool operator==(const Counts&) const = default;

    static constexpr std::uint64_t sector_bytes = 32; ///< bytes in a sector

  private:
    static double efficiency(std::uint64_t bytes, std::uint64_t sectors)
    {
        return sectors == 0
                   ? 0.0
                   : static_cast<double>(bytes) / static_cast<double>(sectors * sector_bytes);
    }
};

/// A counter by its name, which is also that of its field in results.
struct Counter
{
    using Member = std::uint64_t Counts::*; ///< as nvcc can hand it on without a warning

    const char* name;  ///< "load_sectors"
    Member member;     ///< where it stands
    bool rare = false; ///< left out of results where it is 0: few programs have any
};

/// Every counter. What adds, writes or reads them goes through this list.
inline constexpr std::array counters = {
    Counter{"load_requests", &Counts::load_requests},
    Counter{"load_sectors", &Counts::load_sectors},
    Counter{"load_bytes", &Counts::load_bytes},
    Counter{"store_requests", &Counts::store_requests},
    Counter{"store_sectors", &Counts::store_sectors},
    Counter{"store_bytes", &Counts::store_bytes},
    Counter{"atomic_requests", &Counts::atomic_requests},
    Counter{"atomic_sectors", &Counts::atomic_sectors},
    Counter{"shared_load_requests", &Counts::shared_load_requests},
    Counter{"shared_load_conflicts", &Counts::shared_load_conflicts},
    Counter{"shared_store_requests", &Counts::shared_store_requests},
    Counter{"shared_store_conflicts", &Counts::shared_store_conflicts},
    Counter{"shared_atomic_requests", &Counts::shared_atomic_requests, true},
    Counter{"shared_atomic_conflicts", &Counts::shared_atomic_conflicts, true},
    Counter{"constant_requests", &Counts::constant_requests},
    Counter{"constant_wavefronts", &Counts::constant_wavefronts},
    Counter{"local_load_requests", &Counts::local_load_requests},
    Counter{"local_load_sectors", &Counts::local_load_sectors},
    Counter{"local_store_requests", &Counts::local_store_requests},
    Counter{"local_store_sectors", &Counts::local_store_sectors},
    Counter{"distinct_sectors", &Counts::distinct_sectors},
    Counter{"peer_load_sectors", &Counts::peer_load_sectors, true},
    Counter{"peer_store_sectors", &Counts::peer_store_sectors, true},
    Counter{"peer_atomic_sectors", &Counts::peer_atomic_sectors, true},
    Counter{"divergent_warps", &Counts::divergent_warps},
};
static_assert(sizeof(Counts) == counters.size() * sizeof(std::uint64_t), "a counter has no name");

inline Counts& Counts::operator+=(const Counts& other)
{
    for (const Counter& counter : counters)
        this->*counter.member += other.*counter.member;
    return *this;
}

inline Counts& Counts::operator-=(const Counts& other)
{
    for (const Counter& counter : counters)
        this->*counter.member -= other.*counter.member;
    return *this;
}

/// One kernel launch and what it moved.
struct LaunchRecord
{
    std::string kernel;                     ///< as written at the launch: `scale<float>`
    std::array<unsigned, 3> grid{1, 1, 1};  ///< blocks in x, y, z
    std::array<unsigned, 3> block{1, 1, 1}; ///< threads in x, y, z
    std::size_t dynamic_shared_bytes = 0;   ///< third launch parameter
    std::string launch = {};                ///< "kernel scale<float> (launched at mine.cu:12)"
    Counts counts;                          ///< of the whole grid
    /// `scale<float>(float*, int)`: tells kernels of one name apart. Empty where the launch cannot
    /// tell which of them it calls; lives as long as the program.
    const char* signature = "";
    std::size_t static_shared_bytes = 0; ///< `__shared__` variables of a block
    std::optional<int> device = {};      ///< that ran it; empty in a program that sees only one
    /// Its arguments that are whole numbers, with the name of the parameter, or "argument 2".
    std::vector<std::pair<std::string, long long>> numbers = {};
    /// Launches of the kernel with the same grid, block, dynamic shared memory and such arguments
    /// on the same device that came later and were executed alone, at full speed: they are not
    /// among `counts`.
    std::uint64_t repeats = 0;
    /// Of them, those that were not even executed: one before had left every byte of memory as it
    /// was, and nothing has changed it since.
    std::uint64_t left_out = 0;
    /// Of them, those that have not been executed so far, because nothing has looked at what they
    /// would write.
    std::uint64_t deferred = 0;
    /// Blocks that were counted, where that were not all of the grid: `counts` are theirs, scaled
    /// to the grid, and its other blocks ran at full speed. 0 where all were.
    std::uint64_t counted_blocks = 0;
    std::uint64_t idle_blocks = 0; ///< blocks that make no request, scaled likewise
    std::uint64_t heap_calls = 0;  ///< of malloc() and new in the blocks that ran,
    std::uint64_t heap_bytes = 0;  ///< the bytes of all of them,
    std::size_t heap_limit = 0;    ///< and what the heap may hold at a time
    /// Of each allocation that it touched: bytes from its start to behind the last such sector, and
    /// all of it; 0 where the host reaches it, too.
    std::vector<std::pair<std::size_t, std::size_t>> reached = {};
    /// A sentence on the first barrier of a block that some of its threads reached after others had
    /// returned from the kernel, with the lines of the launch and of the barrier; empty without
    /// one. A GPU lets it pass.
    std::string partial_barrier = {};
    /// A sentence on what the kernel relies on and CUDA does not promise, such as a shuffle from a
    /// lane that has returned; printed when that line does so first, and noted of that launch
    /// alone.
    std::string advice = {};
    std::uint64_t link_in_bytes = 0;  ///< of the host's memory, that cross the link to the device
    std::uint64_t link_out_bytes = 0; ///< and back
    std::uint64_t faulted_bytes = 0;  ///< of managed pages that come to the device by page faults
    /// Nanoseconds that a thread of this host takes for a request, a block, or a warp to meet, with
    /// all that the kernel computes: says no more of a kernel than whether it computes for long.
    double host_ns_per_request = 0;
    /// A sentence on two accesses to one address that nothing orders, with their lines; empty where
    /// none was seen, or where nobody looks (Settings::watchful).
    std::string race = {};
    std::string unwritten = {}; ///< likewise, on a load of what nothing has written
    /// For line_of_site(): behind the declaration of the array in local memory that has the most
    /// requests; 0 without one.
    std::uint32_t local_array = 0;
    std::optional<Traffic> traffic = {}; ///< what a sink says of its trace: see set_trace_sink()
};

} // namespace cpu_device
