// The fifth lesson of chapter 19: sums that every device contributes to and every device needs, by
// NCCL and by one kernel of our own.
#pragma once

#include "nccl.hpp"
#include "parts.hpp"
#include "team.hpp"

#include <cuda/atomic>

#include <algorithm>

//! [sum]
constexpr unsigned most_devices = common::Team::most;

// Which arrays a device adds up, and into which it writes the sum: its own and others'.
struct Arrays
{
    const float* in[most_devices];
    float* out[most_devices];
    unsigned inputs;
    unsigned outputs;
};

__device__ float4 add4(float4 x, float4 y)
{
    return make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

// One tile of the sum. All loads of an array are on their way before the first is used; those of
// the first two arrays together, because nothing is added before both are asked for.
template<unsigned loads>
__device__ void sum_tile(const Arrays& arrays, std::size_t n, std::size_t tile)
{
    const std::size_t vectors = n / 4;
    const std::size_t first = tile * blockDim.x * loads + threadIdx.x;
    float4 x[loads] = {};
    for (unsigned d = 0; d < arrays.inputs; ++d) {
        const float4* in = reinterpret_cast<const float4*>(arrays.in[d]);
        float4 y[loads] = {};
        for (unsigned k = 0; k < loads; ++k) {
            if (const std::size_t i = first + k * blockDim.x; i < vectors) {
                y[k] = in[i];
            }
        }
        for (unsigned k = 0; k < loads; ++k) {
            x[k] = d == 0 ? y[k] : add4(x[k], y[k]);
        }
    }
    for (unsigned d = 0; d < arrays.outputs; ++d) {
        float4* out = reinterpret_cast<float4*>(arrays.out[d]);
        for (unsigned k = 0; k < loads; ++k) {
            if (const std::size_t i = first + k * blockDim.x; i < vectors) {
                out[i] = x[k];
            }
        }
    }
    if (const std::size_t i = 4 * vectors + first; i < n) {
        float x1 = 0;
        for (unsigned d = 0; d < arrays.inputs; ++d) {
            x1 = d == 0 ? arrays.in[d][i] : x1 + arrays.in[d][i];
        }
        for (unsigned d = 0; d < arrays.outputs; ++d) {
            arrays.out[d][i] = x1;
        }
    }
}

template<unsigned loads>
__global__ void sum(Arrays arrays, std::size_t n)
{
    sum_tile<loads>(arrays, n, blockIdx.x);
}
//! [sum]

//! [flags]
// Block b of every device waits for block b of all others. Each device has a flag for each block of
// each device in its own memory, where it is cheap to look again and again; the others write them.
struct Flags
{
    unsigned* of[most_devices]; // [block][device]
    unsigned devices;
    unsigned me;
};

__device__ void meet(const Flags& flags, unsigned round)
{
    __syncthreads(); // what this block has stored comes before the flag
    if (threadIdx.x < flags.devices) {
        using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;
        const unsigned row = blockIdx.x * flags.devices;
        Flag(flags.of[threadIdx.x][row + flags.me]).store(round, cuda::memory_order_release);
        const Flag theirs(flags.of[flags.me][row + threadIdx.x]);
        while (static_cast<int>(theirs.load(cuda::memory_order_acquire) - round) < 0) {
        }
    }
    __syncthreads();
}

// All blocks have to run at the same time, or two devices could wait for blocks of each other that
// cannot begin: the grid is no larger than the device.
template<unsigned loads>
__global__ void sum_and_meet(Arrays arrays, std::size_t n, Flags flags, unsigned round)
{
    meet(flags, round); // the others' inputs are there
    for (std::size_t tile = blockIdx.x; tile * blockDim.x * loads * 4 < n; tile += gridDim.x) {
        sum_tile<loads>(arrays, n, tile);
    }
    meet(flags, round + 1); // the others have read what they need, and written what they owe
}
//! [flags]

//! [meeting]
// The flags of all devices, as the host makes them.
struct Meeting
{
    void prepare(common::Team& team)
    {
        team.peer_access(true);
        int processors = 0;
        CHECK_CUDA(
            cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, team.device(0)));
        most_blocks = 2 * static_cast<unsigned>(processors);
        flags.devices = team.size();
        memory.clear();
        for (unsigned k = 0; k < team.size(); ++k) {
            team.use(k);
            memory.emplace_back(most_blocks * team.size());
            CHECK_CUDA(cudaMemset(memory[k].data(), 0, memory[k].bytes()));
            CHECK_CUDA(cudaDeviceSynchronize());
            flags.of[k] = memory[k].data();
        }
        team.use(0);
        round = 0;
    }

    std::vector<common::Buffer<unsigned>> memory;
    Flags flags{};
    unsigned most_blocks = 0;
    unsigned round = 0;
};

