// 42_all_reduce: How fast can GPUs sum their arrays?
//
// Every device has an array and needs the sum of all, by NCCL and by kernels of this chapter.
// collectives.cuh has the tasks, all_reduce.cuh the kernel, flags.cuh barriers inside a kernel.

#include "flags.cuh"
#include "mpi.cuh"

#include <memory>
#include <string>
#include <vector>

//! [all_reduce]
const Sum sums[] = {{1, sum<1>}, usual_sum, {4, sum<4>}};

// One-shot: device k sums all elements, for itself. Two-phase: it sums its share, for all devices.
// Computes `times` sums in sequence: a small one takes less time than its event barriers.
void run_all_reduce(common::SharedRows& rows, common::Nccl& nccl, std::size_t n, unsigned times)
{
    common::Team& team = rows.team;
    const unsigned devices = devices_of(team);
    AllReduce p(rows.chapter, team, n, times);
    const auto row = [devices, times](const std::string& name, unsigned loads) {
        return common::Variant{
            .name = times == 1 ? name : name + "_x" + std::to_string(times),
            .threads = loads > 0 ? Sum::threads : 0,
            .columns = {{"access", "on"}, {"devices", devices}, {"loads", loads}, {"pieces", 1u}},
            .model_excluded_reason = times == 1 ? "" : "the model would add host time",
            .full_only = loads > 0 && loads != usual_sum.loads};
    };
    for (bool two_phase : {false, true}) {
        for (const Sum& sum : sums) {
            common::Variant variant = row(two_phase ? "two_phase" : "one_shot", sum.loads);
            if (variant.full_only && times > 1) {
                continue;
            }
            rows.run(variant, p, [&](cudaStream_t stream) {
                for (unsigned time = 0; time < times; ++time) {
                    team.run_between_barriers(stream, [&](unsigned k, cudaStream_t on) {
                        const Share part = two_phase ? share(n, devices, k) : Share{0, n};
                        Arrays arrays = arrays_of(p, k, part.first, part.first);
                        arrays.outputs = two_phase ? devices : 1;
                        sum.queue(arrays, part.count, on);
                    });
                }
            });
        }
    }
    run_by_flags(rows, p, row("one_shot_flags", usual_sum.loads), times);
    for (bool is_registered : {false, true}) {
        std::shared_ptr<void> registration;
        common::Variant variant = row(is_registered ? "nccl_registered" : "nccl_all_reduce", 0);
        variant.unavailable = nccl.missing();
        if (is_registered) {
            variant.setup = [&] { registration = nccl.register_arrays(p.a, p.c, n); };
        }
        rows.run_library(variant, p,
                         [&](cudaStream_t stream) { nccl.all_reduce(p.a, p.c, n, stream, times); });
    }
    if (times == 1) {
        run_mpi(rows, p, row("mpi_all_reduce", 0).columns);
    }
}
//! [all_reduce]

//! [gather_scatter]
// Runs the two halves of an all-reduce, which are collectives themselves.
void run_halves(common::SharedRows& rows, common::Nccl& nccl, std::size_t n)
{
    common::Team& team = rows.team;
    const unsigned devices = devices_of(team);
    ReduceScatter scatter(rows.chapter, team, n);
    AllGather gather(rows.chapter, team, n);
    const std::size_t each = scatter.each;
    const std::vector<common::Column> columns{
        {"access", "on"}, {"devices", devices}, {"loads", usual_sum.loads}};
    const auto run = [&](const char* name, common::Parts& p, auto arrays) {
        rows.run({.name = name, .threads = Sum::threads, .columns = columns}, p,
                 [&](cudaStream_t stream) {
                     team.run_between_barriers(stream, [&](unsigned k, cudaStream_t on) {
                         usual_sum.queue(arrays(k), each, on);
                     });
                 });
    };
    run("reduce_scatter", scatter, [&](unsigned k) {
        Arrays arrays = arrays_of(scatter, k, k * each, 0);
        arrays.outputs = 1; // its own
        return arrays;
    });
    run("all_gather", gather, [&](unsigned k) {
        Arrays arrays = arrays_of(gather, k, 0, k * each);
        arrays.inputs = 1; // its own
        return arrays;
    });
    rows.run_library(
        {.name = "nccl_reduce_scatter", .columns = columns, .unavailable = nccl.missing()}, scatter,
        [&](cudaStream_t stream) { nccl.reduce_scatter(scatter.a, scatter.c, each, stream); });
    rows.run_library(
        {.name = "nccl_all_gather", .columns = columns, .unavailable = nccl.missing()}, gather,
        [&](cudaStream_t stream) { nccl.all_gather(gather.a, gather.c, each, stream); });
}
//! [gather_scatter]

int main(int argc, char** argv)
{
    common::MpiRanks ranks; // one process, or those that mpirun or srun has started
    common::Chapter chapter(argc, argv, 2);
    common::Team team(chapter.devices());
    common::SharedRows rows(chapter, team);
    common::Nccl nccl(team);
    run_barriers(rows);
    for (std::size_t n : chapter.sizes(all_reduce_sizes)) {
        run_all_reduce(rows, nccl, n, 1);
        if (n <= 1u << 18) {
            run_all_reduce(rows, nccl, n, in_a_row);
        }
        run_halves(rows, nccl, n);
    }
    return chapter.finish();
}
