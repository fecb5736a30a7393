// 05.3: Handle misaligned pointers
// minutes: 20
// difficulty: 3
// practises: checking the alignment; head, vectors and tail
// hint: By how many elements is a pointer past a multiple of 16 bytes? How many elements are there
//     before the next multiple?
// hint: If both pointers have the same offset, the first word begins after that head, in both
//     arrays. Then count the words that fit into the rest. And if n is smaller than the head?
// hint: head = (4 - offset) % 4, or n if the two offsets differ. words = (n - head) / 4, or 0 if
//     the head is all. The head and the tail together have n - 4 * words elements.
#include "common/exercise.hpp"

void solve(const float* a, float* c, std::size_t n);

void goals(common::Attempt& attempt)
{
    // One seed has both arrays one element past a boundary, the other has the output two past it.
    const common::Setting setting = attempt;
    const bool fits = setting.seed % 2 == 1;
    const std::size_t offset = setting.n % 5 % 4; // 0 to 3, of the sizes that are tried
    common::Copy<float> problem(
        attempt, {.input_offset = offset, .output_offset = fits ? offset : offset + 1});
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n); });
    attempt.launches(1);
    attempt.stores_at_most(problem.n * sizeof(float));
    // Wide ones, a warp begun, and one for each element in front and behind.
    const std::uint64_t requests = (fits ? problem.n / 128 : problem.n / 32) + 1 + 6;
    attempt.load_requests_at_most(requests);
    attempt.store_requests_at_most(requests);
}
