// 42_all_reduce: How fast can several GPUs add up what each of them has?
//
// Every device has an array and needs the sum of all: by NCCL, and by one kernel of our own.

#include "all_reduce.cuh"

#include <algorithm>
#include <utility>
#include <vector>

//! [arrays]
// The inputs of all devices from element `from` on, and their outputs from `to` on. Those of device
// k come first: each begins with its own, and all links are in use at once.
Arrays arrays_of(const common::Parts& p, unsigned k, std::size_t from, std::size_t to)
{
    const auto devices = static_cast<unsigned>(p.a.size());
    Arrays arrays{{}, {}, devices, devices};
    for (unsigned d = 0; d < devices; ++d) {
        const unsigned other = (k + d) % devices;
        arrays.in[d] = p.a[other] + from;
        arrays.out[d] = p.c[other] + to;
    }
    return arrays;
}
//! [arrays]

//! [mpi]
// A process for each device: what this one has goes to its host's memory, MPI adds up what all
// have, and the sum comes back.
void run_mpi(common::SharedRows& rows, common::AllReduce& p, std::vector<common::Column> columns)
{
    const unsigned own = common::ranks().rank();
    common::Buffer<float> host;
    rows.run_between_processes(
        {.name = "mpi_all_reduce",
         .columns = std::move(columns),
         .setup = [&] { host = common::Buffer<float>(p.n, common::Space::pinned); }},
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

//! [all_reduce]
const Sum sums[] = {{1, sum<1>}, usual_sum, {4, sum<4>}};

// One-shot: device k adds up everything, for itself. Two-phase: it adds up its share of all inputs,
// for all, so that every element is read and written by one device alone.
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
                    const common::Share part =
                        two_phase ? common::share(n, devices, k) : common::Share{0, n};
                    Arrays arrays = arrays_of(p, k, part.first, part.first);
                    arrays.outputs = two_phase ? devices : 1;
                    sum.queue(arrays, part.count, on);
                });
            });
        }
    }
    rows.run_library(
        {.name = "nccl_all_reduce", .columns = columns(0), .unavailable = nccl.missing()}, p,
        [&](cudaStream_t stream) { nccl.all_reduce(p.a, p.c, n, stream); });
    run_mpi(rows, p, columns(0));
}
//! [all_reduce]

//! [gather_scatter]
// The two halves of an all-reduce, each a collective of its own.
void run_halves(common::SharedRows& rows, common::Nccl& nccl, std::size_t n)
{
    common::Team& team = rows.team;
    const unsigned devices = std::max(team.size(), 2u);
    common::ReduceScatter scatter(rows.chapter, team, n);
    common::AllGather gather(rows.chapter, team, n);
    const std::size_t each = scatter.each;
    const std::vector<common::Column> columns{
        {"access", "on"}, {"devices", devices}, {"loads", usual_sum.loads}};
    const auto run = [&](const char* name, common::Parts& p, auto arrays) {
        rows.run({.name = name, .threads = Sum::threads, .columns = columns}, p,
                 [&](cudaStream_t stream) {
                     team.between_barriers(stream, [&](unsigned k, cudaStream_t on) {
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
    common::MpiRanks ranks; // several processes, where mpirun or srun has started them
    common::Chapter chapter(argc, argv, 2);
    common::Team team(chapter.devices());
    common::SharedRows rows(chapter, team);
    common::Nccl nccl(team);
    for (std::size_t n : chapter.sizes(all_reduce_sizes)) {
        run_all_reduce(rows, nccl, n);
        run_halves(rows, nccl, n);
    }
    return chapter.finish();
}
