// 35.3: Batch four vector loads
// minutes: 15
// difficulty: 2
// practises: bytes in flight, loads before stores
// hint: When can the second load of a lane be issued, if the compiler must assume that the store
//     before it changes the loaded data?
// hint: Load four vectors into an array of four, and store them after that. How many iterations
//     does the loop have then?
// hint: In an iteration the lane copies vectors k, k + 32, k + 64 and k + 96, and k grows by
//     128.
#include "chapters/35_indexed_rows/indexed_rows.hpp"
#include "common/exercise.hpp"

void solve(const unsigned* page, const uint4* a, uint4* c, std::size_t rows);

void goals(common::Attempt& attempt)
{
    IndexedRows p(attempt, RowTask::read, attempt.n(), 8192, RowOrder::random);
    p.expect_rows([&p](std::size_t r) { return p.place(r); });
    attempt.run(p, [&] { solve(p.where, p.a<uint4>(), p.c<uint4>(), p.rows); });
    attempt.launches(1);
    attempt.sectors_per_store(16);
    attempt.stores_at_most(p.rows * p.width);
    attempt.threads_at_most(p.rows * 32);
    attempt.bytes_in_flight(2048);
}
