// 14_pitched_memory: When does padding rows help?
//
// Copies a matrix and a three-dimensional box. Contiguous rows may begin anywhere in a sector; rows
// with a pitch begin at aligned addresses, at the cost of padding.
//
// matrix.cuh   copies of a matrix, as an array and by rows
// box.cuh      a copy of a box
// grid.cuh     the blocks of both
// by_hand.cuh  pitched memory allocated, filled and read by the calls of the runtime

#include "box.cuh"
#include "by_hand.cuh"
#include "grid.cuh"
#include "matrix.cuh"

using Problem = common::Copy<float>;

//! [rows]
common::Variant row(const char* name, const common::Extent& box, const Problem& p, bool full,
                    unsigned block_threads = threads)
{
    return {.name = name,
            .threads = block_threads,
            .columns = {{"columns", box.columns}, {"pitch", [&p] { return p.pitch(); }}},
            .full_only = full};
}

void run(common::Chapter& chapter, const char* name, const common::Extent& box, Problem& p,
         bool full = false)
{
    chapter.run(row(name, box, p, full), p, [&](cudaStream_t stream) {
        const dim3 blocks = grid(box.columns, box.rows, box.slices);
        if (box.slices == 1) {
            copy_matrix<<<blocks, block, 0, stream>>>(p.a, p.c, box.columns, box.rows, p.pitch());
        } else {
            copy_box<<<blocks, block, 0, stream>>>(p.a, p.c, box.columns, box.rows, box.slices,
                                                   p.pitch());
        }
    });
}

void run_by_hand(common::Chapter& chapter, const char* name, const common::Extent& box)
{
    Problem p(chapter, {.task = "copy host to host",
                        .n = box.size(),
                        .input = common::MemoryKind::pinned,
                        .output = common::MemoryKind::pinned});
    const common::Variant copy{
        .name = name, .threads = threads, .columns = {{"columns", box.columns}}, .full_only = true};
    chapter.run_transfer(copy, p, [&](cudaStream_t) {
        box.slices == 1 ? copy_matrix_by_hand(p.a, p.c, box.columns, box.rows)
                        : copy_box_by_hand(p.a, p.c, box.columns, box.rows, box.slices);
    });
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t columns : {1023u, 1000u, 1024u, 33u}) {
        const common::Extent matrix = common::matrix_of(chapter.n(), columns);
        const bool full = columns == 1000 || columns == 33; // 1023 and 1024 make the point
        Problem dense(chapter, {.n = matrix.size(), .columns = matrix.columns});
        chapter.run(row("linear", matrix, dense, full), dense, [&](cudaStream_t stream) {
            copy_linear<<<common::blocks(dense.n, threads), threads, 0, stream>>>(dense.a, dense.c,
                                                                                  dense.n);
        });
        run(chapter, "dense", matrix, dense, full);
        Problem p(chapter, {.n = matrix.size(), .columns = matrix.columns, .pitched = true});
        run(chapter, "pitched", matrix, p, full);
        chapter.run(row("pitched_vectors", matrix, p, full), p, [&](cudaStream_t stream) {
            const dim3 shape = row_block(matrix.columns);
            copy_rows<<<common::blocks(matrix.rows, shape.y), shape, 0, stream>>>(
                p.a, p.c, matrix.columns, matrix.rows, p.pitch());
        });
        chapter.run_library(
            row("cudaMemcpy2DAsync", matrix, p, full, 0), p, [&](cudaStream_t stream) {
                CHECK_CUDA(cudaMemcpy2DAsync(p.c, p.pitch(), p.a, p.pitch(),
                                             matrix.columns * sizeof(float), matrix.rows,
                                             cudaMemcpyDeviceToDevice, stream));
            });
        run_by_hand(chapter, "matrix_by_hand", matrix);
    }
    const common::Extent box = common::box_of(chapter.n(), 1023, 31);
    Problem dense(chapter, {.n = box.size(), .columns = box.columns});
    run(chapter, "dense_box", box, dense);
    Problem pitched(chapter, {.n = box.size(), .columns = box.columns, .pitched = true});
    run(chapter, "pitched_box", box, pitched);
    run_by_hand(chapter, "box_by_hand", box);
    return chapter.finish();
}
