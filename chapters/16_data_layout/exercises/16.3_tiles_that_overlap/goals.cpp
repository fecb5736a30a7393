// 16.3: Tile size of an array of structures of arrays
// minutes: 15
// difficulty: 2
// practises: the index of a tiled layout, writes that overlap, the last tile
// hint: How many floats does a tile of 32 records with three fields have? At which float should
//     tile 1 begin, and at which does it begin here?
// hint: Compute where field 1 of record 0 and field 0 of other records are stored. If two records
//     share a slot, the last write wins.
// hint: The tile number is i / tile, rounded down. Multiply it by the number of floats per tile,
//     tile * fields, before you add the position of the record in its tile.
#include "common/exercise.hpp"

void solve(const float* a, float* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    constexpr std::size_t tile = 32;
    constexpr std::size_t fields = 3;
    const std::size_t n = attempt.n();
    const std::size_t all = (n + tile - 1) / tile * tile * fields;
    const std::size_t behind = all - fields * n; // the answer gets the last 3 n elements of a
    common::Arrays<float> problem(
        attempt, {.task = "fields to tiles", .n = all, .bytes = (fields * n + all) * sizeof(float)},
        [=](auto& in, std::size_t i) {
            const std::size_t record = i / (tile * fields) * tile + i % tile;
            const std::size_t field = i / tile % fields;
            return record < n ? in.a[behind + field * n + record] : 0.0f;
        });
    attempt.run(problem, [&] { solve(problem.a + behind, problem.c, n); });
    attempt.launches(1);
    attempt.sectors_per_store(4);
    attempt.sectors_per_load(5); // fields begin anywhere in a sector
    attempt.stores_at_most(all * sizeof(float));
}
