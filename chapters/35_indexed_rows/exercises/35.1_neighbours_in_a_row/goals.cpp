// 35.1: Coalesced row gather
// minutes: 10
// difficulty: 1
// practises: coalesced accesses to rows
// hint: How far apart are the vectors that lanes 0 and 1 of a warp load in one step?
// hint: A row has 32 vectors, and a warp 32 lanes. Which lane could load which vector?
// hint: Launch one thread per vector: i / width is its row, and i % width its position in the
//     row.
#include "chapters/35_indexed_rows/indexed_rows.hpp"
#include "common/exercise.hpp"

void solve(const unsigned* page, const uint4* a, uint4* c, std::size_t rows);

void goals(common::Attempt& attempt)
{
    IndexedRows p(attempt, RowTask::read, attempt.n() / 16, 512, RowOrder::random);
    p.expect_rows([&p](std::size_t r) { return p.place(r); });
    attempt.run(p, [&] { solve(p.where, p.a<uint4>(), p.c<uint4>(), p.rows); });
    attempt.launches(1);
    attempt.stores_at_most(p.rows * p.width);
    const auto sectors = attempt.counts().store_sectors;
    const auto loaded = attempt.counts().load_sectors;
    const auto least = p.rows * p.width / 32;
    attempt.at_most("row_sectors", "stores to no more sectors than rows fill",
                    "sectors are stored to", sectors, least);
    // A warp that has a row, or a part of one, requests the place of one page, or of two.
    attempt.counted_goal(
        "load_sectors", "loads next to no more sectors than rows fill",
        loaded <= least + least / 8 + 32,
        common::filled_in("{} sectors are loaded, and rows fill {}.", {loaded, least}));
}
