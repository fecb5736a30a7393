// claim_queued: Whose is the gap between two kernels, the host's or the GPU's?
//
// The chain of chapter 37, each kernel of which needs the one before, timed twice: while the host
// launches as it goes, and with all launches queued behind a stream that is held until the clock
// starts. What a launch adds with a held stream is the GPU's; what more it adds without is not.

#include "../../chapters/37_small_kernels/graph.cuh"

constexpr unsigned threads = 512;

__global__ void step(const unsigned* a, const unsigned* before, unsigned* c, std::size_t m,
                     std::size_t count)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < count) {
        c[i] = before == nullptr ? a[i] : a[i] + __ldcg(&before[i + 1 == m ? 0 : i + 1]);
    }
}

void run(common::Chapter& chapter, std::size_t n, std::size_t count)
{
    common::Words p(chapter, "chain", n, n);
    const std::size_t m = (n + count - 1) / count;
    p.moved = 2 * n * sizeof(unsigned);
    p.done = count;
    p.expect(n, common::computed_once<unsigned>(n, [&](unsigned* c) {
                 p.input(0, n, c);
                 for (std::size_t piece = m; piece < n; piece += m) {
                     for (std::size_t i = 0; i < std::min(m, n - piece); ++i) {
                         c[piece + i] += c[piece - m + (i + 1 == m ? 0 : i + 1)];
                     }
                 }
             }));
    const auto launches = [&](cudaStream_t stream) {
        for (std::size_t piece = 0; piece < p.n; piece += m) {
            const std::size_t words = std::min(m, p.n - piece);
            step<<<common::blocks(words, threads), threads, 0, stream>>>(
                p.a + piece, piece == 0 ? nullptr : p.c + (piece - m), p.c + piece, m, words);
        }
    };
    const common::Launch graph = captured_graph(launches);
    for (const bool held : {false, true}) {
        common::Variant row{
            .name = "launches",
            .threads = threads,
            .columns = {{"steps", count}, {"queued", held ? "before" : "meanwhile"}},
            .model_excluded_reason = "the model has a single cost for all launches"};
        const auto both = [&](const common::Launch& work) {
            held ? chapter.run(row, p, work) : chapter.run_transfer(row, p, work);
        };
        both(launches);
        row.name = "graph";
        both(graph);
    }
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    const common::Sizes sizes{
        .gpu = {1u << 26}, .cpu = {1u << 16}, .bytes_per_element = 2 * sizeof(unsigned)};
    for (std::size_t n : chapter.sizes(sizes)) {
        for (std::size_t count : {1, 8, 32, 128, 512}) {
            if (count <= n) {
                run(chapter, n, count);
            }
        }
    }
    return chapter.finish();
}
