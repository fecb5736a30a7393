// 18_l2_persistence: Can you keep data in the L2, and what does the benchmark see?
//
// A kernel streams through a long array and comes back to the start of it, the window, in every
// pass. Between two visits twice the window streams past. A part of the L2 can be set aside for
// lines that are asked to stay. Then the trap: lines that stay also survive the flush of a
// benchmark.

#include "common/chapter.hpp"

//! [kernel]
// c[i] = a[i] + a[i % window], four floats a thread. The grid is as wide as the window, with a row
// of blocks for each pass. A window has whole float4s; at the end of the array some are left.
__global__ void add_window(const float* a, float* c, std::size_t window, std::size_t n)
{
    const std::size_t j = 4 * (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x);
    const std::size_t i = blockIdx.y * window + j;
    if (j < window && i + 4 <= n) {
        const float4 streamed = *reinterpret_cast<const float4*>(a + i);
        const float4 kept = *reinterpret_cast<const float4*>(a + j);
        *reinterpret_cast<float4*>(c + i) = make_float4(streamed.x + kept.x, streamed.y + kept.y,
                                                        streamed.z + kept.z, streamed.w + kept.w);
    } else if (j < window) {
        for (std::size_t k = 0; i + k < n; ++k) {
            c[i + k] = a[i + k] + a[j + k];
        }
    }
}
//! [kernel]

//! [launch]
constexpr unsigned threads = 256;

void launch(const common::WindowAdd& p, cudaStream_t stream)
{
    const dim3 grid(common::blocks(p.window / 4, threads), common::blocks(p.n, p.window));
    add_window<<<grid, threads, 0, stream>>>(p.a, p.c, p.window, p.n);
}
//! [launch]

//! [window]
// Asks for the window's lines to stay: the share `hit_ratio` of them, the rest streams past.
cudaLaunchAttributeValue stay(const common::WindowAdd& p, double hit_ratio)
{
    cudaLaunchAttributeValue value{};
    value.accessPolicyWindow.base_ptr = const_cast<float*>(p.a);
    value.accessPolicyWindow.num_bytes = p.window * sizeof(float);
    value.accessPolicyWindow.hitRatio = static_cast<float>(hit_ratio);
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    return value;
}

// A window of the stream holds for what is launched while it is set.
void launch_in_window(const common::WindowAdd& p, double hit_ratio, cudaStream_t stream)
{
    cudaLaunchAttributeValue value = stay(p, hit_ratio);
    CHECK_CUDA(cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &value));
    launch(p, stream);
    value.accessPolicyWindow.num_bytes = 0; // no window
    CHECK_CUDA(cudaStreamSetAttribute(stream, cudaLaunchAttributeAccessPolicyWindow, &value));
}
//! [window]

//! [graph]
// The same launch as a graph of one kernel node, which has a window of its own.
cudaGraphExec_t graph_in_window(const common::WindowAdd& p)
{
    const common::Stream stream;
    cudaGraph_t graph = nullptr;
    CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    launch(p, stream);
    CHECK_CUDA(cudaStreamEndCapture(stream, &graph));
    cudaGraphNode_t node = nullptr;
    std::size_t nodes = 1;
    CHECK_CUDA(cudaGraphGetNodes(graph, &node, &nodes));
    const cudaLaunchAttributeValue window = stay(p, 1.0);
    CHECK_CUDA(
        cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeAccessPolicyWindow, &window));
    cudaGraphExec_t executable = nullptr;
    CHECK_CUDA(cudaGraphInstantiate(&executable, graph, 0));
    CHECK_CUDA(cudaGraphDestroy(graph));
    return executable;
}
//! [graph]

void run_windows(common::Chapter& chapter, std::size_t n)
{
    common::SetAside set_aside(n * sizeof(float));
    common::WindowAdd streams(chapter, n);
    common::WindowAdd once(chapter, set_aside.floats(50)); // one pass over a window, and no more
    //! [rows]
    // `reserved` and `percent` are of the most that can be set aside; no window where hit_ratio is
    // 0.
    const auto run = [&](common::Variant row, common::WindowAdd& p, unsigned reserved,
                         unsigned percent, double hit_ratio, common::Launch other = {}) {
        p.set_window(set_aside.floats(percent));
        const double mib = static_cast<double>(p.window * sizeof(float)) / (1 << 20);
        row.threads = threads;
        row.columns = {{"set_aside", reserved}, {"window", percent}, {"window_mib", mib}};
        row.unmodelled = "what its window finds in the L2 depends on blocks far away";
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
        run({.name = "ordinary", .full = between(percent)}, streams, 0, percent, 0);
    }
    run({.name = "once"}, once, 0, 50, 0);
    for (unsigned percent : {25u, 50u}) { // less than the most that can be set aside
        run({.name = "smaller_set_aside"}, streams, percent, 25, 0);
        run({.name = "matched_window"}, streams, percent, percent, 1.0);
    }
    run({.name = "set_aside_unused"}, streams, 100, 25, 0);
    for (unsigned percent : windows) {
        run({.name = "stream_window", .full = between(percent)}, streams, 100, percent, 1.0);
        if (percent > 100) { // as many of its lines as the set-aside holds
            run({.name = "fitted_window", .full = between(percent)}, streams, 100, percent,
                100.0 / percent);
        }
    }
    cudaGraphExec_t graph = nullptr;
    run({.name = "graph_window"}, streams, 100, 100, 1.0, [&](cudaStream_t stream) {
        if (graph == nullptr) {
            graph = graph_in_window(streams);
        }
        CHECK_CUDA(cudaGraphLaunch(graph, stream));
    });
    if (graph != nullptr) {
        CHECK_CUDA(cudaGraphExecDestroy(graph));
    }
    //! [rows]

    //! [trap]
    // A cold sample is one behind a flush of the L2, which begins with a reset of lines that stay.
    run({.name = "once_in_window"}, once, 100, 50, 1.0);
    // And here it does not.
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
