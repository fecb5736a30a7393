#include "common/model/card.hpp"

#include "common/text/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <list>

namespace common {

namespace {

// CUDA programming guide, compute capabilities 9.0 and 10.0, 8.0, 8.6, 8.9 and 12.0, and 7.5: what
// shared memory may take of L1, in KiB. (0 and, of 9.0, 196 are left out: the caches of chapters 01
// to 20 were fitted without.)
constexpr std::size_t carve_outs_90[] = {8, 16, 32, 64, 100, 132, 164, 228};
constexpr std::size_t carve_outs_80[] = {8, 16, 32, 64, 100, 132, 164};
constexpr std::size_t carve_outs_86[] = {8, 16, 32, 64, 100};
constexpr std::size_t carve_outs_75[] = {32, 64};

// Measured on an H200 (132 multiprocessors, driver 580, clocks as they come) unless marked
// otherwise. Its limits, the default, are what it answers when a program asks; 1.98 GHz is also
// sm__cycles_elapsed over gpu__time_duration, in every chapter.
//
// What comes from read, chase, turnover, stream, sectors, launch and atomic is from variants of
// chapters 21 to 25. No row of a chapter that is named here, or in the other files of this room,
// tells how near the model comes: tools/results/accuracy.py reads them.
//
// This book's own measurements, on PCIe generation 5. Chapter 01: the memory. Chapter 10: the
// link and the staging from its copies of 1 GiB, page locking from its largest registrations,
// the host's reading from 16 MiB; write-combined memory is read as fast as any there. Chapters
// 11 and 12: what kernels read in place, and page faults. A copy of 64 KiB from pinned memory
// takes 7.2 us more than its bytes in the mean of both directions, which is two calls, a
// latency and a wait here; how they share it is assumed, and so is the latency of a launch.
// Chapter 40, between cards: two H200s joined by 18 NVLinks, 450 GB/s each way by the data
// sheet, of which copies and kernels make it 420 (link.hpp); and what cudaMemcpyPeerAsync
// reaches with 1 GiB one way and both ways while peer access is off.
constexpr Card h200{
    .option = "h200",
    .name = "H200",
    .basis = "as this book measured it: the memory in chapter 01, the link and the host in "
             "chapter 10, loads in place in 11, page faults in 12, links between cards in 40",
    .l1_bytes = 256 * 1024,
    .carve_outs_kib = carve_outs_90,
    .l2_holds = 39e6,
    .memory_gb_per_s = 3500,
    .link_in_gb_per_s = 55.5,
    .link_out_gb_per_s = 55.4,
    .staged_in_gb_per_s = 9.8,
    .staged_out_gb_per_s = 14.9,
    .mapped_in_gb_per_s = 49.3,
    .faulting_in_gb_per_s = 8.3,
    .faulting_out_gb_per_s = 20,
    .peer_gb_per_s = 420,
    .peer_staged_gb_per_s = 37.8,
    .peer_staging_gb_per_s = 48.1,
    .host_gb_per_s = 15.9,
    .host_write_combined_gb_per_s = 15.5,
    .page_locking_gb_per_s = 29.6,
    .page_unlocking_gb_per_s = 73,
    .copy_latency_us = 4,
    .launch_latency_us = 2,
    .call_us = 1,
    .wait_us = 1.2,
    // launch: 4,194,304 empty blocks in 2.528 ms, whether of 32 or 512 threads.
    .launch_rate = 1.66,
    // Chapter 06: 262,144 bytes copied by one wave of blocks take 3.86 us, of which 0.6 are its
    // life.
    .launch_ns = 3300,
    // turnover_alone: a block with one load and one store, one at a time on a multiprocessor, takes
    // 605 ns with 8 warps, of which the load is 365; 832 ns with 32 warps.
    .block_ns = 240,
    .warp_ns = 8,
    // Chapter 14: the same copy by blocks of 32 x 8 instead of 256 threads, eight of which are
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
    // turnover: 786 ns of life with 8 blocks resident, 12 of them for wavefronts, at 57 % of the
    // peak, half of it writes. That gives 345; 330 was found by hand
    .mixed_queue_ns = 330,
    // stream, passes = 1: reads alone 4,520 GB/s without the launch; 3:1 4,463, 2:1 4,397, 1:1
    // 4,270, 1:2 4,130, 1:3 4,083; writes alone 4,640.
    .dram_rate = 4520,
    .turn_cost = 0.19,
    // Chapter 20: tiles with rows of 128 bytes reach 82 % of what copies do, of 256 bytes 94 %.
    .dram_row = 20,
    // Chapter 17, scatter of 4 bytes to anywhere: 16.9 ms, 12.8 if turns cost what they do in
    // streams.
    .row_turn = 19,
    // stream from L2: reads alone 9,160 GB/s; 1:1 8,410, 2:1 11,700, writes alone 4,775.
    .l2_return = 0.0035,
    .l2_read = 0.00125,
    // lines_of_l2 of experiments/constants/model_constants.cu: 67 million lines, of each of
    // which one sector is wanted, in 0.416 ms; of half as many with two sectors 0.222, with four
    // 0.225.
    .l2_request = 0.0063,
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
    // Four schedulers; no kernel was seen beyond 3.3 but one that has nothing to do but multiply
    // and add (rate_multiply_add of experiments/constants/model_constants.cu: 3.7).
    .issue_rate = 3.33,
    // The CUDA programming guide: 64 lanes. Between others 1.7 are reached, alone 1.96 (rate_both
    // and rate_logic).
    .logic_rate = 1.74,
    .multiplication_rate = 1.74,
    // The guide: 16 and 64 lanes.
    .special_rate = 0.5,
    .double_rate = 2,
    .instructions = 6, // assumed: chapters 01 to 20 have 3 to 13
    // The load, its part of an addition and of the loop: sum_rows of
    // experiments/kernel_sets/first_sight.cu has 2.4, multiply 2.8.
    .repeated_instructions = 2.6,
    .shared_instructions = 1.2, // multiply_16 and multiply_32: the load and a multiply-add of two
    // atomic: 16,777,216 on one counter in 12.27 ms; on random ones of 1,048,576 in 0.163 ms.
    .slice_atomics = 1.37,
    .atomics = 103,
};

/// What is told of another card, or assumed of the host it is in.
struct DataSheet
{
    std::string_view option, name, basis;
    std::string_view doubt = "This card is unmeasured: nobody knows how far off they are.";
    cpu_device::DeviceLimits limits;
    std::size_t l1_bytes = 0;
    std::span<const std::size_t> carve_outs_kib = {};
    int l2_slices = 0;
    double double_rate = 2; // as in the guide that the H200's is from
    double link_gb_per_s, peer_gb_per_s = 0, staged_gb_per_s, host_gb_per_s;
};

// What no data sheet tells is assumed alike for all but the measured card: a link reaches 80 % of
// what PCIe carries (16 lanes of generation 3: 15.75 GB/s, of generation 4: 31.5 GB/s, of
// generation 5: 63 GB/s), memory
// 85 % of its peak, one core of the host copies, stages and reads 6 to 12 GB/s, locks 10 and
// unlocks 20, page faults migrate a third of what the link carries, and a call takes some
// microseconds.
constexpr double link_share = 0.8;
constexpr double memory_share = 0.85;
constexpr double pcie_3 = link_share * 15.75;
constexpr double pcie_4 = link_share * 31.5;
constexpr double pcie_5 = link_share * 63;
// Between two cards NVLink carries as much of what is told of one direction as between the H200s of
// this book, of 450 GB/s; without NVLink they use PCIe. Through the host copies are as much slower
// than the link to it as there.
constexpr double nvlink_share = 420.0 / 450;
constexpr double peer_staged_share = 37.8 / 55.5;
constexpr double peer_staging_share = 48.1 / 55.5;
constexpr double double_rate_of_graphics = 2.0 / 32; // two lanes, of capability 7.5, 8.6 and more
constexpr int h200_slices = 94;                      // as many lts units count sectors

constexpr Card rescaled(const Card& base, const cpu_device::DeviceLimits& limits, double slices)
{
    Card c = base;
    c.limits = limits;
    c.l2_holds = base.l2_holds * limits.l2_bytes / base.limits.l2_bytes;
    const double slower = base.clock_ghz() / c.clock_ghz();
    const double narrower = base.peak() / c.peak();
    const double l2_slower = slower / slices;
    for (double Card::*rate : {&Card::launch_rate, &Card::slice_atomics})
        c.*rate /= slower;
    for (double Card::*time :
         {&Card::block_ns, &Card::warp_ns, &Card::dimension_ns, &Card::barrier_ns, &Card::dram_ns,
          &Card::l2_ns, &Card::l1_ns, &Card::line_ns, &Card::read_queue_ns, &Card::mixed_queue_ns})
        c.*time *= slower;
    for (double Card::*rate : {&Card::memory_gb_per_s, &Card::dram_rate})
        c.*rate /= narrower;
    for (double Card::*time :
         {&Card::l2_return, &Card::l2_request, &Card::l2_read, &Card::l2_packet, &Card::l2_write,
          &Card::l2_partial, &Card::l2_joint, &Card::l2_early, &Card::l2_fill})
        c.*time *= l2_slower;
    c.atomics /= l2_slower;
    return c;
}

// The rest is taken from the H200.
constexpr Card by(const DataSheet& sheet)
{
    Card c = rescaled(h200, sheet.limits, sheet.l2_slices / static_cast<double>(h200_slices));
    c.option = sheet.option;
    c.name = sheet.name;
    c.basis = sheet.basis;
    c.doubt = sheet.doubt;
    c.l1_bytes = sheet.l1_bytes;
    c.carve_outs_kib = sheet.carve_outs_kib;

    c.double_rate = sheet.double_rate;
    c.memory_gb_per_s = memory_share * c.peak();
    c.link_in_gb_per_s = c.link_out_gb_per_s = sheet.link_gb_per_s;
    c.staged_in_gb_per_s = c.staged_out_gb_per_s = sheet.staged_gb_per_s;
    c.mapped_in_gb_per_s = sheet.link_gb_per_s;
    c.faulting_in_gb_per_s = c.faulting_out_gb_per_s = sheet.link_gb_per_s / 3;
    c.peer_gb_per_s = sheet.peer_gb_per_s;
    c.peer_staged_gb_per_s = peer_staged_share * sheet.link_gb_per_s;
    c.peer_staging_gb_per_s = peer_staging_share * sheet.link_gb_per_s;
    c.host_gb_per_s = sheet.host_gb_per_s;
    c.host_write_combined_gb_per_s = 0.1;
    c.page_locking_gb_per_s = 10;
    c.page_unlocking_gb_per_s = 20;
    c.copy_latency_us = 5;
    c.launch_latency_us = 3;
    c.call_us = 3;
    c.wait_us = 5;
    return c;
}

// NVIDIA H100 Tensor Core GPU (data sheet): 80 GB of HBM3 at 3.35 TB/s (SXM), which are 5,120 bits
// at 2,619 MHz; PCIe generation 5, NVLink 900 GB/s in both directions together. NVIDIA H100 Tensor
// Core GPU architecture (whitepaper): 132 multiprocessors as in the H200, 50 MiB of L2, in as many
// slices for each MiB as the H200 has. Nothing of it was fitted to what one has been timed at.
constexpr Card h100 = by(
    {.option = "h100",
     .name = "H100",
     .basis = "unmeasured, from its data sheet: PCIe 5.0 x16 at 80 %, memory at 85 % of "
              "3352 GB/s, the host's part assumed",
     // error_of_data_sheet of the record's card.json
     .doubt = "This card is known by its data sheet: of 168 rows timed on an H100, half "
              "were within 2.1 %, nine of ten within 9 %.",
     .limits = {.l2_bytes = 50 * 1024 * 1024, .memory_clock_khz = 2619000, .memory_bus_bits = 5120},
     .l1_bytes = 256 * 1024,
     .carve_outs_kib = carve_outs_90,
     .l2_slices = h200_slices * 50 / 60,
     .link_gb_per_s = pcie_5,
     .peer_gb_per_s = nvlink_share * 450,
     .staged_gb_per_s = 10,
     .host_gb_per_s = 12});

// NVIDIA DGX B200 and HGX B200 data sheets: 8 TB/s of HBM3e a GPU, which are 8,192 bits at 3,906
// MHz; PCIe generation 5, NVLink 1.8 TB/s in both directions together. Chips and Cheese, "Nvidia's
// B200: Keeping the CUDA Juggernaut Rolling": 148 multiprocessors with L1 and shared memory as in
// an H100, 126 MiB of L2. 1.965 GHz, and as many slices for each MiB as the H200 has, are assumed.
constexpr Card b200 = by({.option = "b200",
                          .name = "B200",
                          .basis = "unmeasured, from its data sheet: PCIe 5.0 x16 at 80 %, memory "
                                   "at 85 % of 8000 GB/s, the host's part assumed",
                          .limits = {.multiprocessors = 148,
                                     .l2_bytes = 126 * 1024 * 1024,
                                     .memory_clock_khz = 3906300,
                                     .memory_bus_bits = 8192,
                                     .clock_khz = 1965000},
                          .l1_bytes = 256 * 1024,
                          .carve_outs_kib = carve_outs_90,
                          .l2_slices = h200_slices * 126 / 60,
                          .link_gb_per_s = pcie_5,
                          .peer_gb_per_s = nvlink_share * 900,
                          .staged_gb_per_s = 10,
                          .host_gb_per_s = 12});

// NVIDIA A100 Tensor Core GPU architecture (whitepaper): 108 multiprocessors, 1.41 GHz boost, 192
// KiB of L1 and shared memory, of which 164 are shared memory at most (163 of a block), 40 MiB of
// L2 in 80 slices. Data sheet: 80 GB of HBM2e at 2039 GB/s (SXM), which are 5,120 bits at 1,593
// MHz; PCIe generation 4, NVLink 600 GB/s in both directions together.
constexpr Card a100 =
    by({.option = "a100",
        .name = "A100-80G",
        .basis = "unmeasured, from its data sheet: PCIe 4.0 x16 at 80 %, memory at 85 % of "
                 "2039 GB/s, the host's part assumed",
        .limits = {.multiprocessors = 108,
                   .shared_bytes_per_multiprocessor = 164 * 1024,
                   .shared_bytes_per_block_optin = 163 * 1024,
                   .l2_bytes = 40 * 1024 * 1024,
                   .memory_clock_khz = 1593000,
                   .memory_bus_bits = 5120,
                   .clock_khz = 1410000},
        .l1_bytes = 192 * 1024,
        .carve_outs_kib = carve_outs_80,
        .l2_slices = 80,
        .link_gb_per_s = pcie_4,
        .peer_gb_per_s = nvlink_share * 300,
        .staged_gb_per_s = 9,
        .host_gb_per_s = 10});

// NVIDIA Turing GPU architecture (whitepaper) and T4 data sheet: 40 multiprocessors of 1,024
// threads and 16 blocks, 1.59 GHz boost, 96 KiB of L1 and shared memory, of which 64 are shared
// memory at most, 4 MiB of L2, 16 GB of GDDR6 at 320 GB/s, which are 256 bits at 5,001 MHz; PCIe
// generation 3. Slices of 128 KiB are assumed. Nothing of shared memory is reserved, and nothing of
// L2 set aside, before compute capability 8.0.
constexpr Card t4 =
    by({.option = "t4",
        .name = "T4",
        .basis = "unmeasured, from its data sheet: PCIe 3.0 x16 at 80 %, memory at 85 % of 320 "
                 "GB/s, the host's part assumed",
        .limits = {.multiprocessors = 40,
                   .max_threads_per_multiprocessor = 1024,
                   .max_blocks_per_multiprocessor = 16,
                   .shared_bytes_per_multiprocessor = 64 * 1024,
                   .shared_bytes_per_block_optin = 64 * 1024,
                   .reserved_shared_bytes_per_block = 0,
                   .l2_bytes = 4 * 1024 * 1024,
                   .persisting_l2_bytes = 0,
                   .access_policy_window_bytes = 0,
                   .memory_clock_khz = 5001000,
                   .memory_bus_bits = 256,
                   .clock_khz = 1590000,
                   .copy_engines = 2},
        .l1_bytes = 96 * 1024,
        .carve_outs_kib = carve_outs_75,
        .l2_slices = 32,
        .double_rate = double_rate_of_graphics,
        .link_gb_per_s = pcie_3,
        .peer_gb_per_s = pcie_3,
        .staged_gb_per_s = 6,
        .host_gb_per_s = 8});

// NVIDIA Ampere GA102 GPU architecture (whitepaper): 82 multiprocessors, 1.695 GHz boost, 128 KiB
// of L1 and shared memory, 6 MiB of L2, 24 GB of GDDR6X at 936 GB/s, which are 384 bits at 9,751
// MHz; PCIe generation 4, with an NVLink bridge 112.5 GB/s in both directions together. Slices of
// 128 KiB are assumed. CUDA programming guide, compute capability 8.6: 1,536 threads, 16 blocks,
// 100 KiB of shared memory, 99 of a block.
Card rtx3090()
{
    Card c = by(
        {.option = "rtx3090",
         .name = "RTX 3090",
         .basis = "unmeasured, from its specification: PCIe 4.0 x16 at 80 %, memory at 85 % of 936 "
                  "GB/s, the host's part assumed",
         .limits = {.multiprocessors = 82,
                    .max_threads_per_multiprocessor = 1536,
                    .max_blocks_per_multiprocessor = 16,
                    .shared_bytes_per_multiprocessor = 100 * 1024,
                    .shared_bytes_per_block_optin = 99 * 1024,
                    .l2_bytes = 6 * 1024 * 1024,
                    .memory_clock_khz = 9751000,
                    .memory_bus_bits = 384,
                    .clock_khz = 1695000,
                    .copy_engines = 2},
         .l1_bytes = 128 * 1024,
         .carve_outs_kib = carve_outs_86,
         .l2_slices = 48,
         .double_rate = double_rate_of_graphics,
         .link_gb_per_s = pcie_4,
         .peer_gb_per_s = nvlink_share * 56.25,
         .staged_gb_per_s = 10,
         .host_gb_per_s = 12});
    // The published copies that chapter 06 quotes: 524,288 blocks, each thread of which copies a
    // byte, take 0.972 ms: a block lives 912 ns, of which 280 are its own and 50 the queue.
    c.dram_ns = 580;
    return c;
}

/// A card of compute capability 8.9 or 12.0: 1,536 threads, 24 blocks, 128 KiB of L1 and shared
/// memory, of which 100 are shared memory at most, 99 of a block (CUDA programming guide). No
/// NVLink. Four slices of L2 for each 32 bits of memory, as in GA102, are assumed.
constexpr Card ada_or_blackwell(DataSheet sheet)
{
    sheet.limits.max_threads_per_multiprocessor = 1536;
    sheet.limits.max_blocks_per_multiprocessor = 24;
    sheet.limits.shared_bytes_per_multiprocessor = 100 * 1024;
    sheet.limits.shared_bytes_per_block_optin = 99 * 1024;
    sheet.limits.copy_engines = 2;
    sheet.l1_bytes = 128 * 1024;
    sheet.carve_outs_kib = carve_outs_86;
    sheet.l2_slices = sheet.limits.memory_bus_bits / 8;
    sheet.double_rate = double_rate_of_graphics;
    sheet.peer_gb_per_s = sheet.link_gb_per_s;
    return by(sheet);
}

// NVIDIA Ada GPU architecture (whitepaper): 128 multiprocessors, 2.52 GHz boost, 72 MiB of L2, 24
// GB of GDDR6X at 1008 GB/s, which are 384 bits at 10,501 MHz; PCIe generation 4.
constexpr Card rtx4090 =
    ada_or_blackwell({.option = "rtx4090",
                      .name = "RTX 4090",
                      .basis = "unmeasured, from its specification: PCIe 4.0 x16 at 80 %, memory "
                               "at 85 % of 1008 GB/s, the host's part assumed",
                      .limits = {.multiprocessors = 128,
                                 .l2_bytes = 72 * 1024 * 1024,
                                 .memory_clock_khz = 10501000,
                                 .memory_bus_bits = 384,
                                 .clock_khz = 2520000},
                      .link_gb_per_s = pcie_4,
                      .staged_gb_per_s = 10,
                      .host_gb_per_s = 12});

// NVIDIA RTX Blackwell GPU architecture (whitepaper): 170 multiprocessors, 2.407 GHz boost, 96 MiB
// of L2, 32 GB of GDDR7 at 1792 GB/s, which are 512 bits at 14,001 MHz; PCIe generation 5.
constexpr Card rtx5090 =
    ada_or_blackwell({.option = "rtx5090",
                      .name = "RTX 5090",
                      .basis = "unmeasured, from its specification: PCIe 5.0 x16 at 80 %, memory "
                               "at 85 % of 1792 GB/s, the host's part assumed",
                      .limits = {.multiprocessors = 170,
                                 .l2_bytes = 96 * 1024 * 1024,
                                 .memory_clock_khz = 14001000,
                                 .memory_bus_bits = 512,
                                 .clock_khz = 2407000},
                      .link_gb_per_s = pcie_5,
                      .staged_gb_per_s = 10,
                      .host_gb_per_s = 12});

// NVIDIA L4 Tensor Core GPU (data sheet): 24 GB of GDDR6 at 300 GB/s, which are 192 bits at 6,251
// MHz; PCIe generation 4. NVIDIA Ada GPU architecture (whitepaper): 58 multiprocessors, 2.04 GHz
// boost, 48 MiB of L2.
constexpr Card l4 =
    ada_or_blackwell({.option = "l4",
                      .name = "L4",
                      .basis = "unmeasured, from its data sheet: PCIe 4.0 x16 at 80 %, memory at "
                               "85 % of 300 GB/s, the host's part assumed",
                      .limits = {.multiprocessors = 58,
                                 .l2_bytes = 48 * 1024 * 1024,
                                 .memory_clock_khz = 6251000,
                                 .memory_bus_bits = 192,
                                 .clock_khz = 2040000},
                      .link_gb_per_s = pcie_4,
                      .staged_gb_per_s = 9,
                      .host_gb_per_s = 10});

/// Cards that files describe, the last one first. A list: who holds one keeps it.
std::list<Card>& added()
{
    static std::list<Card> all;
    return all;
}

/// The first card that has that text in that field; null if there is none.
const Card* find(std::string_view Card::*field, std::string_view text)
{
    const auto is = [&](const Card& card) { return card.*field == text; };
    if (const auto found = std::find_if(cards().begin(), cards().end(), is); found != cards().end())
        return &*found;
    const auto found = std::find_if(added().begin(), added().end(), is);
    return found == added().end() ? nullptr : &*found;
}

} // namespace

std::span<const Card> cards()
{
    static const std::array all = {h200, h100, b200, a100, l4, t4, rtx5090, rtx4090, rtx3090()};
    return all;
}

std::vector<std::string> card_options()
{
    std::vector<std::string> options;
    for (const Card& card : cards())
        options.emplace_back(card.option);
    return options;
}

const Card* find_card(std::string_view option)
{
    return find(&Card::option, option);
}

const Card* card_named(std::string_view name)
{
    return find(&Card::name, name);
}

const Card& add_card(const Card& card)
{
    return added().emplace_front(card);
}

Card with_limits(const Card& base, const cpu_device::DeviceLimits& limits, double slices)
{
    return rescaled(base, limits, slices);
}

std::string unknown_card(std::string_view option)
{
    const std::string closest = nearest(option, card_options());
    return fmt::format("There is no card '{}' to model{} There are {}.", option,
                       closest.empty() ? "." : fmt::format("; did you mean '{}'?", closest),
                       format_list(card_options()));
}

} // namespace common
