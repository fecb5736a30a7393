// 37_small_kernels: When does launch overhead matter?
//
// The same work in 1 to 1,024 steps, timed on the host: a launch each; a graph; kernels that begin
// before the one that they need has ended; one kernel that waits for itself; one for all.
//
// steps.cuh         one step, and all at once
// programmatic.cuh  a step that begins before the last one has ended
// persistent.cuh    all steps in one kernel
// graph.cuh         what is captured once and launched many times

#include "graph.cuh"
#include "persistent.cuh"
#include "programmatic.cuh"
#include "steps.cuh"

#include <algorithm>
#include <vector>

//! [rows]
constexpr unsigned threads = 512;
constexpr unsigned streams = 4;

void run_steps(common::Chapter& chapter, std::size_t n, std::size_t count, bool chain)
{
    common::Words p(chapter, chain ? "chain" : "steps", n, n);
    std::size_t m = (n + count - 1) / count; // words of a piece
    p.moved = 2 * n * sizeof(unsigned);
    p.done = count;
    p.expect(n, common::computed_once<unsigned>(n, [&](unsigned* c) {
                 p.input(0, n, c);
                 for (std::size_t piece = m; chain && piece < n; piece += m) {
                     for (std::size_t i = 0; i < std::min(m, n - piece); ++i) {
                         c[piece + i] += c[piece - m + (i + 1 == m ? 0 : i + 1)];
                     }
                 }
             }));
    const auto run = [&](const char* name, const common::Launch& work,
                         const common::Lazy<std::string>& unavailable = std::string()) {
        const common::Variant row{
            .name = name,
            .threads = threads,
            .columns = {{"steps", count}, {"needs", chain ? "the last" : "none"}},
            .unavailable = unavailable,
            .model_excluded_reason = "it has one figure for all launches",
            .full = count != 1024 && n >= 1024};
        chapter.run_transfer(row, p, work);
    };
    // Calls launch(a, before, c, words) for each step.
    const auto each = [&](auto launch) {
        for (std::size_t piece = 0; piece < n; piece += m) {
            launch(p.a + piece, chain && piece > 0 ? p.c + (piece - m) : nullptr, p.c + piece,
                   std::min(m, n - piece));
        }
    };

    const auto launches = [&](cudaStream_t stream) {
        each([&](auto a, auto before, auto c, std::size_t words) {
            step<<<common::blocks(words, threads), threads, 0, stream>>>(a, before, c, m, words);
        });
    };
    run("launches", launches);
    if (!chain) {
        std::vector<common::Stream> all;
        run("streams", [&](cudaStream_t) {
            all.resize(streams); // once: by then there is a GPU
            each([&, next = 0u](auto a, auto before, auto c, std::size_t words) mutable {
                step<<<common::blocks(words, threads), threads, 0, all[next++ % streams]>>>(
                    a, before, c, m, words);
            });
        });
        run("together", [&](cudaStream_t stream) {
            const dim3 grid = common::grid(m, count, threads, 1);
            together<<<grid, threads, 0, stream>>>(p.a, p.c, m, n);
        });
        return;
    }

    const auto early = [&](cudaStream_t stream) {
        cudaLaunchAttribute overlap{};
        overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        overlap.val.programmaticStreamSerializationAllowed = 1;
        each([&](auto a, auto before, auto c, std::size_t words) {
            const cudaLaunchConfig_t config{.gridDim = common::blocks(words, threads),
                                            .blockDim = threads,
                                            .dynamicSmemBytes = 0,
                                            .stream = stream,
                                            .attrs = &overlap,
                                            .numAttrs = 1};
            CHECK_CUDA(cudaLaunchKernelEx(&config, early_step, a, before, c, m, words));
        });
    };
    run("programmatic", early, common::needs_compute_capability(9));
    run("graph", captured(launches));
    run("programmatic_graph", captured(early), common::needs_compute_capability(9));
    run("persistent", [&](cudaStream_t stream) {
        // All blocks have to be resident; of more, more have to be waited for.
        const unsigned room = 2 * common::attribute(cudaDevAttrMultiProcessorCount);
        const unsigned grid = std::min(room, common::blocks(m, threads));
        void* arguments[] = {&p.a, &p.c, &m, &n};
        CHECK_CUDA(cudaLaunchCooperativeKernel(persistent, grid, threads, arguments, 0, stream));
    });
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes({.gpu = {1 << 24, 30'000'001, 1 << 26},
                         .cpu = {1 << 16},
                         .usual = {1 << 26},
                         .bytes_per_element = 2 * sizeof(unsigned)})) {
        for (std::size_t count : {1, 8, 32, 128, 1024}) {
            if (count <= n) {
                run_steps(chapter, n, count, true);
                run_steps(chapter, n, count, false);
            }
        }
    }
    return chapter.finish();
}
