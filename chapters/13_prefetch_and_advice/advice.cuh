// Advice to the driver on how managed arrays are accessed, and where they should stay.
#pragma once

#include "../12_unified_memory/matrix_sum.cuh"

//! [advice]
// Marks the inputs as read-mostly: host and device may each have a copy of their pages.
void advise_read_mostly(const Problem& p)
{
    for (float* array : {p.a, p.b}) {
        CHECK_CUDA(cudaMemAdvise(array, p.n * sizeof(float), cudaMemAdviseSetReadMostly,
                                 common::device_place()));
    }
}

// Keeps all pages in host memory, where kernels access them over the link, as in chapter 11.
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
