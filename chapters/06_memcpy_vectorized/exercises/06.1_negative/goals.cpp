// 06.1: Process bytes through 16-byte accesses
// minutes: 15
// difficulty: 2
// practises: words of several units, the tail
// hint: Write 255, a byte x and 255 - x in binary, one below the other. Which C++ operator does the
//     same to an unsigned number of any width?
// hint: A uint4 is four unsigned 32-bit numbers, 16 bytes in all. Which bytes are in word i, and
//     how many bytes are in no word?
// hint: Follow the page's copy_words, with ~ on x, y, z and w between load and store: thread i < n
//     / 16 processes word i, and thread n / 16 the bytes from 16 * (n / 16) on.
#include "common/exercise.hpp"

#include <algorithm>

void solve(const unsigned char* a, unsigned char* c, std::size_t n);

namespace {

class Negative : public common::Copy<unsigned char>
{
  public:
    explicit Negative(const common::Setting& setting) : Copy(setting, {.task = "negative"})
    {
        expect_elements([seed = setting.seed](std::size_t first, std::size_t count, void* out) {
            auto* bytes = static_cast<unsigned char*>(out);
            common::generate(common::Element::u8, seed, 0, first, count, bytes);
            std::transform(bytes, bytes + count, bytes,
                           [](unsigned char x) { return static_cast<unsigned char>(255 - x); });
        });
    }
};

} // namespace

void goals(common::Attempt& attempt)
{
    Negative problem(attempt);
    attempt.run(problem, [&] { solve(problem.a, problem.c, problem.n); });
    attempt.launches(1);
    attempt.stores_at_most(problem.n);
    // A request for 512 bytes, a warp begun, and one for each byte of the tail.
    const std::uint64_t requests = problem.n / 512 + 1 + 15;
    attempt.load_requests_at_most(requests);
    attempt.store_requests_at_most(requests);
    attempt.share_of_copy(0.80);
}
