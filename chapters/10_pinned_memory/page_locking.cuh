// Pages of memory that is there already, locked and unlocked.
#pragma once

#include "common/chapter.hpp"

using Problem = common::Copy<float>;

//! [register]
// Locks, or unlocks, the pages of memory that was allocated by other means.
void lock(const Problem& p)
{
    CHECK_CUDA(
        cudaHostRegister(const_cast<float*>(p.a), p.n * sizeof(float), cudaHostRegisterDefault));
}

void unlock(const Problem& p)
{
    CHECK_CUDA(cudaHostUnregister(const_cast<float*>(p.a)));
}
//! [register]
