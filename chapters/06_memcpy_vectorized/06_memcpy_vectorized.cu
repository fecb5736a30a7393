// 06_memcpy_vectorized: How wide must a copy be to keep up with cudaMemcpyAsync?
//
// The same bytes, in units of 1, 2, 4 or 8 bytes, moved a word at a time: the unit itself, or 4, 8
// or 16 bytes. Small arrays fit into the L2 cache and go faster than device memory ever could.

#include "common/chapter.hpp"

//! [copy_words]
// One word a thread; one more thread copies the last units, which do not fill a word.
template<class Unit, class Word>
__global__ void copy_words(const Unit* a, Unit* c, std::size_t n)
{
    constexpr std::size_t units = sizeof(Word) / sizeof(Unit);
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t words = n / units;
    if (i < words) {
        reinterpret_cast<Word*>(c)[i] = reinterpret_cast<const Word*>(a)[i];
    } else if (i == words) {
        for (std::size_t k = words * units; k < n; ++k) {
            c[k] = a[k];
        }
    }
}
//! [copy_words]

//! [launch]
template<class Unit, class Word>
void run_words(common::Chapter& chapter, common::Copy<Unit>& problem, const char* name)
{
    const unsigned threads = 256;
    chapter.run({.name = name,
                 .threads = threads,
                 .columns = {{"unit", sizeof(Unit)}, {"word", sizeof(Word)}}},
                problem, [&](cudaStream_t stream) {
                    const std::size_t words = problem.n / (sizeof(Word) / sizeof(Unit));
                    copy_words<Unit, Word>
                        <<<common::blocks(words + 1, threads), threads, 0, stream>>>(
                            problem.a, problem.c, problem.n);
                });
}
//! [launch]

//! [rows]
template<class Unit>
void run_units(common::Chapter& chapter)
{
    constexpr std::size_t GiB = std::size_t{1} << 30;
    const common::Sizes sizes{
        .gpu = {1 << 18, 1 << 21, 1 << 27, GiB / sizeof(Unit), 4 * GiB / sizeof(Unit)},
        .cpu = {1 << 14, 1 << 18},
        .usual = {GiB / sizeof(Unit)},
        .bytes_per_element = 2 * sizeof(Unit)};
    for (std::size_t n : chapter.sizes(sizes)) {
        common::Copy<Unit> problem(chapter, {.n = n});
        run_words<Unit, Unit>(chapter, problem, "element");
        if constexpr (sizeof(Unit) < 4) {
            run_words<Unit, unsigned>(chapter, problem, "word4");
        }
        if constexpr (sizeof(Unit) < 8) {
            run_words<Unit, uint2>(chapter, problem, "word8");
        }
        run_words<Unit, uint4>(chapter, problem, "word16");
        common::run_copy_libraries(chapter, problem, {{"unit", sizeof(Unit)}});
    }
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    run_units<unsigned char>(chapter);
    run_units<unsigned short>(chapter);
    run_units<unsigned>(chapter);
    run_units<uint2>(chapter);
    return chapter.finish();
}
