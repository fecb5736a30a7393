/// \file
/// The CUDA runtime API for host code.
#pragma once
#pragma GCC system_header

#include "cpu_device/runtime_api.hpp"
