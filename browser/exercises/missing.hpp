/// \file
/// Included before every source here: what the library lacks, and what a program is linked with.
#pragma once

#include "browser/exercises/library.hpp"

// In the place of a return address: what the program said last (accesses.cpp).
extern "C" const void* figures_call_site;
#define __builtin_return_address(level) figures_call_site

// What a program calls is what these declare; the linker exports nothing else.
#pragma GCC visibility push(default)
#include <cooperative_groups.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#pragma GCC visibility pop
