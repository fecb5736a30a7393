// 01.0: Map threads to elements
// minutes: 5
// difficulty: 1
// practises: blocks, threads and elements, in numbers
// hint: One block adds 256 elements, two blocks add 512. What is the smallest number of blocks with
//     a thread for each of 1000 elements?
// hint: Block 0 adds the first 256 elements, block 1 the next 256. Where does block 2 begin?
// hint: Element = block * 256 + thread. Multiply the number of blocks by 256; 1000 of these threads
//     have an element.
#include "common/exercise.hpp"

void solve(unsigned blocks, const float* a, const float* b, float* c, std::size_t n);
unsigned blocks_of_1000_elements();
unsigned element_of_thread_5_of_block_2();
unsigned threads_without_an_element();

void goals(common::Attempt& attempt)
{
    constexpr unsigned n = 1000;
    constexpr unsigned threads = 256;
    constexpr unsigned needed = (n + threads - 1) / threads;
    const unsigned blocks = blocks_of_1000_elements();
    const unsigned element = element_of_thread_5_of_block_2();
    const unsigned idle = threads_without_an_element();
    common::VectorAdd problem(attempt, {.n = n});
    attempt.run(problem,
                [&] { solve(blocks, problem.a, problem.b, problem.c, std::size_t{problem.n}); });
    attempt.goal("blocks", "launches no more blocks than 1000 elements need", blocks == needed,
                 common::filled_in("{} blocks, one fewer, already have {} threads.",
                                   {blocks - 1, (blocks - 1) * threads}));
    attempt.goal("element", "knows the element of thread 5 of block 2", element == 2 * threads + 5,
                 common::filled_in("element {} belongs to thread {} of block {}.",
                                   {element, element % threads, element / threads}));
    attempt.goal("idle", "knows how many threads have no element", idle == needed * threads - n,
                 common::filled_in("{} blocks have {} threads; with {} of them idle, {} add.",
                                   {needed, needed * threads, idle, needed * threads - idle}));
}
