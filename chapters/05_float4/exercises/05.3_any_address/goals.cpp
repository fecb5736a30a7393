// 05.3: Handle misaligned pointers
// minutes: 20
// difficulty: 3
// practises: checking the alignment; head, vectors and tail
// hint: By how many elements is a pointer past a multiple of 16 bytes? How many elements does that
//     leave in front of the next one?
// hint: Where both pointers are off by the same, the first word begins behind that head, in both
//     arrays. Then there are as many words as fit into what is left. And if n is smaller than the
//     head?
// hint: head = (4 - offset) % 4, and n where the two offsets differ. words = (n - head) / 4, and 0
//     where the head is all. The elements of head and tail are n - 4 * words.
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
