// 34_narrow_types: When do smaller types save time?
//
// On 16-bit and 8-bit numbers a kernel moves half or a quarter of the bytes that it moves on 32-bit
// ones. Arithmetic does not shrink, and conversions are added: at some width they are the limit.
//
// conversions.hpp  low-precision numbers as floats, and floats as low-precision numbers
// flips.cuh        arithmetic on numbers of each width
// rows.cuh         rows of bfloat16 that become numbers of 8 bits
// gates.cuh        SiLU of one array of bfloat16 times another
// flips.hpp, quantised_rows.hpp, gates.hpp  the three tasks

#include "common/chapter.hpp"
#include "flips.cuh"
#include "flips.hpp"
#include "gates.cuh"
#include "gates.hpp"
#include "quantised_rows.hpp"
#include "rows.cuh"

#include <algorithm>
#include <type_traits>
#include <vector>

using fp8 = __nv_fp8_e4m3;

//! [rows]
// c[i] = 1 - a[i], `steps` times.
template<class T>
void run_flips(common::Chapter& chapter, std::size_t n)
{
    Flips<T> p(chapter, n);
    const auto run = [&](const char* name, unsigned per_thread, unsigned steps, auto kernel) {
        const auto reference =
            steps % 2 == 0 ? +[](float x) { return x; } : [](float x) { return 1 - x; };
        chapter.run({.name = name,
                     .threads = threads,
                     .columns = {{"type", type_name<T>}, {"steps", steps}},
                     .model_excluded_reason = steps > 1 ? "the model has no arithmetic" : "",
                     .setup = [&] { p.expect(reference); }},
                    p, [&](cudaStream_t stream) {
                        const unsigned grid = common::blocks(n, threads * per_thread);
                        kernel<<<grid, threads, 0, stream>>>(p.a, p.c, n, -1.0F, 1.0F);
                    });
    };
    constexpr unsigned per_vector = 16 / sizeof(T);
    run("element", 1, 1, element<T, 1>);
    run("sixteen_bytes", per_vector, 1, sixteen_bytes<T, 1>);
    run("sixteen_bytes", per_vector, 4, sixteen_bytes<T, 4>);
    run("sixteen_bytes", per_vector, 16, sixteen_bytes<T, 16>);
    run("sixteen_bytes", per_vector, 64, sixteen_bytes<T, 64>);
    if constexpr (std::is_same_v<T, bf16>) {
        run("pairs", per_vector, 1, pairs<1>);
        run("pairs", per_vector, 16, pairs<16>);
        run("pairs", per_vector, 64, pairs<64>);
    }
}

// A matrix of at most n elements, and 8 at least, each row of which has a block.
template<class T>
void run_rows(common::Chapter& chapter, std::size_t n)
{
    const std::size_t columns = n < 4096 ? 8 : n % 2 == 0 ? 4096 : 1032;
    const common::Extent matrix{.columns = columns, .rows = std::max(n / columns, std::size_t{1})};
    QuantisedRows<T> p(chapter, matrix, [](float x, float largest) {
        return largest > 0 ? x * (largest_number<T> / largest) : 0;
    });
    const std::vector<common::Column> columns_of_rows = {
        {"type", type_name<T>}, {"rows", p.rows}, {"columns", p.columns}};
    const auto run = [&](const char* name, unsigned block, auto kernel) {
        const common::Variant row{.name = name, .threads = block, .columns = columns_of_rows};
        chapter.run(row, p, [&](cudaStream_t stream) {
            kernel<<<common::blocks(p.rows, 1), block, 0, stream>>>(p.a, p.c, p.scale, p.columns);
        });
    };
    run("row_twice", 256, row_twice<T>);
    const unsigned once_threads = 32 * common::blocks(p.columns, 32 * 4 * 8);
    run("row_once", once_threads, row_once<T, 4, Hint::none>);
    run("row_once_evict_last", once_threads, row_once<T, 4, Hint::evict_last>);
}

// c[i] = silu(a[i]) b[i].
void run_gates(common::Chapter& chapter, std::size_t n)
{
    Gates p(chapter, n);
    const auto run = [&](common::Variant row, auto kernel, std::size_t shared = 0) {
        row.columns = {{"type", "bf16"}};
        chapter.run(row, p, [&](cudaStream_t stream) {
            const unsigned grid = common::blocks(n, row.threads() * 8);
            kernel<<<grid, row.threads(), shared, stream>>>(p.a, p.b, p.c, n);
        });
    };
    run({.name = "gate_vectors", .threads = 256}, gate_vectors<Hint::none>);
    run({.name = "gate_vectors_evict_last", .threads = 256, .model_excluded_reason = no_hints},
        gate_vectors<Hint::evict_last>);
    for (unsigned block : {256U, 512U}) {
        run({.name = "gate_tiles",
             .threads = block,
             .unavailable = common::needs_compute_capability(9)},
            gate_tiles, 2 * block * sizeof(float4));
    }
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes({.gpu = {1 << 24, (1 << 24) + 1009, 1 << 28},
                         .cpu = {1 << 20},
                         .default_sizes = {1 << 28},
                         .bytes_per_element = 2 * sizeof(float)})) {
        run_flips<float>(chapter, n);
        run_flips<bf16>(chapter, n);
        run_flips<fp8>(chapter, n);
        run_flips<signed char>(chapter, n);
        run_rows<fp8>(chapter, n);
        run_rows<signed char>(chapter, n);
        run_gates(chapter, n);
    }
    return chapter.finish();
}
