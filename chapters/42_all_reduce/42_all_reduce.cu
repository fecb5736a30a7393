// 42_all_reduce: How fast can several GPUs add up what each of them has?
//
// Every device contributes an array, and every device needs the sum: by NCCL, and by one kernel of
// our own that reads and writes the other devices' memory.

#include "common/chapter.hpp"

#include <algorithm>
#include <vector>

//! [sum]
// Which arrays a device adds up, and into which it writes the sum: its own and others'.
struct Arrays
{
    const float* in[common::Team::most];
    float* out[common::Team::most];
    unsigned inputs;
    unsigned outputs;
};

__device__ float4 add4(float4 x, float4 y)
{
    return make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}

// A thread has `loads` loads of an array on their way before it uses the first; of the second
// array, too, because nothing is added before both are asked for.
template<unsigned loads>
__global__ void sum(Arrays arrays, std::size_t n)
{
    const std::size_t vectors = n / 4;
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * loads + threadIdx.x;
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
    if (const std::size_t i = 4 * vectors + first; i < n) { // the last n % 4, one a thread
        float last = arrays.in[0][i];
        for (unsigned d = 1; d < arrays.inputs; ++d) {
            last += arrays.in[d][i];
        }
        for (unsigned d = 0; d < arrays.outputs; ++d) {
            arrays.out[d][i] = last;
        }
    }
}
//! [sum]

//! [arrays]
// One-shot: device k adds up everything, for itself. Two-phase: it adds up its share of all inputs,
// for all, so that every element is read and written by one device alone.
Arrays arrays_of(const common::Parts& p, unsigned devices, unsigned k, bool two_phase)
{
    Arrays arrays{};
    const std::size_t first = two_phase ? common::share(p.n, devices, k).first : 0;
    arrays.inputs = devices;
    arrays.outputs = two_phase ? devices : 1;
    for (unsigned d = 0; d < devices; ++d) {
        const unsigned other = (k + d) % devices; // each begins with its own: all links at once
        arrays.in[d] = p.a[other] + first;
        arrays.out[d] = p.c[other] + first;
    }
    return arrays;
}
//! [arrays]

//! [launch]
struct Sum
{
    unsigned loads; // of 16 bytes, that a thread has on their way from each array
    void (*kernel)(Arrays, std::size_t);

    static constexpr unsigned threads = 512;
    void queue(const Arrays& arrays, std::size_t n, cudaStream_t stream) const
    {
        if (n > 0) {
            const unsigned blocks = common::blocks(n, std::size_t{4} * threads * loads);
            kernel<<<blocks, threads, 0, stream>>>(arrays, n);
        }
    }
};

const Sum sums[] = {{1, sum<1>}, {2, sum<2>}, {4, sum<4>}};
const Sum& usual_sum = sums[1];
//! [launch]

//! [all_reduce]
void run_all_reduce(common::SharedRows& rows, common::Nccl& nccl, std::size_t n)
{
    common::Team& team = rows.team;
    const unsigned devices = std::max(team.size(), 2u);
    common::AllReduce p(rows.chapter, team, n);
    const auto columns = [devices](unsigned loads) {
        return std::vector<common::Column>{
            {"access", "on"}, {"devices", devices}, {"loads", loads}, {"pieces", 1u}};
    };
    for (bool two_phase : {false, true}) {
        for (const Sum& sum : sums) {
            const common::Variant row{.name = two_phase ? "two_phase" : "one_shot",
                                      .threads = Sum::threads,
                                      .columns = columns(sum.loads),
                                      .full = sum.loads != usual_sum.loads};
            rows.run(row, p, [&](cudaStream_t stream) {
                team.between_barriers(stream, [&](unsigned k, cudaStream_t on) {
                    sum.queue(arrays_of(p, devices, k, two_phase),
                              two_phase ? common::share(n, devices, k).count : n, on);
                });
            });
        }
    }
    rows.run_library(
        {.name = "nccl_all_reduce", .columns = columns(0), .unavailable = nccl.missing()}, p,
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
void run_halves(common::SharedRows& rows, common::Nccl& nccl, std::size_t n)
{
    common::Chapter& chapter = rows.chapter;
    common::Team& team = rows.team;
    const unsigned devices = std::max(team.size(), 2u);
    const std::size_t each = common::share(n, devices, 0).count;
    const std::size_t all = each * devices;
    const std::uint64_t bytes = (devices - 1) * each * sizeof(float);
    const std::vector<common::Column> columns{
        {"access", "on"}, {"devices", devices}, {"loads", usual_sum.loads}};
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
        const common::Variant row{.name = name, .threads = Sum::threads, .columns = columns};
        rows.run(row, p, [&](cudaStream_t stream) {
            team.between_barriers(
                stream, [&](unsigned k, cudaStream_t on) { usual_sum.queue(arrays(k), each, on); });
        });
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
    rows.run_library(
        {.name = "nccl_reduce_scatter", .columns = columns, .unavailable = nccl.missing()}, scatter,
        [&](cudaStream_t stream) {
            nccl.run(stream, [&](unsigned k, cudaStream_t on) {
                nccl.reduce_scatter(k, scatter.a[k], scatter.c[k], each, on);
            });
        });
    rows.run_library({.name = "nccl_all_gather", .columns = columns, .unavailable = nccl.missing()},
                     gather, [&](cudaStream_t stream) {
                         nccl.run(stream, [&](unsigned k, cudaStream_t on) {
                             nccl.all_gather(k, gather.a[k], gather.c[k], each, on);
                         });
                     });
}
//! [gather_scatter]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv, 2);
    common::Team team(chapter.devices());
    common::SharedRows rows(chapter, team);
    common::Nccl nccl(team);
    const common::Sizes sizes{.gpu = {1u << 10, 1u << 12, 1u << 14, 1u << 16, 1u << 18, 1u << 20,
                                      1u << 22, 1u << 23, 1u << 24, 1u << 26, 1u << 28},
                              .cpu = {1u << 10, 1u << 20},
                              .usual = {1u << 18, 1u << 23, 1u << 28},
                              .bytes_per_element = 3 * sizeof(float)};
    for (std::size_t n : chapter.sizes(sizes)) {
        run_all_reduce(rows, nccl, n);
        run_halves(rows, nccl, n);
    }
    return chapter.finish();
}
