/// \file
/// What is deferred until somebody looks: a launch that repeats an earlier one, to the last bit of
/// its arguments, and the fills between such launches.
///
/// A benchmark launches a kernel a thousand times and looks at what the last launch has written, or
/// at nothing: it ends. As long as kernels alone can see device memory, nobody can tell whether
/// such a launch has run. What is deferred runs, in order, before anything else is done that
/// depends on it: a copy, a launch that is no repeat, memory that the host shares. What nothing
/// ever looks at never runs.
#pragma once

#include <functional>
#include <mutex>

namespace cpu_device {

/// Held by who launches a kernel, which already uses every core, and by who does what was deferred.
[[nodiscard]] std::unique_lock<std::recursive_mutex> one_launch();

/// True if work may be deferred now: no kernel of the program prints, and the host shares no memory
/// with kernels. Of several devices one may look at what another has written: then never. Nor once
/// 2^14 were deferred at a time: a loop that goes on until a clock says so would never end.
[[nodiscard]] bool may_defer();
/// Has `work` done later, or never. Under one_launch().
void deferred(std::function<void()> work);
/// Has `work` done later if it would otherwise be done before what was deferred earlier; else
/// returns false.
[[nodiscard]] bool deferred_behind_others(const std::function<void()>& work);
/// True between deferred() and run_deferred(). Any thread.
[[nodiscard]] bool any_deferred();
/// Before anything that depends on it. Any thread.
void run_deferred();

} // namespace cpu_device
