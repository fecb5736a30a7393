#include "common/run/row_variants.hpp"

namespace common {

void RowVariants::operator()(const RowVariant& row, const Launch& launch) const
{
    const unsigned a_row = row.a_row > 0 ? row.a_row : row.threads;
    Variant variant{.name = row.name,
                    .threads = row.threads,
                    .columns = {{"result", problem_.task()},
                                {"columns", problem_.shape.columns},
                                {"threads_a_row", a_row}},
                    // Its instructions take longest: with those for e^x half as long again.
                    .unmodelled = problem_.task() == "softmax" ? "no e^x is in it"
                                  : row.one_element
                                      ? "the instructions for one element at a time are not in it"
                                      : "",
                    .full = row.full};
    // A thread's share, eight elements at a time; the lanes of a warp; the warps.
    variant.setup = [&, a_row, through = row.through_bfloats] {
        problem_.expect(problem_.shape.width / a_row + 8 + 5 + a_row / 32, through);
    };
    chapter_.run(variant, problem_, launch);
}

} // namespace common
