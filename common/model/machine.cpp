#include "common/model/machine.hpp"

#include <algorithm>
#include <array>

namespace common {

namespace {

// Measured on an H200 (132 multiprocessors, driver 580, clocks as they come) unless marked
// otherwise.
constexpr Machine h200{
    .option = "h200",
    .multiprocessors = 132,
    .clock_ghz = 1.98, // sm__cycles_elapsed over gpu__time_duration, in every chapter
    .threads = 2048,
    .blocks = 32,
    .registers = 65536,
    .shared_bytes = 228 * 1024,
    .reserved_shared_bytes = 1024,
    // launch: 4,194,304 empty blocks in 2.528 ms, whether of 32 or 512 threads.
    .launch_rate = 1.66,
    // Chapter 06: 262,144 bytes copied by one wave of blocks take 3.86 us, of which 0.6 are its
    // life.
    .launch_ns = 3300,
    // turnover_alone: a block with one load and one store, one at a time on a multiprocessor, takes
    // 605 ns with 8 warps, of which the load is 365; 832 ns with 32 warps.
    .block_ns = 240,
    .warp_ns = 8,
    // Chapter 12: the same copy by blocks of 32 x 8 instead of 256 threads, eight of which are
    // resident, takes 14.3 ns a block longer.
    .dimension_ns = 114,
    // Chapter 07: reorder_padded, beside its load from shared memory.
    .barrier_ns = 25,
    // read, one load in flight a thread, 8 warps a multiprocessor: 359 ns a round, 379 at 30 % of
    // the peak, 416 at 54 %, 569 at 79 %: latency + 48 u / (1 - u). chase: 333 ns from DRAM.
    .dram_ns = 355,
    // chase: 137 to 157 ns in tables of 1 to 32 MiB, and 22 around it as for DRAM.
    .l2_ns = 165,
    // chase: 16 ns, chase_shared: 14, and the instructions around it
    .l1_ns = 35,
    // read: 4 lines a round take 406 instead of 359 ns, 16 lines 530 (at a queue of 0).
    .line_ns = 12,
    .read_queue_ns = 48, // read, as dram_ns
    // turnover: 789 ns of life with 8 blocks resident, at 55 % of the peak, half of it writes.
    .mixed_queue_ns = 330,
    .peak = 4814, // data sheet
    // stream, passes = 1: reads alone 4,520 GB/s without the launch; 3:1 4,463, 2:1 4,397, 1:1
    // 4,270, 1:2 4,130, 1:3 4,083; writes alone 4,640.
    .dram_rate = 4520,
    .turn_cost = 0.19,
    // Chapter 20: tiles with rows of 128 bytes reach 82 % of what copies do, of 256 bytes 94 %.
    .dram_row = 20,
    // stream from L2: reads alone 9,160 GB/s; 1:1 8,410, 2:1 11,700, writes alone 4,775.
    .l2_return = 0.0035,
    .l2_read = 0.00125,
    // sectors: packets with four sectors written in part take 33.9 ps, whole ones 26.8 (stream);
    // packets with one sector written in part 15.3 ps in chapter 07, reorder_direct, and 14.4 in
    // chapter 19, copy_column.
    .l2_packet = 0.0078,
    .l2_write = 0.0048,
    .l2_partial = 0.0017,
    // Chapter 20, tile_padded_down with odd sides: 785 us instead of 581, with 7.3 million lines
    // that blocks fill together. A copy of 2^28 floats in tiles of 32 x 32 whose stores begin 16
    // bytes late takes 775 us instead of 518, with 8.4 million; if what meets in a line stores at
    // other times 1,016 us, with 2.0 million sectors that DRAM reads again.
    .l2_joint = 0.030,
    .l2_early = 0.090,
    // Chapter 03, neighbours_x4 beside chapter 16, aos: the same packets with and without DRAM
    // reads.
    .l2_fill = 0.000132,
    .lsu_rate = 1,         // chapter 20, tile_plain: 96 % of it
    .constant_rate = 0.48, // chapter 08, 32 words wanted
    .issue_rate = 4,       // four schedulers
    .instructions = 6,     // assumed: chapters 01 to 20 have 3 to 13
    // The load, its part of an addition and of the loop: sum_rows of tests/model/first_sight.cu
    // has 2.4, multiply 2.8.
    .repeated_instructions = 2.6,
    .shared_instructions = 1.2, // multiply_16 and multiply_32: the load and a multiply-add of two
    // atomic: 16,777,216 on one counter in 12.27 ms; on random ones of 1,048,576 in 0.163 ms.
    .slice_atomics = 1.37,
    .atomics = 103,
};

// What no data sheet tells of the others is taken from the H200: times in clock cycles, what a
// multiprocessor or a slice of L2 does in a cycle, and the share of DRAM's peak that is reached.
constexpr int h200_slices = 94; // as many lts units count sectors

constexpr Machine like_h200(std::string_view option, int multiprocessors, double clock_ghz,
                            double peak, int slices)
{
    Machine m = h200;
    const double slower = h200.clock_ghz / clock_ghz;
    const double narrower = h200.peak / peak;
    const double l2_slower = slower * h200_slices / slices;
    m.option = option;
    m.multiprocessors = multiprocessors;
    m.clock_ghz = clock_ghz;
    m.peak = peak;
    m.launch_rate /= slower;
    m.block_ns *= slower;
    m.warp_ns *= slower;
    m.dimension_ns *= slower;
    m.barrier_ns *= slower;
    m.dram_ns *= slower;
    m.l2_ns *= slower;
    m.l1_ns *= slower;
    m.line_ns *= slower;
    m.read_queue_ns *= slower;
    m.mixed_queue_ns *= slower;
    m.dram_rate /= narrower;
    m.l2_return *= l2_slower;
    m.l2_read *= l2_slower;
    m.l2_packet *= l2_slower;
    m.l2_write *= l2_slower;
    m.l2_partial *= l2_slower;
    m.l2_joint *= l2_slower;
    m.l2_early *= l2_slower;
    m.l2_fill *= l2_slower;
    m.slice_atomics /= slower;
    m.atomics /= l2_slower;
    return m;
}

// NVIDIA A100 Tensor Core GPU architecture (whitepaper): 108 multiprocessors, 1.41 GHz boost, 192
// KiB of L1 and shared memory, of which 164 are shared memory at most, 40 MiB of L2 in 80 slices.
// Data sheet: 2,039 GB/s (80 GB, SXM).
constexpr Machine a100()
{
    Machine m = like_h200("a100", 108, 1.41, 2039, 80);
    m.shared_bytes = 164 * 1024;
    return m;
}

// NVIDIA Turing GPU architecture (whitepaper) and T4 data sheet: 40 multiprocessors of 1,024
// threads and 16 blocks, 1.59 GHz boost, 96 KiB of L1 and shared memory, of which 64 are shared
// memory at most, 4 MiB of L2, 320 GB/s. Slices of 128 KiB are assumed. Nothing of shared memory is
// reserved before compute capability 8.0.
constexpr Machine t4()
{
    Machine m = like_h200("t4", 40, 1.59, 320, 32);
    m.threads = 1024;
    m.blocks = 16;
    m.shared_bytes = 64 * 1024;
    m.reserved_shared_bytes = 0;
    return m;
}

// NVIDIA Ampere GA102 GPU architecture (whitepaper): 82 multiprocessors, 1.695 GHz boost, 128 KiB
// of L1 and shared memory, 6 MiB of L2, 936 GB/s; slices of 128 KiB are assumed. CUDA programming
// guide, compute capability 8.6: 1,536 threads, 16 blocks, 100 KiB of shared memory.
constexpr Machine rtx3090()
{
    Machine m = like_h200("rtx3090", 82, 1.695, 936, 48);
    m.threads = 1536;
    m.blocks = 16;
    m.shared_bytes = 100 * 1024;
    // The published copies that chapter 06 quotes: 524,288 blocks, each thread of which copies a
    // byte, take 0.972 ms: a block lives 912 ns, of which 280 are its own and 50 the queue.
    m.dram_ns = 580;
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
    const int by_registers = machine.registers / by_warp / 4 * 4 / warps;
    const std::size_t shared =
        rounded_up(shared_bytes_per_block + machine.reserved_shared_bytes, 128);
    const int by_shared =
        shared == 0 ? machine.blocks : static_cast<int>(machine.shared_bytes / shared);
    return std::min({machine.blocks, machine.threads / 32 / warps, by_registers, by_shared});
}

} // namespace common
