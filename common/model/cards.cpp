#include "common/model/cards.hpp"

#include "common/text/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace common {

namespace {

// What no data sheet tells is assumed alike for all but the measured card: a link reaches 80 % of
// what PCIe carries (16 lanes of generation 3: 15.75 GB/s, of generation 4: 31.5 GB/s), memory
// 85 % of its peak, one core of the host copies, stages and reads 6 to 12 GB/s, locks 10 and
// unlocks 20, page faults migrate a third of what the link carries, and a call takes some
// microseconds.
constexpr double link_share = 0.8;
constexpr double memory_share = 0.85;
constexpr double pcie_3 = link_share * 15.75;
constexpr double pcie_4 = link_share * 31.5;
// Between two cards NVLink carries as much of what is told of one direction as between the H200s of
// this book, of 450 GB/s; without NVLink they use PCIe. Through the host copies are as much slower
// than the link to it as there.
constexpr double nvlink_share = 420.0 / 450;
constexpr double peer_staged_share = 37.8 / 55.5;
constexpr double peer_staging_share = 48.1 / 55.5;

/// What is told of a card, or assumed of the host it is in; the peak of its memory.
struct DataSheet
{
    std::string_view option, name, basis;
    double memory_gb_per_s, link_gb_per_s, peer_gb_per_s, staged_gb_per_s, host_gb_per_s;
    int copy_engines;
};

constexpr Card by(const DataSheet& sheet)
{
    return {.option = sheet.option,
            .name = sheet.name,
            .basis = sheet.basis,
            .memory_gb_per_s = memory_share * sheet.memory_gb_per_s,
            .link_in_gb_per_s = sheet.link_gb_per_s,
            .link_out_gb_per_s = sheet.link_gb_per_s,
            .staged_in_gb_per_s = sheet.staged_gb_per_s,
            .staged_out_gb_per_s = sheet.staged_gb_per_s,
            .mapped_in_gb_per_s = sheet.link_gb_per_s,
            .faulting_in_gb_per_s = sheet.link_gb_per_s / 3,
            .faulting_out_gb_per_s = sheet.link_gb_per_s / 3,
            .peer_gb_per_s = sheet.peer_gb_per_s,
            .peer_staged_gb_per_s = peer_staged_share * sheet.link_gb_per_s,
            .peer_staging_gb_per_s = peer_staging_share * sheet.link_gb_per_s,
            .host_gb_per_s = sheet.host_gb_per_s,
            .host_write_combined_gb_per_s = 0.1,
            .page_locking_gb_per_s = 10,
            .page_unlocking_gb_per_s = 20,
            .copy_engines = sheet.copy_engines,
            .copy_latency_us = 5,
            .launch_latency_us = 3,
            .call_us = 3,
            .wait_us = 5};
}

constexpr std::array all = {
    // This book's own measurements, on PCIe generation 5. Chapter 01: the memory. Chapter 09: the
    // link and the staging from its copies of 1 GiB, page locking from its largest registrations,
    // the host's reading from 16 MiB; write-combined memory is read as fast as any there. Chapters
    // 10 and 11: what kernels read in place, and page faults. A copy of 64 KiB from pinned memory
    // takes 7.2 us more than its bytes in the mean of both directions, which is two calls, a
    // latency and a wait here; how they share it is assumed, and so is the latency of a launch.
    // Chapter 19, between cards: two H200s joined by 18 NVLinks, 450 GB/s each way by the data
    // sheet, of which copies and kernels make it 420 (link.hpp); and what cudaMemcpyPeerAsync
    // reaches with 1 GiB one way and both ways while peer access is off.
    Card{.option = "h200",
         .name = "H200",
         .basis = "as this book measured it: the memory in chapter 01, the link and the host in "
                  "chapter 10, loads in place in 11, page faults in 12, links between cards in 40",
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
         .copy_engines = 3,
         .copy_latency_us = 4,
         .launch_latency_us = 2,
         .call_us = 1,
         .wait_us = 1.2},
    // NVIDIA A100 data sheet: 80 GB of HBM2e at 2039 GB/s (SXM), PCIe generation 4, NVLink 600
    // GB/s in both directions together.
    by({.option = "a100",
        .name = "A100-80G",
        .basis = "from its data sheet: PCIe 4.0 x16 at 80 %, memory at 85 % of 2039 "
                 "GB/s, the host's part assumed",
        .memory_gb_per_s = 2039,
        .link_gb_per_s = pcie_4,
        .peer_gb_per_s = nvlink_share * 300,
        .staged_gb_per_s = 9,
        .host_gb_per_s = 10,
        .copy_engines = 3}),
    // NVIDIA T4 data sheet: 16 GB of GDDR6 at 320 GB/s, PCIe generation 3.
    by({.option = "t4",
        .name = "T4",
        .basis = "from its data sheet: PCIe 3.0 x16 at 80 %, memory at 85 % of 320 GB/s, "
                 "the host's part assumed",
        .memory_gb_per_s = 320,
        .link_gb_per_s = pcie_3,
        .peer_gb_per_s = pcie_3,
        .staged_gb_per_s = 6,
        .host_gb_per_s = 8,
        .copy_engines = 2}),
    // GeForce RTX 3090 specification: 24 GB of GDDR6X at 936 GB/s, PCIe generation 4; with an
    // NVLink
    // bridge 112.5 GB/s in both directions together (NVIDIA Ampere GA102 whitepaper).
    by({.option = "rtx3090",
        .name = "RTX 3090",
        .basis = "from its specification: PCIe 4.0 x16 at 80 %, memory at 85 % of 936 "
                 "GB/s, the host's part assumed",
        .memory_gb_per_s = 936,
        .link_gb_per_s = pcie_4,
        .peer_gb_per_s = nvlink_share * 56.25,
        .staged_gb_per_s = 10,
        .host_gb_per_s = 12,
        .copy_engines = 2}),
};

} // namespace

std::span<const Card> cards()
{
    return all;
}

std::vector<std::string> card_options()
{
    std::vector<std::string> options;
    for (const Card& card : all)
        options.emplace_back(card.option);
    return options;
}

const Card* find_card(std::string_view option)
{
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Card& card) { return card.option == option; });
    return found == all.end() ? nullptr : &*found;
}

std::string unknown_card(std::string_view option)
{
    const std::string closest = nearest(option, card_options());
    return fmt::format("There is no card '{}' to model{} There are {}.", option,
                       closest.empty() ? "." : fmt::format("; did you mean '{}'?", closest),
                       format_list(card_options()));
}

} // namespace common
