// 18_l2_persistence: Can you keep data in L2?
//
// A kernel streams through a long array and comes back to the start of it, the window, in every
// pass. Between two visits twice the window streams past. A part of the L2 can be set aside for
// persisting lines. Then the trap: these also survive the flush of a benchmark.
//
// add_window.cuh     the kernel
// access_window.hpp  which lines persist
// graph_window.hpp   the same for a node of a graph
// set_aside.hpp      the part of the L2 that is reserved for them
// window_add.hpp     the task

#include "access_window.hpp"
#include "add_window.cuh"
#include "graph_window.hpp"
#include "set_aside.hpp"

//! [launch]
constexpr unsigned threads = 256;

void launch(const WindowAdd& p, cudaStream_t stream)
{
    const dim3 grid(common::blocks(p.window / 4, threads), common::blocks(p.n, p.window));
    add_window<<<grid, threads, 0, stream>>>(p.a, p.c, p.window, p.n);
}
//! [launch]

//! [window]
// A stream's window applies to the launches that are queued while it is set.
void launch_in_window(const WindowAdd& p, double hit_ratio, cudaStream_t stream)
{
    cudaLaunchAttributeValue value = stay(p, hit_ratio);
    CHECK_CUDA(cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &value));
    launch(p, stream);
    value.accessPolicyWindow.num_bytes = 0; // no window
    CHECK_CUDA(cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &value));
}
//! [window]

void run_windows(common::Chapter& chapter, std::size_t n)
{
    SetAside set_aside(n * sizeof(float));
    WindowAdd streams(chapter, n);
    WindowAdd once(chapter, set_aside.floats(50)); // one pass over a window, and no more
    //! [rows]
    // The set-aside and the window are `reserved` and `percent` percent of the largest set-aside. A
    // hit_ratio of 0 means no window.
    const auto run = [&](common::Variant row, WindowAdd& p, unsigned reserved, unsigned percent,
                         double hit_ratio, common::Launch other = {}) {
        p.set_window(set_aside.floats(percent));
        const double mib = static_cast<double>(p.window * sizeof(float)) / (1 << 20);
        row.threads = threads;
        row.columns = {{"set_aside", reserved}, {"window", percent}, {"window_mib", mib}};
        row.model_excluded_reason = "L2 hits in its window depend on distant blocks";
        row.setup = [&] { set_aside.reserve(reserved); };
        if (hit_ratio > 0) {
            row.columns.push_back({"hit_ratio", hit_ratio});
        }
        if (reserved > 0) {
            row.unavailable = set_aside.missing();
        }
        const common::Launch usual = [&](cudaStream_t stream) {
            hit_ratio > 0 ? launch_in_window(p, hit_ratio, stream) : launch(p, stream);
        };
        chapter.run(row, p, other ? other : usual);
    };

    const unsigned windows[] = {25, 50, 100, 125, 150, 200};
    const auto between = [](unsigned percent) { return percent % 50 != 0 || percent == 150; };
    for (unsigned percent : windows) {
        run({.name = "ordinary", .full_only = between(percent)}, streams, 0, percent, 0);
    }
    run({.name = "once"}, once, 0, 50, 0);
    for (unsigned percent : {25u, 50u}) { // less than the most that can be set aside
        run({.name = "smaller_set_aside"}, streams, percent, 25, 0);
        run({.name = "matched_window"}, streams, percent, percent, 1.0);
    }
    run({.name = "set_aside_unused"}, streams, 100, 25, 0);
    for (unsigned percent : windows) {
        run({.name = "stream_window", .full_only = between(percent)}, streams, 100, percent, 1.0);
        if (percent > 100) { // as many of its lines as the set-aside holds
            run({.name = "fitted_window", .full_only = between(percent)}, streams, 100, percent,
                100.0 / percent);
        }
    }
    cudaGraphExec_t graph = nullptr;
    run({.name = "graph_window"}, streams, 100, 100, 1.0, [&](cudaStream_t stream) {
        if (graph == nullptr) {
            graph = graph_in_window([&](cudaStream_t s) { launch(streams, s); }, stay(streams, 1));
        }
        CHECK_CUDA(cudaGraphLaunch(graph, stream));
    });
    if (graph != nullptr) {
        CHECK_CUDA(cudaGraphExecDestroy(graph));
    }
    //! [rows]

    //! [trap]
    // A cold sample follows a flush of the L2, which begins with a reset of its persisting lines.
    run({.name = "once_in_window"}, once, 100, 50, 1.0);
    // Here the flush leaves the persisting lines.
    run({.name = "once_not_reset", .keep_persisting_lines = true}, once, 100, 50, 1.0);
    //! [trap]
}

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    const common::Sizes sizes{
        .gpu = {1 << 28}, .cpu = {1 << 20}, .bytes_per_element = 2 * sizeof(float)};
    for (std::size_t n : chapter.sizes(sizes)) {
        run_windows(chapter, n);
    }
    return chapter.finish();
}
