#include "common/measure/machine.hpp"

#include <algorithm>
#include <array>

namespace common {

namespace {

// Measured on an H200 (132 multiprocessors, driver 580, clocks as they come) unless marked
// otherwise.
constexpr Machine h200{
    .option = "h200",
    .basis = "as chapter 17 of this book measured it",
    .multiprocessors = 132,
    .clock_ghz = 1.98, // sm__cycles_elapsed over gpu__time_duration, in every chapter
    .threads = 2048,
    .blocks = 32,
    .registers = 65536,
    .shared_bytes = 228 * 1024,
    .reserved_shared_bytes = 1024,
    .l1_bytes = 256 * 1024,
    .l2_bytes = 60 * 1024 * 1024,
    // launch: 4,194,304 empty blocks in 2.528 ms, whether of 32 or 512 threads.
    .launch_rate = 1.66,
    // Chapter 01, an empty launch between two events.
    .launch_ns = 4500,
    // turnover_alone: a block with one load and one store, one at a time on a multiprocessor, takes
    // 605 ns with 8 warps, of which the load is 365; 832 ns with 32 warps.
    .block_ns = 240,
    .warp_ns = 8,
    // Chapter 12: the same copy by blocks of 32 x 8 instead of 256 threads.
    .dimension_ns = 129,
    // Chapter 07: reorder_padded.
    .barrier_ns = 30,
    // read, one load in flight a thread, 8 warps a multiprocessor: 359 ns a round, 379 at 30 % of
    // the peak, 416 at 54 %, 569 at 79 %: latency + 48 u / (1 - u). chase: 333 ns from DRAM.
    .dram_ns = 355,
    // chase: 137 to 157 ns of tables of 1 to 32 MiB, and the way through the block's other work.
    .l2_ns = 220,
    .l1_ns = 35, // chase: 16 ns, and the instructions around it
    // read: 4 lines a round take 406 instead of 359 ns, 16 lines 530 (at a queue of 0).
    .line_ns = 12,
    .read_queue_ns = 48,
    // turnover: 784 ns with 8 blocks at 57 % of the peak, half of it writes.
    .mixed_queue_ns = 330,
    .peak = 4814,
    // stream, passes = 1: reads alone 4,520 GB/s without the launch; 3:1 4,463, 2:1 4,397, 1:1
    // 4,270, 1:2 4,130, 1:3 4,083; writes alone 4,640.
    .dram_rate = 4520,
    .turn_cost = 0.19,
    // Chapter 16: tiles with rows of 128 bytes reach 3,500 GB/s where rows of 256 bytes reach
    // 3,950.
    .dram_row = 18,
    // stream from L2: reads alone 9,160 GB/s; 1:1 8,410, 2:1 11,700, writes alone 4,775.
    .l2_return = 0.0035,
    .l2_read = 0.00125,
    // sectors: packets with four sectors written in part take 33.9 ps, whole ones 26.8 (stream);
    // chapter 07, reorder_direct: packets with one sector written in part 15.3 ps.
    .l2_packet = 0.0092,
    .l2_write = 0.0045,
    .l2_partial = 0.0021,
    // Chapter 03, neighbours_x4 beside chapter 14, aos: the same packets with and without DRAM
    // reads.
    .l2_fill = 0.000132,
    .lsu_rate = 1,         // chapter 16, tile_plain: 96 % of it
    .constant_rate = 0.48, // chapter 08, 32 words wanted
    .issue_rate = 4,       // four schedulers
    .instructions = 6,     // assumed: chapters 01 to 16 have 5 to 13
    // atomic: 16,777,216 on one counter in 12.27 ms; on random ones of 1,048,576 in 0.163 ms.
    .slice_atomics = 1.37,
    .atomics = 103,
};

// What no data sheet tells of the others is taken from the H200: times in clock cycles are alike,
// units of a multiprocessor do as much in a cycle, L2 and DRAM reach the same share of the DRAM's
// peak.
constexpr Machine like_h200(std::string_view option, std::string_view basis, int multiprocessors,
                            double clock_ghz, double peak)
{
    Machine m = h200;
    const double slower = h200.clock_ghz / clock_ghz;
    const double narrower = h200.peak / peak;
    m.option = option;
    m.basis = basis;
    m.multiprocessors = multiprocessors;
    m.clock_ghz = clock_ghz;
    m.peak = peak;
    m.launch_rate /= slower;
    for (double Machine::*time :
         {&Machine::block_ns, &Machine::warp_ns, &Machine::dimension_ns, &Machine::barrier_ns,
          &Machine::dram_ns, &Machine::l2_ns, &Machine::l1_ns, &Machine::line_ns,
          &Machine::read_queue_ns, &Machine::mixed_queue_ns})
        m.*time *= slower;
    m.dram_rate /= narrower;
    for (double Machine::*cost : {&Machine::l2_return, &Machine::l2_read, &Machine::l2_packet,
                                  &Machine::l2_write, &Machine::l2_partial, &Machine::l2_fill})
        m.*cost *= narrower;
    m.slice_atomics /= slower;
    m.atomics /= narrower;
    return m;
}

// NVIDIA A100 Tensor Core GPU architecture whitepaper: 108 multiprocessors, 1.41 GHz boost, 192 KiB
// of L1 and shared memory, 40 MiB of L2; data sheet: 2,039 GB/s (80 GB, SXM).
constexpr Machine a100()
{
    Machine m = like_h200("a100",
                          "sizes and clocks from its data sheet, all else as the H200's in "
                          "clock cycles and shares of the memory's peak",
                          108, 1.41, 2039);
    m.shared_bytes = 164 * 1024;
    m.l1_bytes = 192 * 1024;
    m.l2_bytes = 40 * 1024 * 1024;
    return m;
}

// NVIDIA Turing architecture whitepaper and T4 data sheet: 40 multiprocessors of 1,024 threads and
// 16 blocks, 1.59 GHz boost, 96 KiB of L1 and shared memory, of which 64 are shared memory at most,
// 4 MiB of L2, 320 GB/s. Nothing of shared memory is reserved before compute capability 8.0.
constexpr Machine t4()
{
    Machine m = like_h200("t4",
                          "sizes and clocks from its data sheet, all else as the H200's in "
                          "clock cycles and shares of the memory's peak",
                          40, 1.59, 320);
    m.threads = 1024;
    m.blocks = 16;
    m.shared_bytes = 64 * 1024;
    m.reserved_shared_bytes = 0;
    m.l1_bytes = 96 * 1024;
    m.l2_bytes = 4 * 1024 * 1024;
    return m;
}

// NVIDIA Ampere GA102 architecture whitepaper: 82 multiprocessors, 1.695 GHz boost, 128 KiB of L1
// and shared memory, 6 MiB of L2, 936 GB/s; CUDA's table of compute capability 8.6: 1,536 threads,
// 16 blocks, 100 KiB of shared memory.
constexpr Machine rtx3090()
{
    Machine m = like_h200("rtx3090",
                          "sizes and clocks from its specification, all else as the "
                          "H200's in clock cycles and shares of the memory's peak",
                          82, 1.695, 936);
    m.threads = 1536;
    m.blocks = 16;
    m.shared_bytes = 100 * 1024;
    m.l1_bytes = 128 * 1024;
    m.l2_bytes = 6 * 1024 * 1024;
    return m;
}

constexpr std::array all = {h200, a100(), t4(), rtx3090()};

constexpr std::size_t rounded_up(std::size_t value, std::size_t unit)
{
    return (value + unit - 1) / unit * unit;
}

} // namespace

const Machine* find_machine(std::string_view option)
{
    const auto* found =
        std::find_if(all.begin(), all.end(), [&](const Machine& m) { return m.option == option; });
    return found == all.end() ? nullptr : &*found;
}

int resident_blocks(const Machine& machine, int threads, int registers_per_thread,
                    std::size_t shared_bytes_per_block)
{
    const int warps = (threads + 31) / 32;
    const auto by_warp = static_cast<int>(rounded_up(std::size_t{32} * registers_per_thread, 256));
    const int by_registers =
        machine.registers / by_warp / 4 * 4 / static_cast<int>(rounded_up(warps, 4));
    const std::size_t shared =
        rounded_up(shared_bytes_per_block + machine.reserved_shared_bytes, 128);
    const int by_shared =
        shared == 0 ? machine.blocks : static_cast<int>(machine.shared_bytes / shared);
    return std::min({machine.blocks, machine.threads / 32 / warps, by_registers, by_shared});
}

} // namespace common
