// 39.1: Load eight bf16 values at once
// minutes: 20
// difficulty: 2
// practises: 16-byte loads of low-precision numbers, a bfloat16 as the upper half of a float
// hint: How many bytes does a warp's load of `a` read now, and how many could it read?
// hint: A uint4 has four words of two bfloat16 each. The first of the two is the lower half of
//     the word. Shifted up by 16 bits, it is a float: __uint_as_float(word << 16).
// hint: Lane l processes the eight elements from 8 l on, then those 256 further. Read a uint4 of
//     the row and one of x; for each word add the product of the lower halves and that of the
//     upper halves, which are __uint_as_float(word & 0xffff0000).
#include "chapters/39_decoder_layer/rounded_floats.hpp"
#include "common/exercise.hpp"

#include <cuda_bf16.h>

#include <cmath>
#include <cstdint>

void solve(const __nv_bfloat16* a, const __nv_bfloat16* x, float* c, std::size_t rows,
           std::size_t columns);

namespace {

// From -1 to 1, in steps that a bfloat16 has.
__nv_bfloat16 element(std::uint64_t seed, unsigned array, std::size_t i)
{
    const std::uint64_t bits =
        common::random_bits::bits_at(common::random_bits::input_key(seed, array), i);
    return __float2bfloat16(static_cast<float>(bits >> 56U) / 128 - 1);
}

} // namespace

void goals(common::Attempt& attempt)
{
    const std::size_t columns = attempt.n() % 2 == 0 ? 512 : 768;
    const std::size_t rows = attempt.n() / 2000 + 1;
    const std::uint64_t seed = common::Setting(attempt).seed;
    RoundedFloats<__nv_bfloat16> problem(
        "dot", {rows * columns, columns}, rows,
        [seed](unsigned array, std::size_t i) { return element(seed, array, i); },
        [seed, columns](std::size_t r) {
            common::Tolerance sum;
            for (std::size_t k = 0; k < columns; ++k) {
                const double product = double{__bfloat162float(element(seed, 0, r * columns + k))} *
                                       double{__bfloat162float(element(seed, 1, k))};
                sum.value += product;
                sum.error += std::abs(product) * common::sum_error_bound(columns);
            }
            return sum;
        });
    attempt.run(problem, [&] { solve(problem.a, problem.b, problem.c, rows, columns); });
    attempt.launches(1);
    attempt.load_requests_at_most(rows * columns / 256 * 2);
}
