// The sum of arrays that are copied to the device first, and back to the host afterwards.
#pragma once

#include "add.cuh"

using Problem = common::HostVectorAdd;

//! [copy]
// The long way: in, add, out.
void add_copied(const Problem& p, unsigned passes, cudaStream_t stream)
{
    const std::size_t bytes = p.n * sizeof(float);
    CHECK_CUDA(cudaMemcpyAsync(p.a, p.host_a, bytes, cudaMemcpyHostToDevice, stream));
    CHECK_CUDA(cudaMemcpyAsync(p.b, p.host_b, bytes, cudaMemcpyHostToDevice, stream));
    launch_add(p.a, p.b, p.c, p.n, passes, stream);
    CHECK_CUDA(cudaMemcpyAsync(p.host_c, p.c, bytes, cudaMemcpyDeviceToHost, stream));
}
//! [copy]

//! [default]
// With one address space the addresses themselves say which way a copy goes.
void add_default_copies(const Problem& p)
{
    const std::size_t bytes = p.n * sizeof(float);
    CHECK_CUDA(cudaMemcpy(p.a, p.host_a, bytes, cudaMemcpyDefault));
    CHECK_CUDA(cudaMemcpy(p.b, p.host_b, bytes, cudaMemcpyDefault));
    launch_add(p.a, p.b, p.c, p.n, 1, nullptr);
    CHECK_CUDA(cudaMemcpy(p.host_c, p.c, bytes, cudaMemcpyDefault));
}
//! [default]
