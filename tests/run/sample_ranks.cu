// Several processes, of which rank 1 does something wrong: what the others say of it.

#include "common/chapter.hpp"
#include "common/device/ranks.hpp"

#include <chrono>
#include <cstdio>
#include <stdexcept>

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv, 2, common::Processes::several);
    common::Team team(chapter.devices());
    common::SharedRows rows(chapter, team);
    common::AllReduce p(chapter, team, chapter.n());
    common::HostRing ring;
    const bool is_rank_1 = common::ranks().rank() == 1;
    const auto run = [&](const char* name, const common::Launch& wrong) {
        rows.run_between_processes({.name = name}, p, [&](cudaStream_t stream) {
            ring.all_reduce(p.a, p.c, p.n, stream);
            if (is_rank_1) {
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
        std::fputs("working\n", stderr);
        using Clock = std::chrono::steady_clock;
        const Clock::time_point begin = Clock::now();
        do {
            ring.all_reduce(p.a, p.c, p.n, stream);
        } while (common::ranks().largest(
                     std::chrono::duration<double>(Clock::now() - begin).count()) < 3);
    });
    run(is_rank_1 ? "other" : "this", [](cudaStream_t) {});
    return chapter.finish();
}
