// Several processes, of which rank 1 does something wrong: what the others say of it.

#include "common/chapter.hpp"

#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <unistd.h>
#include <vector>

int main(int argc, char** argv)
{
    common::MpiRanks ranks;
    common::Chapter chapter(argc, argv, 2);
    common::Team team(chapter.devices());
    common::SharedRows rows(chapter, team);
    const std::size_t n = chapter.n();
    common::Parts p(chapter, team, "all-reduce", n, n * sizeof(float),
                    std::vector<common::Part>(team.size(), {n, n}),
                    [&p](unsigned, std::size_t first, std::size_t count, float* out) {
                        p.sum_of_inputs(first, count, out);
                    });
    std::vector<float> host(p.n);
    const unsigned own = common::ranks().rank();
    const auto add_up = [&](cudaStream_t stream) {
        const std::size_t bytes = p.n * sizeof(float);
        CHECK_CUDA(cudaMemcpyAsync(host.data(), p.a[own], bytes, cudaMemcpyDeviceToHost, stream));
        CHECK_CUDA(cudaStreamSynchronize(stream));
        common::ranks().add_up(host.data(), p.n);
        CHECK_CUDA(cudaMemcpyAsync(p.c[own], host.data(), bytes, cudaMemcpyHostToDevice, stream));
    };
    const auto run = [&](const char* name, const common::Launch& wrong) {
        rows.run_between_processes({.name = name}, p, [&](cudaStream_t stream) {
            add_up(stream);
            if (own == 1) {
                wrong(stream);
            }
        });
    };
    run("right", [](cudaStream_t) {});
    run("wrong", [&](cudaStream_t stream) {
        CHECK_CUDA(cudaMemsetAsync(p.c[1] + p.n - 1, 1, sizeof(float), stream));
    });
    run("throws", [](cudaStream_t) { throw std::runtime_error("This rank has had enough."); });
    // Long enough for a test to end a rank of it.
    rows.run_between_processes({.name = "long"}, p, [&](cudaStream_t stream) {
        std::fprintf(stderr, "rank %u is process %d\n", own, ::getpid());
        using Clock = std::chrono::steady_clock;
        const Clock::time_point begin = Clock::now();
        do {
            add_up(stream);
        } while (common::ranks().largest(
                     std::chrono::duration<double>(Clock::now() - begin).count()) < 60);
    });
    return chapter.finish();
}
