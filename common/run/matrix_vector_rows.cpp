#include "common/run/matrix_vector_rows.hpp"

#include "common/device/libraries.hpp"
#include "common/run/library_rows.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace common {

const Sizes matrix_sizes = {.gpu = {4096 * 4096, 4099 * 4099, 14336 * 4096, 1 << 28},
                            .cpu = {1 << 20},
                            .usual = {1 << 28},
                            .bytes_per_element = 3 * sizeof(float)};

std::vector<MatrixTask> matrix_tasks(std::size_t n)
{
    constexpr std::size_t wide = 4096;
    const std::size_t fewer = std::max(n / 4, std::size_t{1});
    std::vector<MatrixTask> tasks = {square_matrix(n), square_matrix(fewer), square_matrix(fewer)};
    if (n == 14336 * wide)
        tasks[0].extent = matrix_of(n, wide);
    tasks[1].extent = matrix_of(fewer, std::max(fewer / 8, std::size_t{1}));
    tasks[2].factors = Factors::fractions;
    tasks[1].extra = tasks[2].extra = true;
    return tasks;
}

Variant sparse_variant(const SparseRows& p, const char* name)
{
    constexpr std::array<const char*, 4> names = {"spread", "band", "uneven", "one long"};
    return {.name = name,
            .columns = {{"type", "float"},
                        {"order", "sparse"},
                        {"rows", p.rows},
                        {"pattern", names.at(static_cast<std::size_t>(p.pattern()))}},
            .full = p.pattern() != Pattern::spread};
}

void run_cusparse(Chapter& chapter, SparseRows& p)
{
    Variant variant = sparse_variant(p, "cusparseSpMV");
    variant.unavailable = [] { return cusparse_available() ? "" : "built without cuSPARSE"; };
    run_with_scratch(chapter, p, variant,
                     [&p](void* scratch, std::size_t& bytes, cudaStream_t stream) {
                         const StoredRows m{p.rows, p.rows, p.count, p.start, p.column, p.value};
                         cusparse_matrix_vector(scratch, bytes, m, p.x, p.c, stream);
                     });
}

} // namespace common
