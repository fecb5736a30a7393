// 43_all_reduce_in_pieces: What does splitting an all-reduce into pieces gain?
//
// The two-phase all-reduce of chapter 42, split into pieces that kernels or copy engines send, so
// that no kernel reads over the link. While one piece is summed, the next is in flight.
//
// pieces.cuh  which device sends which piece, on which stream

#include "pieces.cuh"

//! [rows]
void run_all_reduce(common::SharedRows& rows, std::size_t n)
{
    common::Team& team = rows.team;
    const unsigned devices = devices_of(team);
    AllReduce p(rows.chapter, team, n);
    const auto run_posted = [&](unsigned pieces, bool copy_engines) {
        Posted posted{team, p, pieces, copy_engines, {}};
        rows.run({.name = copy_engines ? "two_phase_copies" : "two_phase_stores",
                  .threads = Sum::threads,
                  .columns = {{"access", "on"},
                              {"devices", devices},
                              {"loads", usual_sum.loads},
                              {"pieces", pieces}},
                  .full_only = pieces > (copy_engines ? 2 : 1),
                  .setup = [&] { posted.allocate_staging(); }},
                 p, [&](cudaStream_t stream) { posted.queue(stream); });
    };
    for (unsigned pieces : {1u, 4u}) {
        run_posted(pieces, false);
    }
    for (unsigned pieces : {2u, 3u, 4u, 8u, 16u}) {
        run_posted(pieces, true);
    }
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv, 2);
    common::Team team(chapter.devices());
    common::SharedRows rows(chapter, team);
    for (std::size_t n : chapter.sizes(all_reduce_sizes)) {
        run_all_reduce(rows, n);
    }
    return chapter.finish();
}
