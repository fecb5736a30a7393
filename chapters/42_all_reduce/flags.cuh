// An all-reduce by one kernel per device, whose blocks synchronize across devices by flags in
// memory; and the event barriers that it replaces.
#pragma once

#include "all_reduce.cuh"

#include <string>
#include <utility>
#include <vector>

// Flags by which blocks synchronize: on_device[d] is in the memory of device d, and block b of
// device k writes its progress to on_device[d][b * devices + k]. The values only increase, so that
// no flag has to be cleared between two sums.
struct Flags
{
    unsigned* on_device[common::Team::most];
    unsigned devices;
    unsigned own; // the device of this kernel
};

//! [flags]
#ifdef __CUDACC__ // the CPU device runs one device's kernel after the other's: "GPU only"
#include <cuda/atomic>

// A barrier between the blocks with this number, one per device. Each block waits until all have
// reached barrier number `phase`, and then sees all data that they wrote before. A block writes its
// flags across the link, and polls flags in its own device's memory.
__device__ inline void device_barrier(const Flags& flags, unsigned phase)
{
    using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;
    const unsigned first = blockIdx.x * flags.devices;
    __syncthreads();
    if (threadIdx.x < flags.devices) {
        Flag(flags.on_device[threadIdx.x][first + flags.own])
            .store(phase, cuda::memory_order_release);
        const Flag arrived(flags.on_device[flags.own][first + threadIdx.x]);
        // Gives up after about a second: if launches are serialized, the others never begin.
        const long long deadline = clock64() + (1LL << 31);
        while (static_cast<int>(arrived.load(cuda::memory_order_acquire) - phase) < 0 &&
               clock64() < deadline) {
        }
    }
    __syncthreads();
}

// One-shot between two barriers: no input is read before it is complete, and no kernel ends while
// another device reads its input. Launch: the same number of blocks on each device, all resident.
__global__ void __launch_bounds__(Sum::threads)
    sum_by_flags(Arrays arrays, std::size_t n, Flags flags, unsigned phase)
{
    constexpr unsigned loads = 2;
    device_barrier(flags, phase);
    const std::size_t tiles = (n + 4 * blockDim.x * loads - 1) / (4 * blockDim.x * loads);
    for (std::size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        sum_tile<loads>(arrays, n, tile);
    }
    device_barrier(flags, phase + 1);
}
#else
__global__ void sum_by_flags(Arrays, std::size_t, Flags, unsigned) {}
#endif
//! [flags]

// The flags of all devices, each in the memory of the device that polls them.
struct FlagTeam
{
    common::Team& team;
    std::vector<common::Buffer<unsigned>> memory = {};
    unsigned blocks = ~0U; // grid size: one block per SM of the smallest device
    unsigned phase = 1;    // number of the next barrier

    // Also loads the kernel on every device: loaded later, it could wait for one that waits for it.
    void allocate_flags()
    {
        team.peer_access(true);
        team.queue_on_each(team.size(), [&](unsigned, cudaStream_t) {
            blocks =
                std::min(blocks, common::persistent_grid_blocks(sum_by_flags, Sum::threads, 0, 1));
        });
        team.queue_on_each(team.size(), [&](unsigned, cudaStream_t) {
            memory.emplace_back(std::size_t{blocks} * team.size());
            CHECK_CUDA(cudaMemset(memory.back().data(), 0, memory.back().bytes()));
        });
    }
    // Queues the kernel on each device. The streams do not wait for each other: the blocks do.
    void queue(const common::Parts& p)
    {
        const std::size_t tile = std::size_t{4} * Sum::threads * usual_sum.loads;
        const unsigned grid = std::min(blocks, common::blocks(p.n, tile));
        team.queue_on_each(team.size(), [&](unsigned k, cudaStream_t stream) {
            Flags flags{{}, team.size(), k};
            for (unsigned d = 0; d < team.size(); ++d) {
                flags.on_device[d] = memory[d].data();
            }
            Arrays arrays = arrays_of(p, k, 0, 0);
            arrays.outputs = 1;
            sum_by_flags<<<grid, Sum::threads, 0, stream>>>(arrays, p.n, flags, phase);
        });
        phase += 2;
    }
};

const unsigned in_a_row = 20; // sums in a row: their launches still fit into a stream's queue

// Runs `times` sums in a row, between one fork and one join of the streams.
inline void run_by_flags(common::SharedRows& rows, AllReduce& p, common::Variant row,
                         unsigned times)
{
    FlagTeam flags{rows.team};
    row.unavailable = common::needs_compute_capability(7);
    row.setup = [&] { flags.allocate_flags(); };
    rows.run(row, p, [&](cudaStream_t stream) {
        rows.team.fork(rows.team.size(), stream);
        for (unsigned time = 0; time < times; ++time) {
            flags.queue(p);
        }
        rows.team.barrier(rows.team.size());
    });
}

// Runs event barriers with nothing between them: the overhead of every row that uses them.
inline void run_barriers(common::SharedRows& rows)
{
    const unsigned devices = devices_of(rows.team);
    common::Parts nothing(rows.chapter, rows.team, "event barriers", 0, 0,
                          std::vector<common::Part>(devices), {});
    for (unsigned times : {1u, in_a_row}) {
        rows.run({.name = times == 1 ? "barriers" : "barriers_x" + std::to_string(times),
                  .columns = {{"access", "on"}, {"devices", devices}}},
                 nothing, [&](cudaStream_t stream) {
                     for (unsigned time = 0; time < times; ++time) {
                         rows.team.run_between_barriers(stream, [](unsigned, cudaStream_t) {});
                     }
                 });
    }
}
