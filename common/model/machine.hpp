/// \file
/// What a time model knows of a card: how much runs at once, how long memory takes, how fast each
/// unit is. Every constant of the time model is in such a description.
#pragma once

#include <cstddef>
#include <string_view>

namespace common {

/// One card. Times are in nanoseconds, rates in units a nanosecond (bytes: GB/s), of the whole card
/// unless a multiprocessor is named. machine.cpp tells where each figure comes from.
struct Machine
{
    std::string_view option; ///< as `--card` takes it, and Card::option

    int multiprocessors;               ///< of the card
    double clock_ghz;                  ///< of a multiprocessor, under load
    int threads;                       ///< a multiprocessor holds at once
    int blocks;                        ///< a multiprocessor holds at once
    int registers;                     ///< of 4 bytes, of a multiprocessor
    std::size_t shared_bytes;          ///< of a multiprocessor, for all of its blocks
    std::size_t reserved_shared_bytes; ///< that the runtime takes of it for each block

    double launch_rate;    ///< blocks
    double launch_ns;      ///< a launch takes beside its work, between two events
    double block_ns;       ///< a block's life without a load: start, indices, stores, leaving
    double warp_ns;        ///< more for each warp beyond eight: a block leaves with its last one
    double dimension_ns;   ///< more for each dimension of a block beyond the first
    double barrier_ns;     ///< a block spends for each barrier
    double dram_ns;        ///< a load takes from DRAM that nobody else uses
    double l2_ns;          ///< a load takes from L2
    double l1_ns;          ///< a load takes from L1, or from shared memory
    double line_ns;        ///< more for each further line of 128 bytes in one phase of loads
    double read_queue_ns;  ///< weight of the queue before DRAM: of reads
    double mixed_queue_ns; ///< and more where reads and writes take turns

    double peak;          ///< of DRAM, as the data sheet says
    double dram_rate;     ///< of reads in order
    double turn_cost;     ///< share of time lost to turns from reads to writes, at most
    double dram_row;      ///< bytes as long as which it takes to open another row of DRAM
    double l2_return;     ///< ns a sector, of what L2 sends to the multiprocessors
    double l2_read;       ///< ns a sector that L2 is busy with a read
    double l2_packet;     ///< ns that L2 is busy with a packet of writes: of one line
    double l2_write;      ///< ns a sector of it, and
    double l2_partial;    ///< more if it is written in part
    double l2_joint;      ///< ns a line with sectors that several blocks fill together
    double l2_early;      ///< ns a sector that L2 gives up before all of it is written
    double l2_fill;       ///< ns a byte that comes from DRAM
    double lsu_rate;      ///< wavefronts a clock cycle and multiprocessor
    double constant_rate; ///< wavefronts of constant memory a clock cycle and multiprocessor
    double issue_rate;    ///< instructions a clock cycle and multiprocessor
    double instructions;  ///< executed for a warp's request of global memory: an assumption
    double repeated_instructions; ///< for one in a loop, which is unrolled
    double shared_instructions;   ///< for one of shared memory
    double slice_atomics; ///< atomic sectors of one 256-byte block of memory: one slice of L2
    double atomics;       ///< atomic sectors of all slices
};

/// The machine of that option; null if there is none.
[[nodiscard]] const Machine* find_machine(std::string_view option);

/// How many blocks of `threads` threads a multiprocessor holds at once; 0 if not even one.
/// Registers are given out to warps in units of 256, and to an even share of four schedulers.
[[nodiscard]] int resident_blocks(const Machine& machine, int threads, int registers_per_thread,
                                  std::size_t shared_bytes_per_block);

} // namespace common
