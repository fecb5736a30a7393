/// \file
/// The kernel launches of the program, executed and counted.
#pragma once

#include "cpu_device/counts.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cpu_device {

/// The counted launches since forget_launches(), in order, each with its counts and how many
/// repeats were not counted.
[[nodiscard]] const std::vector<LaunchRecord>& launches();
/// Forgets them; what is launched next is counted.
void forget_launches();

/// "kernel scale (launched at a.cu:31): block 12 of 4096 (0 %) after 3.2 s, ..." of the launch that
/// runs, which is not among launches() yet; empty while none does. From any thread.
[[nodiscard]] std::string running_launch();
/// To be called before main() of a program that is Settings::watchful. From now on, not only from
/// the first launch, standard error says after each half of Settings::patience how far the launches
/// are, or that the host is at work, and what becomes of a bad access of the host.
void watch_program();

/// A sentence on the first time that the host has read or written what queued work writes, or
/// written what it reads, with no wait between; empty where it never has. Looked for where
/// Settings::watchful requests it.
[[nodiscard]] std::string early_use();

/// How closely launches are looked at.
enum class Detail
{
    counts,  ///< every request is counted
    traffic, ///< and those of some neighbouring blocks are traced: see set_trace_sink()
    /// No more blocks run than the trace needs, from the middle of the grid; their counts are
    /// scaled to the grid. What the kernel computes is lost.
    sample
};
/// Of the launches from here on; Detail::counts is the default.
void set_detail(Detail detail);
/// As set.
[[nodiscard]] Detail detail();

/// An error that a call returned.
struct UnreadError
{
    std::string name; ///< "cudaErrorInvalidValue"
    /// Behind "call": " at mine.cu:12 returned cudaErrorInvalidValue (invalid argument)", with the
    /// line and the reason where they are known.
    std::string text;
};

/// The first error of a thread of the host since it last called cudaGetLastError() or
/// cudaPeekAtLastError(), but for launches: those tell of themselves at once. Any thread may ask.
[[nodiscard]] std::optional<UnreadError> unread_error();

} // namespace cpu_device
