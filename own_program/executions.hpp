/// \file
/// How often a kernel's warps execute its machine code, as their requests to memory tell.
#pragma once

#include "own_program/machine_code.hpp"

#include <string>
#include <vector>

namespace own_program {

/// Requests that an average warp makes by the instructions of one line.
struct LineRequests
{
    AccessKind kind = AccessKind::load;
    std::string line;
    double requests = 0;
    unsigned lane_bytes = 0; ///< that a lane moves; 0: nobody knows
    // Wavefronts of shared memory; 0: nobody knows:
    double shared = 0;    ///< that they take,
    double as_double = 0; ///< and that loads would if each lane took 8 bytes,
    double as_quad = 0;   ///< or 16
    double turns = 0;     ///< of atomics, if lanes that want one address take turns
};

/// What an average warp executes.
struct Executed
{
    double instructions = 0; ///< 0: nobody knows
    double multiplications = 0;
    double special = 0;
    double doubles = 0;
    double logic = 0;
    double shuffles = 0;
    double constants = 0; ///< loads of constant memory at an address that was computed
    double answers = 0;   ///< of atomics of global memory
    double requests = 0;  ///< of these, to memory
    double combined = 0;  ///< lanes whose atomics another lane has executed with its own
    double cycles = 0;    ///< Schedule::cycles
    double waits = 0;     ///< Schedule::waits
    // Of the wavefronts that its requests take, those that are left where nvcc makes one of
    // several:
    double global = 1; ///< of global memory
    double shared = 1; ///< of shared memory
    /// The line of a loop that asks for no memory: how often it runs has not been counted.
    std::string uncounted_loop = {};
    /// The line of a call: what the function executes has not been counted.
    std::string uncounted_call = {};

    Executed& operator*=(double times)
    {
        for (double* const number :
             {&instructions, &multiplications, &special, &doubles, &logic, &shuffles, &constants,
              &answers, &requests, &combined, &cycles, &waits})
            *number *= times;
        return *this;
    }
};

/// How often a warp runs each block: as its accesses were made; a block without any as often as
/// the others of its loop, or once; but none more often than those before it, or behind it,
/// together. Of the copies of an unrolled loop the largest runs as often as it can, and smaller
/// ones do the rest. An access that is wider than those that were made stands for so many of them.
[[nodiscard]] Executed executed(const MachineCode& code, const std::vector<LineRequests>& requests);

} // namespace own_program
