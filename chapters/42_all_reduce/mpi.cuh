// The sum between processes, without NCCL: a row where mpirun or srun has started several.
#pragma once

#include "collectives.cuh"

#include <utility>
#include <vector>

//! [mpi]
// One process per device: copies the device's array to host memory, lets MPI sum the arrays of all
// processes, and copies the sum back.
inline void run_mpi(common::SharedRows& rows, AllReduce& p, std::vector<common::Column> columns)
{
    const unsigned own = common::ranks().rank();
    common::Buffer<float> host;
    rows.run_between_processes(
        {.name = "mpi_all_reduce",
         .columns = std::move(columns),
         .setup = [&] { host = common::Buffer<float>(p.n, common::MemoryKind::pinned); }},
        p, [&](cudaStream_t stream) {
            CHECK_CUDA(cudaMemcpyAsync(host.data(), p.a[own], host.bytes(), cudaMemcpyDeviceToHost,
                                       stream));
            CHECK_CUDA(cudaStreamSynchronize(stream));
            common::ranks().add_up(host.data(), p.n);
            CHECK_CUDA(cudaMemcpyAsync(p.c[own], host.data(), host.bytes(), cudaMemcpyHostToDevice,
                                       stream));
        });
}
//! [mpi]
