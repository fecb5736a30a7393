/// \file
/// The cards that can be modelled, each described once: what a program sees of it, its caches, the
/// link and the host, and how fast each unit is.
#pragma once

#include <cpu_device/device_limits.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace common {

/// One card and the host it is in. Times are in nanoseconds unless a name says otherwise, rates in
/// units a nanosecond (bytes: GB/s, of 10^9 bytes), of the whole card unless a multiprocessor is
/// named. cards.cpp tells where each figure comes from.
struct Card
{
    std::string_view option;     ///< as `--card` takes it: "h200"
    std::string_view name;       ///< as people write it: "H200"
    std::string_view basis;      ///< where the figures come from, as a sentence
    std::string_view doubt = {}; ///< how far off its times are, as a sentence; "" of the H200
    cpu_device::DeviceLimits limits = {}; ///< what a program sees of it: sizes, limits, clocks

    std::size_t l1_bytes;                        ///< of a multiprocessor, shared memory included
    std::span<const std::size_t> carve_outs_kib; ///< what shared memory may take of it, ascending
    double l2_holds;                             ///< bytes of what passes that L2 keeps

    double memory_gb_per_s;              ///< device memory, what a plain kernel reaches
    double link_in_gb_per_s;             ///< page-locked memory to the device
    double link_out_gb_per_s;            ///< and back
    double staged_in_gb_per_s;           ///< pageable memory to the device
    double staged_out_gb_per_s;          ///< and back
    double mapped_in_gb_per_s;           ///< page-locked memory that a kernel reads in place
    double faulting_in_gb_per_s;         ///< managed memory that comes to the device by page faults
    double faulting_out_gb_per_s;        ///< and back
    double peer_gb_per_s;                ///< the link to other cards each way, headers included
    double peer_staged_gb_per_s;         ///< a copy to another card through the host
    double peer_staging_gb_per_s;        ///< all such copies together
    double host_gb_per_s;                ///< one core of the host that reads memory
    double host_write_combined_gb_per_s; ///< the same from write-combined memory
    double page_locking_gb_per_s;        ///< cudaHostRegister
    double page_unlocking_gb_per_s;      ///< cudaHostUnregister
    double copy_latency_us;              ///< from ready to the first byte of a copy
    double launch_latency_us;            ///< from ready to the first block of a kernel
    double call_us;                      ///< the host in a call that only queues
    double wait_us;                      ///< until a host that waits goes on

    double launch_rate;    ///< blocks
    double launch_ns;      ///< a launch takes beside its work, between two events
    double block_ns;       ///< a block's life without a load: start, indices, stores, leaving
    double warp_ns;        ///< more for each warp beyond eight: a block leaves with its last one
    double dimension_ns;   ///< more for each dimension of a block beyond the first
    double barrier_ns;     ///< a block spends for each barrier
    double dram_ns;        ///< a load takes from DRAM that nobody else uses
    double l2_ns;          ///< a load takes from L2
    double l1_ns;          ///< a load takes from L1, or from shared memory
    double line_ns;        ///< more for each further line of 128 bytes from as far, in one phase
    double read_queue_ns;  ///< weight of the queue before DRAM: of reads
    double mixed_queue_ns; ///< and more where reads and writes take turns

    double dram_rate;     ///< of reads in order
    double turn_cost;     ///< share of time lost to turns from reads to writes, at most
    double dram_row;      ///< bytes as long as which it takes to open another row of DRAM
    double row_turn;      ///< times the square of what opened rows add: how much more a turn costs
    double l2_return;     ///< ns a sector, of what L2 sends to the multiprocessors
    double l2_read;       ///< ns a sector that L2 is busy with a read
    double l2_request;    ///< ns a line that L2 returns, however few of its sectors are wanted
    double l2_packet;     ///< ns that L2 is busy with a packet of writes: of one line
    double l2_write;      ///< ns a sector of it, and
    double l2_partial;    ///< more if it is written in part
    double l2_joint;      ///< ns a line with sectors that several blocks fill together
    double l2_early;      ///< ns a sector that L2 gives up before all of it is written
    double l2_fill;       ///< ns a byte that comes from DRAM
    double lsu_rate;      ///< wavefronts a clock cycle and multiprocessor
    double constant_rate; ///< wavefronts of constant memory a clock cycle and multiprocessor
    double issue_rate;    ///< instructions a clock cycle and multiprocessor
    double logic_rate;    ///< of these, additions, logic and comparisons of integers
    double multiplication_rate;   ///< multiplications of integers
    double special_rate;          ///< those of the special function units
    double double_rate;           ///< those of double precision
    double instructions;          ///< executed for a warp's request of global memory: an assumption
    double repeated_instructions; ///< for one in a loop, which is unrolled
    double shared_instructions;   ///< for one of shared memory
    double slice_atomics; ///< atomic sectors of one 256-byte block of memory: one slice of L2
    double atomics;       ///< atomic sectors of all slices

    /// Clock of a multiprocessor, under load.
    [[nodiscard]] constexpr double clock_ghz() const { return limits.clock_khz / 1e6; }
    /// Of DRAM, by its clock and its width, in whole GB/s as data sheets have it.
    [[nodiscard]] constexpr double peak() const
    {
        return static_cast<int>(2e-6 * limits.memory_clock_khz * limits.memory_bus_bits / 8);
    }
};

/// All of them; the first is the default.
[[nodiscard]] std::span<const Card> cards();
/// `"h200"` and so on.
[[nodiscard]] std::vector<std::string> card_options();
/// The card of that option, of cards() or added; null if there is none.
[[nodiscard]] const Card* find_card(std::string_view option);
/// The card of that name, likewise.
[[nodiscard]] const Card* card_named(std::string_view name);
/// A card that a file describes (card_file.hpp), found from now on, before one of the same option
/// that was added earlier.
const Card& add_card(const Card& card);
/// What the figures of `base` would be with these limits, where nothing was measured: times in
/// clock cycles, what a multiprocessor or a slice of L2 does in a cycle, the share of DRAM's peak
/// that is reached and the share of L2 that is kept stay as they are. `slices`: of L2, times those
/// of the base.
[[nodiscard]] Card with_limits(const Card& base, const cpu_device::DeviceLimits& limits,
                               double slices);
/// The sentence for an option that no card has, with the nearest that one has and all of them.
[[nodiscard]] std::string unknown_card(std::string_view option);

} // namespace common
