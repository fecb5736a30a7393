// 39.3: Fuse the residual addition and RMSNorm
// minutes: 10
// difficulty: 1
// practises: fusion, values that stay in registers
// hint: Which threads need y besides the thread that computes it?
// hint: The threads of a block share a row, and so the sum of squares, in shared memory. Only
//     one thread needs y itself, before the sum and after it.
// hint: Let norm() read a and b, too, and start with y = a[i] + b[i]. Remove the kernel add()
//     and its launch.
#include "chapters/39_decoder_layer/rounded_floats.hpp"
#include "common/exercise.hpp"

#include <cmath>
#include <cstdint>

void solve(const float* a, const float* b, float* c, std::size_t rows);

namespace {

constexpr std::size_t columns = 256;

float element(std::uint64_t seed, unsigned array, std::size_t i)
{
    const std::uint64_t bits =
        common::random_bits::bits_at(common::random_bits::input_key(seed, array), i);
    const float small = i / columns % 2 == 1 ? 0x1p-8F : 1; // rows whose squares are about 1e-5
    return small * (static_cast<float>(bits >> 40U) * 0x1p-23F - 1);
}

} // namespace

void goals(common::Attempt& attempt)
{
    const std::uint64_t seed = common::Setting(attempt).seed;
    const std::size_t rows = attempt.n() / 4000 + 1;
    const std::size_t n = rows * columns;
    RoundedFloats<float> problem(
        "norm", {n, n}, n,
        [seed](unsigned array, std::size_t i) { return element(seed, array, i); },
        [seed](std::size_t i) {
            const auto sum = [seed](std::size_t k) {
                return double{element(seed, 0, k)} + double{element(seed, 1, k)};
            };
            double squares = 0;
            for (std::size_t k = i / columns * columns; k < i / columns * columns + columns; ++k)
                squares += sum(k) * sum(k);
            const double right = sum(i) / std::sqrt(squares / columns + 1e-5);
            // 256 additions at most, and a few roundings; where a + b is almost nothing, its own
            return common::Tolerance{right,
                                     std::abs(right) * common::sum_error_bound(columns + 16)};
        });
    attempt.run(problem, [&] { solve(problem.a, problem.b, problem.c, rows); });
    attempt.launches(1);
    attempt.loads_at_most(2 * n * sizeof(float));
    attempt.stores_at_most(n * sizeof(float));
    attempt.sectors_per_load(4);
}
