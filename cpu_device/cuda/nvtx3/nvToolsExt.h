/// \file
/// Ranges for a profiler's time line, which nothing records here.
#pragma once

#include "cpu_device/detail/function.hpp"

CPU_DEVICE_FUNCTION(int, nvtxRangePushA, (const char*), 0)
CPU_DEVICE_FUNCTION(int, nvtxRangePush, (const char*), 0)
CPU_DEVICE_FUNCTION(int, nvtxRangePop, (), 0)
