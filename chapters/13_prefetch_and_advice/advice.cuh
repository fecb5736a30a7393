// Advice on who reads managed arrays, and where they stay.
#pragma once

#include "../12_unified_memory/matrix_sum.cuh"

//! [advice]
// The inputs are only read: each side may have a copy of its own.
void advise_read_mostly(const Problem& p)
{
    for (float* array : {p.a, p.b}) {
        CHECK_CUDA(cudaMemAdvise(array, p.n * sizeof(float), cudaMemAdviseSetReadMostly,
                                 common::device_place()));
    }
}

// Everything stays on the host, mapped for the device: chapter 11's way.
void advise_stay(const Problem& p)
{
    for (float* array : {p.a, p.b, p.c}) {
        const std::size_t bytes = p.n * sizeof(float);
        CHECK_CUDA(
            cudaMemAdvise(array, bytes, cudaMemAdviseSetPreferredLocation, common::host_place()));
        CHECK_CUDA(cudaMemAdvise(array, bytes, cudaMemAdviseSetAccessedBy, common::device_place()));
    }
}
//! [advice]
