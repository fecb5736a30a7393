#include "common/run/tile_rows.hpp"

#include "common/device/libraries.hpp"
#include "common/run/library_rows.hpp"

namespace common {

Variant TileRow::variant() const
{
    return {.name = name,
            .threads = threads,
            .columns = {{"bytes_a_thread", words * sizeof(unsigned)}},
            .unmodelled = waits ? "blocks wait for each other" : "",
            .one_by_one = waits,
            .full = full};
}

Variant variant_of(const TileRow& row, Scan&)
{
    return row.variant();
}

Variant variant_of(const TileRow& row, Selection& problem)
{
    Variant variant = row.variant();
    variant.columns.push_back({"kept", problem.kept_name()});
    variant.unmodelled = "which words are kept decides what it writes";
    variant.full = variant.full || problem.kept() != Kept::half;
    variant.setup = [&problem] { problem.expect(KeptOrder::of_input); };
    return variant;
}

void run_scan_library(Chapter& chapter, Scan& p)
{
    run_with_scratch(chapter, p, {.name = "cub::DeviceScan::InclusiveSum"},
                     [&](void* scratch, std::size_t& bytes, cudaStream_t stream) {
                         cub_inclusive_sum(scratch, bytes, p.a, p.c, p.n, stream);
                     });
}

void run_selection_library(Chapter& chapter, Selection& p)
{
    Variant row = variant_of(TileRow{"cub::DeviceSelect::If", 0, 0}, p);
    row.columns.erase(row.columns.begin()); // its bytes a thread are its own
    run_with_scratch(chapter, p, row, [&](void* scratch, std::size_t& bytes, cudaStream_t stream) {
        cub_select(scratch, bytes, p.a, p.c, p.count, p.n, stream);
    });
}

} // namespace common