// Kernels that wait for each other have to run at the same time, on devices of their own.
common::Lazy<std::string> needs_flags(const common::Team& team)
{
    return [&team]() -> std::string {
        const std::string missing = team.needs_two()();
        return missing.empty() ? common::needs_compute_capability(7)() : missing;
    };
}
//! [meeting]

//! [shares]
// The part of n elements that device k of P adds up: whole float4s, and the last what is left.
struct Share
{
    std::size_t first;
    std::size_t count;
};

Share share(std::size_t n, unsigned devices, unsigned k)
{
    const std::size_t each = ((n + 3) / 4 + devices - 1) / devices * 4;
    const std::size_t first = std::min(k * each, n);
    return {first, std::min(each, n - first)};
}
//! [shares]

//! [arrays]
// Two-phase: device k adds up its share of all inputs and writes the sum to all outputs. Every
// element is read and written by one device alone. One-shot: each device adds up everything for
// itself.
Arrays arrays_of(const common::Parts& p, unsigned devices, unsigned k, bool two_phase)
{
    Arrays arrays{};
    const std::size_t first = two_phase ? share(p.n, devices, k).first : 0;
    arrays.inputs = devices;
    arrays.outputs = two_phase ? devices : 1;
    for (unsigned d = 0; d < devices; ++d) {
        const unsigned other = (k + d) % devices; // in another order on each, for all links at once
        arrays.in[d] = p.a[other] + first;
        arrays.out[d] = p.c[other] + first;
    }
    return arrays;
}
//! [arrays]

//! [all_reduce]
constexpr unsigned sum_threads = 512;

struct SumKernel
{
    unsigned loads; // of 16 bytes, that a thread has on their way from each device
    void (*sum)(Arrays, std::size_t);
    void (*sum_and_meet)(Arrays, std::size_t, Flags, unsigned);

    [[nodiscard]] unsigned blocks(std::size_t n) const
    {
        return common::blocks(n, std::size_t{4} * sum_threads * loads);
    }
};

const SumKernel sums[] = {{1, sum<1>, sum_and_meet<1>},
                          {2, sum<2>, sum_and_meet<2>},
                          {4, sum<4>, sum_and_meet<4>},
                          {8, sum<8>, sum_and_meet<8>}};

// Streams of several devices know nothing of each other. Before the kernels every device waits for
// the others' inputs, behind them for the others' last reads and writes: by events.
template<class Queue>
void between_barriers(common::Team& team, cudaStream_t first, Queue queue)
{
    team.fork(team.size(), first);
    team.meet(team.size(), first);
    team.queue_on_each(team.size(), first, queue);
    team.meet(team.size(), first);
}

void run_all_reduce(common::Chapter& chapter, common::Team& team, common::Nccl& nccl, std::size_t n)
{
    const unsigned devices = std::max(team.size(), 2u);
    common::Parts p(chapter, team, "all-reduce", n, 2 * (devices - 1) * n * sizeof(float) / devices,
                    std::vector<common::Part>(devices, {n, n}),
                    [&p](unsigned, std::size_t first, std::size_t count, float* out) {
                        p.sum_of_inputs(first, count, out);
                    });
    const auto columns = [devices](unsigned loads) {
        return std::vector<common::Column>{
            {"access", "on"}, {"devices", devices}, {"loads", loads}};
    };
    const auto counted = [n, devices](unsigned k, bool two_phase) {
        return two_phase ? share(n, devices, k).count : n;
    };
    for (bool two_phase : {false, true}) {
        for (const SumKernel& s : sums) {
            const auto by_events = [&](cudaStream_t stream) {
                between_barriers(team, stream, [&](unsigned k, cudaStream_t on) {
                    if (const std::size_t count = counted(k, two_phase); count > 0) {
                        s.sum<<<s.blocks(count), sum_threads, 0, on>>>(
                            arrays_of(p, devices, k, two_phase), count);
                    }
                });
            };
            chapter.run({two_phase ? "two_phase" : "one_shot", sum_threads, columns(s.loads),
                         team.needs_two()},
                        p, {.work = by_events, .setup = [&] { team.peer_access(true); }});
        }
    }

    Meeting meeting;
    for (bool two_phase : {false, true}) {
        for (const SumKernel& s : sums) {
            const auto by_flags = [&](cudaStream_t stream) {
                const unsigned blocks =
                    std::min(s.blocks(counted(0, two_phase)), meeting.most_blocks);
                meeting.round += 2;
                team.each(devices, stream, [&](unsigned k, cudaStream_t on) {
                    meeting.flags.me = k;
                    s.sum_and_meet<<<blocks, sum_threads, 0, on>>>(
                        arrays_of(p, devices, k, two_phase), counted(k, two_phase), meeting.flags,
                        meeting.round);
                });
            };
            chapter.run({two_phase ? "two_phase_flags" : "one_shot_flags", sum_threads,
                         columns(s.loads), needs_flags(team)},
                        p, {.work = by_flags, .setup = [&] { meeting.prepare(team); }});
        }
    }

    chapter.run_library({"nccl_all_reduce", 0, columns(0), nccl.missing()}, p,
                        [&](cudaStream_t stream) {
                            nccl.run(stream, [&](unsigned k, cudaStream_t on) {
                                nccl.all_reduce(k, p.a[k], p.c[k], n, on);
                            });
                        });
}
//! [all_reduce]

