// 15_alignment: What does a misaligned access cost?
//
// The sum of chapter 01, of arrays whose first elements lie `offset` floats past a boundary of 256
// bytes: on the side that is read, or on the side that is written.
//
// add.cuh       misaligned loads, and misaligned stores
// loads.cuh     loads past the L1 cache, and loads of data that nobody writes
// unrolled.cuh  four elements per thread

#include "add.cuh"
#include "loads.cuh"
#include "unrolled.cuh"

#include <algorithm>

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    //! [rows]
    using Kernel = void (*)(const float*, const float*, float*, std::size_t, std::size_t);
    // Each row makes the same n sums. The kernels get the boundaries, `offset` floats before them.
    const auto run = [&](const char* name, Kernel kernel, unsigned threads, unsigned per_thread,
                         common::VectorAdd& p, std::size_t read, std::size_t write) {
        const std::size_t offset = read + write; // one of them is 0
        const bool restricted = kernel == add_unrolled_restrict;
        const common::Variant row{.name = name,
                                  .threads = threads,
                                  .columns = {{"offset", offset}},
                                  .full_only = restricted || threads != 512};
        chapter.run(row, p, [&](cudaStream_t stream) {
            kernel<<<common::blocks(p.n, threads * per_thread), threads, 0, stream>>>(
                p.a - read, p.b - read, p.c - write, p.n + offset, offset);
        });
    };
    for (std::size_t offset : {0u, 11u, 128u}) {
        common::VectorAdd p(chapter, {.input_offset = offset});
        run("read", add_read, 512, 1, p, offset, 0);
        run("unrolled", add_unrolled, 512, 4, p, offset, 0);
        if (offset != 128) {
            for (unsigned threads : {128u, 256u, 1024u}) {
                run("unrolled", add_unrolled, threads, 4, p, offset, 0);
            }
            run("unrolled_restrict", add_unrolled_restrict, 512, 4, p, offset, 0);
        }
        if (offset == 11) {
            run("read_cg", add_read_cg, 512, 1, p, offset, 0);
            run("read_ldg", add_read_ldg, 512, 1, p, offset, 0);
            run("read_restrict", add_read_restrict, 512, 1, p, offset, 0);
            common::run_add_libraries(chapter, p);
        }
    }
    for (std::size_t offset : {0u, 11u, 128u}) {
        common::VectorAdd p(chapter, {.output_offset = offset});
        run("write", add_write, 512, 1, p, 0, offset);
    }
    //! [rows]
    if (common::backend() == common::Backend::cpu) { // for the counts alone, so a few warps will do
        for (std::size_t offset = 0; offset <= 32; ++offset) {
            common::VectorAdd p(
                chapter, {.n = std::min<std::size_t>(chapter.n(), 4096), .input_offset = offset});
            run("sweep", add_read, 512, 1, p, offset, 0);
        }
    }
    return chapter.finish();
}
