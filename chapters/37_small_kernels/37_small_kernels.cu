// 37_small_kernels: When does launch overhead matter?
//
// 1 to 1,024 steps, timed on the host: a launch per step, a graph of the launches, kernels that
// begin before the previous one has ended, and one kernel with a grid barrier.
//
// steps.cuh         one step per launch, and all steps in one
// programmatic.cuh  a step that begins before the previous one has ended
// persistent.cuh    all steps in one kernel; graph.cuh  launches captured as a CUDA graph

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
    std::size_t step_words = (n + count - 1) / count; // the last step may have fewer
    p.moved = 2 * n * sizeof(unsigned);
    p.done = count;
    p.expect(n, common::computed_once<unsigned>(n, [&](unsigned* c) {
                 p.input(0, n, c);
                 for (std::size_t offset = step_words; chain && offset < n; offset += step_words) {
                     for (std::size_t i = 0; i < std::min(step_words, n - offset); ++i) {
                         c[offset + i] += c[offset - step_words + (i + 1) % step_words];
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
            .model_excluded_reason = "the model has a single cost for all launches",
            .full_only = count != 1024 && n >= 1024};
        chapter.run_transfer(row, p, work);
    };
    // Calls launch(a, previous, c, words) for each step.
    const auto for_each_step = [&](auto launch) {
        for (std::size_t offset = 0; offset < n; offset += step_words) {
            launch(p.a + offset, chain && offset > 0 ? p.c + (offset - step_words) : nullptr,
                   p.c + offset, std::min(step_words, n - offset));
        }
    };

    const auto launches = [&](cudaStream_t stream) {
        for_each_step([&](auto a, auto previous, auto c, auto words) {
            const unsigned grid = common::blocks(words, threads);
            step<<<grid, threads, 0, stream>>>(a, previous, c, step_words, words);
        });
    };
    run("launches", launches);
    if (!chain) {
        std::vector<common::Stream> pool;
        run("streams", [&](cudaStream_t) {
            pool.resize(streams); // once: by then there is a GPU
            for_each_step([&, next = 0u](auto a, auto previous, auto c, auto words) mutable {
                step<<<common::blocks(words, threads), threads, 0, pool[next++ % streams]>>>(
                    a, previous, c, step_words, words);
            });
        });
        run("together", [&](cudaStream_t stream) {
            const dim3 grid = common::grid(step_words, count, threads, 1);
            together<<<grid, threads, 0, stream>>>(p.a, p.c, step_words, n);
        });
        return;
    }

    const auto early = [&](cudaStream_t stream) {
        cudaLaunchAttribute overlap{};
        overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        overlap.val.programmaticStreamSerializationAllowed = 1;
        for_each_step([&](auto a, auto previous, auto c, auto words) {
            const cudaLaunchConfig_t config{.gridDim = common::blocks(words, threads),
                                            .blockDim = threads,
                                            .dynamicSmemBytes = 0,
                                            .stream = stream,
                                            .attrs = &overlap,
                                            .numAttrs = 1};
            CHECK_CUDA(cudaLaunchKernelEx(&config, early_step, a, previous, c, step_words, words));
        });
    };
    run("programmatic", early, common::needs_compute_capability(9));
    run("graph", captured_graph(launches));
    run("programmatic_graph", captured_graph(early), common::needs_compute_capability(9));
    run("persistent", [&](cudaStream_t stream) {
        // All blocks must be resident. More than two per SM would make the grid barrier slower.
        const unsigned max_blocks = 2 * common::attribute(cudaDevAttrMultiProcessorCount);
        const unsigned grid = std::min(max_blocks, common::blocks(step_words, threads));
        void* arguments[] = {&p.a, &p.c, &step_words, &n};
        CHECK_CUDA(cudaLaunchCooperativeKernel(persistent, grid, threads, arguments, 0, stream));
    });
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (std::size_t n : chapter.sizes({.gpu = {1 << 24, 30'000'001, 1 << 26},
                         .cpu = {1 << 16},
                         .default_sizes = {1 << 26},
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
