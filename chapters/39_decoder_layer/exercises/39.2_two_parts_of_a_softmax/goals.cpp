// 39.2: Merge two partial softmaxes
// minutes: 15
// difficulty: 2
// practises: partial results with different scales
// hint: The weights of one part are relative to its own largest score. What would they be
//     relative to that of the other part?
// hint: exp(s - m) is exp(s - p) times exp(p - m). So all weights of the first part, and their
//     sums, change by one factor if its largest score p is replaced by m.
// hint: Let m be the larger of p.x and q.x. Multiply y and z of the first part by exp(p.x - m),
//     those of the second by exp(q.x - m), then add. One of the factors is 1, and neither
//     exceeds 1.
#include "chapters/39_decoder_layer/rounded_floats.hpp"
#include "common/exercise.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

void solve(const float4* a, const float4* b, float* c, std::size_t n);

namespace {

// Scores up to 200 apart: exp() of a score by itself has no float. Some parts have no tokens.
float4 part(std::uint64_t seed, unsigned array, std::size_t i)
{
    const std::uint64_t bits =
        common::random_bits::bits_at(common::random_bits::input_key(seed, array), i);
    const auto number = [bits](unsigned shift) {
        return static_cast<float>(bits >> shift & 0xffffU) / 0x1p16F;
    };
    const float spread = i % 3 == 0 ? 200.0F : 4.0F;
    return make_float4((number(0) - 0.5F) * spread + (i % 2 == 0 ? 100.0F : -150.0F),
                       1 + number(16) * 30, number(32) * 60 - 30, 0);
}

} // namespace

void goals(common::Attempt& attempt)
{
    const std::uint64_t seed = common::Setting(attempt).seed;
    RoundedFloats<float4> problem(
        "join", {attempt.n(), attempt.n()}, attempt.n(),
        [seed](unsigned array, std::size_t i) { return part(seed, array, i); },
        [seed](std::size_t i) {
            const float4 p = part(seed, 0, i);
            const float4 q = part(seed, 1, i);
            const double largest = std::max(p.x, q.x);
            const double of_p = std::exp(p.x - largest);
            const double of_q = std::exp(q.x - largest);
            const double weights = p.y * of_p + q.y * of_q;
            const double magnitude = std::abs(p.z) * of_p + std::abs(q.z) * of_q;
            // exp of up to 200 loses up to 2 + 1.2 * 200 units in the last place, above and below
            const double apart = std::abs(double{p.x} - q.x);
            const double lost = (20 + 6 * std::min(apart, 100.0)) * 0x1p-23;
            // and what is almost nothing may be nothing
            return common::Tolerance{(p.z * of_p + q.z * of_q) / weights,
                                     lost * magnitude / weights + 0x1p-120};
        });
    attempt.run(problem, [&] { solve(problem.a, problem.b, problem.c, problem.n); });
    attempt.launches(1);
    attempt.loads_at_most(2 * problem.n * sizeof(float4));
}
