// 06.3: Compute the access width
// minutes: 10
// difficulty: 2
// practises: requests and sectors of wide and narrow words
// hint: How many bytes does one request of each kernel load, so how many requests do 16384 bytes
//     need?
// hint: Two kernels load one byte per lane and issue the same number of requests. In one of them
//     the lanes are 1 byte apart, in the other 4. How many sectors is that?
// hint: No load instruction is wider than 16 bytes. So a word of 32 bytes is loaded in two halves,
//     and in each half the lanes are 32 bytes apart.
#include "common/exercise.hpp"

void solve(unsigned kernel, const unsigned char* a, unsigned char* c);
char row_of_bytes();
char row_of_four_bytes_per_thread();
char row_of_words_of_4();
char row_of_words_of_16();
char row_of_words_of_32();

void goals(common::Attempt& attempt)
{
    common::Copy<unsigned char> problem(attempt, {.n = 16384});
    const auto launch = [&](unsigned kernel) {
        return [&, kernel] { solve(kernel, problem.a, problem.c); };
    };
    attempt.rows(problem, {"load_requests", "load_sectors", "load_sectors_per_request"},
                 {{"copy_words with words of 1 byte", 'D', row_of_bytes(), launch(0)},
                  {"four_bytes_per_thread", 'B', row_of_four_bytes_per_thread(), launch(1)},
                  {"copy_words with words of 4 bytes", 'E', row_of_words_of_4(), launch(2)},
                  {"copy_words with words of 16 bytes", 'A', row_of_words_of_16(), launch(3)},
                  {"copy_words with words of 32 bytes", 'C', row_of_words_of_32(), launch(4)}});
}
