// 35.2: Partial last page
// minutes: 10
// difficulty: 1
// practises: pages that are not full, guards
// hint: Let there be one row. Which threads of the block write, and what?
// hint: The guard tests the first row of the page. Which row does the thread write?
// hint: A thread may only write if its own row r exists.
#include "chapters/35_indexed_rows/indexed_rows.hpp"
#include "common/exercise.hpp"

void solve(const unsigned* page, const uint4* a, uint4* c, std::size_t rows);

void goals(common::Attempt& attempt)
{
    IndexedRows p(attempt, RowTask::append, attempt.n() / 16, 64, RowOrder::random);
    p.expect_rows([&p](std::size_t r) { return p.row_at(r); });
    attempt.run(p, [&] { solve(p.where, p.a<uint4>(), p.c<uint4>(), p.rows); });
    attempt.launches(1);
    attempt.loads_at_most(p.rows * p.width + (p.rows + 15) / 16 * 64 * sizeof(unsigned));
    attempt.stores_at_most(p.rows * p.width);
    attempt.store_requests_at_most((p.rows + 15) / 16 * 2);
}
