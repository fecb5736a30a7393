// 06_memcpy_vectorized: What access width matches cudaMemcpyAsync?
//
// The same bytes, in units of 1, 2, 4 or 8 bytes, moved a word at a time: the unit itself, or 4, 8
// or 16 bytes. Small arrays fit into the L2 cache and go faster than device memory ever could.

#include "common/chapter.hpp"

//! [copy_words]
// One word per thread; one more thread copies the last units, which do not fill a word.
template<class Element, class Access>
__global__ void copy_words(const Element* a, Element* c, std::size_t n)
{
    constexpr std::size_t units = sizeof(Access) / sizeof(Element);
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t words = n / units;
    if (i < words) {
        reinterpret_cast<Access*>(c)[i] = reinterpret_cast<const Access*>(a)[i];
    } else if (i == words) {
        for (std::size_t k = words * units; k < n; ++k) {
            c[k] = a[k];
        }
    }
}
//! [copy_words]

//! [launch]
template<class Element, class Access>
void run_words(common::Chapter& chapter, common::Copy<Element>& problem, const char* name)
{
    const unsigned threads = 256;
    chapter.run({.name = name,
                 .threads = threads,
                 .columns = {{"unit", sizeof(Element)}, {"word", sizeof(Access)}}},
                problem, [&](cudaStream_t stream) {
                    const std::size_t words = problem.n / (sizeof(Access) / sizeof(Element));
                    copy_words<Element, Access>
                        <<<common::blocks(words + 1, threads), threads, 0, stream>>>(
                            problem.a, problem.c, problem.n);
                });
}
//! [launch]

//! [rows]
template<class Element>
void run_units(common::Chapter& chapter)
{
    constexpr std::size_t GiB = std::size_t{1} << 30;
    const common::Sizes sizes{
        .gpu = {1 << 18, 1 << 21, 1 << 27, GiB / sizeof(Element), 4 * GiB / sizeof(Element)},
        .cpu = {1 << 14, 1 << 18},
        .default_sizes = {GiB / sizeof(Element)},
        .bytes_per_element = 2 * sizeof(Element)};
    for (std::size_t n : chapter.sizes(sizes)) {
        common::Copy<Element> problem(chapter, {.n = n});
        run_words<Element, Element>(chapter, problem, "element");
        if constexpr (sizeof(Element) < 4) {
            run_words<Element, unsigned>(chapter, problem, "word4");
        }
        if constexpr (sizeof(Element) < 8) {
            run_words<Element, uint2>(chapter, problem, "word8");
        }
        run_words<Element, uint4>(chapter, problem, "word16");
        common::run_copy_libraries(chapter, problem, {{"unit", sizeof(Element)}});
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
