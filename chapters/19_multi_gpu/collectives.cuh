// The fifth lesson of chapter 19: sums that every device contributes to and every device needs, by
// NCCL and by kernels of our own.
#pragma once

#include "nccl.hpp"
#include "parts.hpp"
#include "posted.cuh"
#include "shared_rows.hpp"
#include "sum.cuh"

#include <algorithm>
#include <vector>

//! [all_reduce]
void run_all_reduce(common::SharedRows& rows, common::Nccl& nccl, std::size_t n)
{
    common::Chapter& chapter = rows.chapter;
    common::Team& team = rows.team;
    const unsigned devices = std::max(team.size(), 2u);
    common::Parts p(chapter, team, "all-reduce", n, 2 * (devices - 1) * n * sizeof(float) / devices,
                    std::vector<common::Part>(devices, {n, n}),
                    [&p](unsigned, std::size_t first, std::size_t count, float* out) {
                        p.sum_of_inputs(first, count, out);
                    });
    const auto columns = [devices](unsigned loads, unsigned pieces) {
        return std::vector<common::Column>{
            {"access", "on"}, {"devices", devices}, {"loads", loads}, {"pieces", pieces}};
    };
    for (bool two_phase : {false, true}) {
        for (const Sum& sum : sums) {
            if (!chapter.everything() && sum.loads != usual_sum.loads) {
                continue;
            }
            const auto work = [&](cudaStream_t stream) {
                between_barriers(team, stream, [&](unsigned k, cudaStream_t on) {
                    sum.queue(arrays_of(p, devices, k, two_phase),
                              two_phase ? share(n, devices, k).count : n, on);
                });
            };
            rows.run({two_phase ? "two_phase" : "one_shot", Sum::threads, columns(sum.loads, 1)}, p,
                     {work});
        }
    }
    const auto run_posted = [&](const char* name, unsigned pieces, bool engines) {
        Posted posted{team, p, pieces, engines, {}};
        rows.run({name, Sum::threads, columns(usual_sum.loads, pieces)}, p,
                 {.work = [&](cudaStream_t stream) { posted.queue(stream); },
                  .setup = [&] { posted.make_room(); }});
    };
    for (unsigned pieces : chapter.values({1u, 4u}, {1u})) {
        run_posted("two_phase_stores", pieces, false);
    }
    for (unsigned pieces : chapter.values({2u, 3u, 4u, 8u, 16u}, {2u})) {
        run_posted("two_phase_copies", pieces, true);
    }
    rows.run_library({"nccl_all_reduce", 0, columns(0, 1), nccl.missing()}, p,
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
    const std::size_t each = share(n, devices, 0).count;
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
        const auto work = [&, arrays](cudaStream_t stream) {
            between_barriers(team, stream, [&](unsigned k, cudaStream_t on) {
                usual_sum.queue(arrays(k), each, on);
            });
        };
        rows.run({name, Sum::threads, columns}, p, {work});
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
    rows.run_library({"nccl_reduce_scatter", 0, columns, nccl.missing()}, scatter,
                     [&](cudaStream_t stream) {
                         nccl.run(stream, [&](unsigned k, cudaStream_t on) {
                             nccl.reduce_scatter(k, scatter.a[k], scatter.c[k], each, on);
                         });
                     });
    rows.run_library({"nccl_all_gather", 0, columns, nccl.missing()}, gather,
                     [&](cudaStream_t stream) {
                         nccl.run(stream, [&](unsigned k, cudaStream_t on) {
                             nccl.all_gather(k, gather.a[k], gather.c[k], each, on);
                         });
                     });
}
//! [gather_scatter]