//! [gather_scatter]
// The two halves of an all-reduce, each a collective of its own. NCCL wants equal shares, so n is
// rounded up to them.
void run_halves(common::Chapter& chapter, common::Team& team, common::Nccl& nccl, std::size_t n)
{
    const unsigned devices = std::max(team.size(), 2u);
    const std::size_t each = share(n, devices, 0).count;
    const std::size_t all = each * devices;
    const std::uint64_t bytes = (devices - 1) * each * sizeof(float);
    const SumKernel& s = sums[2];
    const std::vector<common::Column> columns{
        {"access", "on"}, {"devices", devices}, {"loads", s.loads}};
    common::Parts scatter(chapter, team, "reduce-scatter", all, bytes,
                          std::vector<common::Part>(devices, {all, each}),
                          [&](unsigned k, std::size_t first, std::size_t count, float* out) {
                              scatter.sum_of_inputs(k * each + first, count, out);
                          });
    common::Parts gather(
        chapter, team, "all-gather", all, bytes, std::vector<common::Part>(devices, {each, all}),
        [&](unsigned, std::size_t first, std::size_t count, float* out) {
            for (std::size_t i = first; i < first + count; ++i)
                gather.input(static_cast<unsigned>(i / each), i % each, 1, out + (i - first));
        });
    const auto run = [&](const char* name, common::Parts& p, auto arrays) {
        const auto work = [&, arrays](cudaStream_t stream) {
            between_barriers(team, stream, [&](unsigned k, cudaStream_t on) {
                s.sum<<<s.blocks(each), sum_threads, 0, on>>>(arrays(k), each);
            });
        };
        chapter.run({name, sum_threads, columns, team.needs_two()}, p,
                    {.work = work, .setup = [&] { team.peer_access(true); }});
    };
    run("reduce_scatter", scatter, [&](unsigned k) {
        Arrays arrays{};
        arrays.inputs = devices;
        for (unsigned d = 0; d < devices; ++d)
            arrays.in[d] = scatter.a[(k + d) % devices] + k * each;
        arrays.out[0] = scatter.c[k];
        arrays.outputs = 1;
        return arrays;
    });
    run("all_gather", gather, [&](unsigned k) {
        Arrays arrays{};
        arrays.in[0] = gather.a[k];
        arrays.inputs = 1;
        arrays.outputs = devices;
        for (unsigned d = 0; d < devices; ++d)
            arrays.out[d] = gather.c[(k + d) % devices] + k * each;
        return arrays;
    });
    chapter.run_library({"nccl_reduce_scatter", 0, columns, nccl.missing()}, scatter,
                        [&](cudaStream_t stream) {
                            nccl.run(stream, [&](unsigned k, cudaStream_t on) {
                                nccl.reduce_scatter(k, scatter.a[k], scatter.c[k], each, on);
                            });
                        });
    chapter.run_library({"nccl_all_gather", 0, columns, nccl.missing()}, gather,
                        [&](cudaStream_t stream) {
                            nccl.run(stream, [&](unsigned k, cudaStream_t on) {
                                nccl.all_gather(k, gather.a[k], gather.c[k], each, on);
                            });
                        });
}
//! [gather_scatter]

void run_collectives(common::Chapter& chapter, common::Team& team, common::Nccl& nccl,
                     std::size_t n)
{
    run_all_reduce(chapter, team, nccl, n);
    run_halves(chapter, team, nccl, n);
}
