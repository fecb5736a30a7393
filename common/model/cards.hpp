/// \file
/// The cards that a timeline can be modelled for.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace common {

/// The rates of one card and of the host it is in. GB are 10^9 bytes.
struct Card
{
    std::string_view option;             ///< as `--card` takes it: "h200"
    std::string_view name;               ///< as people write it: "H200"
    std::string_view basis;              ///< where the figures come from, as a sentence
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
    int copy_engines;                    ///< 1: both directions share it
    double copy_latency_us;              ///< from ready to the first byte of a copy
    double launch_latency_us;            ///< from ready to the first block of a kernel
    double call_us;                      ///< the host in a call that only queues
    double wait_us;                      ///< until a host that waits goes on
};

/// All of them; the first is the default.
[[nodiscard]] std::span<const Card> cards();
/// `"h200"` and so on.
[[nodiscard]] std::vector<std::string> card_options();
/// The card of that option; null if there is none.
[[nodiscard]] const Card* find_card(std::string_view option);
/// The sentence for an option that no card has, with the nearest that one has and all of them.
[[nodiscard]] std::string unknown_card(std::string_view option);

} // namespace common
