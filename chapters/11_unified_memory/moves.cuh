// How the data of chapter 11 gets to the other side: by copies, by prefetch, or because it was
// advised where to be.
#pragma once

#include "common/chapter.hpp"

using Problem = common::HostVectorAdd;
using Queue = void (*)(const Problem&, cudaStream_t);

//! [copies]
void copy_in(const Problem& p, cudaStream_t stream)
{
    const std::size_t bytes = p.n * sizeof(float);
    CHECK_CUDA(cudaMemcpyAsync(p.a, p.host_a, bytes, cudaMemcpyHostToDevice, stream));
    CHECK_CUDA(cudaMemcpyAsync(p.b, p.host_b, bytes, cudaMemcpyHostToDevice, stream));
}

void copy_out(const Problem& p, cudaStream_t stream)
{
    CHECK_CUDA(cudaMemcpyAsync(p.host_c, p.c, p.n * sizeof(float), cudaMemcpyDeviceToHost, stream));
}
//! [copies]

//! [prefetch]
void prefetch_in(const Problem& p, cudaStream_t stream)
{
    for (float* array : {p.a, p.b, p.c}) {
        common::prefetch(array, p.n * sizeof(float), common::device_place(), stream);
    }
}

void prefetch_out(const Problem& p, cudaStream_t stream)
{
    common::prefetch(p.c, p.n * sizeof(float), common::host_place(), stream);
}
//! [prefetch]

//! [advice]
// The inputs are only read: each side may have a copy of its own.
void advise_read_mostly(const Problem& p)
{
    for (float* array : {p.a, p.b}) {
        CHECK_CUDA(cudaMemAdvise(array, p.n * sizeof(float), cudaMemAdviseSetReadMostly,
                                 common::device_place()));
    }
}

// Everything stays on the host, mapped for the device: chapter 10's way.
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
