/// \file
/// The CUDA runtime API for host code.
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/runtime_api.hpp"
