// The sum by a kernel per device, in which blocks wait for those of the other devices.
#pragma once

#include "all_reduce.cuh"

#include <vector>

constexpr unsigned flag_blocks = 64; // per device, all of which have to be resident

// Where blocks tell each other how far they have come: of[device][block][whose]. Flags only rise,
// so that nobody clears them between two sums.
struct Flags
{
    unsigned* of[common::Team::most];
    unsigned devices;
    unsigned own; // the number of this device
};

#ifdef __CUDACC__ // the CPU device runs the devices' kernels one behind the other
#include <cuda/atomic>

//! [flags]
// Lets blocks of equal number meet: each goes on when the others have come to this turn, and sees
// what they have written.
__device__ inline void meet(const Flags& flags, unsigned turn)
{
    using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;
    unsigned* const* of = flags.of;
    const unsigned first = blockIdx.x * flags.devices;
    __syncthreads();
    if (threadIdx.x < flags.devices) {
        Flag(of[threadIdx.x][first + flags.own]).store(turn, cuda::memory_order_release);
        const Flag theirs(of[flags.own][first + threadIdx.x]);
        while (static_cast<int>(theirs.load(cuda::memory_order_acquire) - turn) < 0) {
        }
    }
    __syncthreads();
}

// Sums between two meetings: none reads an input that is not there yet, and none ends while another
// still reads its own.
__global__ void __launch_bounds__(Sum::threads)
    sum_by_flags(Arrays arrays, std::size_t n, Flags flags, unsigned turn)
{
    constexpr unsigned loads = 2;
    meet(flags, turn);
    const std::size_t of_tile = std::size_t{4} * blockDim.x * loads;
    for (std::size_t tile = blockIdx.x; tile * of_tile < n; tile += gridDim.x) {
        sum_tile<loads>(arrays, n, tile);
    }
    meet(flags, turn + 1);
}
//! [flags]
#else
__global__ void sum_by_flags(Arrays, std::size_t, Flags, unsigned) {}
#endif

//! [turns]
// The flags of all devices, each in the memory of the one that waits for them.
struct FlagTeam
{
    common::Team& team;
    std::vector<common::Buffer<unsigned>> memory = {};
    unsigned turn = 1; // of the next meeting

    void make_room()
    {
        team.peer_access(true);
        for (auto k = static_cast<unsigned>(memory.size()); k < team.size(); ++k) {
            team.use(k);
            memory.emplace_back(std::size_t{flag_blocks} * team.size());
            CHECK_CUDA(cudaMemset(memory.back().data(), 0, memory.back().bytes()));
        }
        team.use(0);
    }
    // Queues a sum on each device. No stream waits for another: the blocks do.
    void queue(const common::Parts& p)
    {
        team.queue_on_each(team.size(), [&](unsigned k, cudaStream_t on) {
            Flags flags{{}, team.size(), k};
            for (unsigned d = 0; d < team.size(); ++d) {
                flags.of[d] = memory[d].data();
            }
            Arrays arrays = arrays_of(p, k, 0, 0);
            arrays.outputs = 1;
            sum_by_flags<<<flag_blocks, Sum::threads, 0, on>>>(arrays, p.n, flags, turn);
        });
        turn += 2;
    }
};
//! [turns]
