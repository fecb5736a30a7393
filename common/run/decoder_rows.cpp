#include "common/run/decoder_rows.hpp"

#include "common/device/check.hpp"
#include "common/device/memory.hpp"

#include <memory>

namespace common {

void DecoderRows::run(const DecoderRow& row, const Launch& launch)
{
    chapter_.run(variant(row), problem_, launch);
}

void DecoderRows::run_graph(const DecoderRow& row, const Launch& launch)
{
    Variant graph_row = variant(row);
    const auto graph = std::make_shared<cudaGraphExec_t>();
    graph_row.setup = [this, row, launch, graph] {
        expect(row);
        const Stream stream;
        cudaGraph_t recorded{};
        CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        launch(stream);
        CHECK_CUDA(cudaStreamEndCapture(stream, &recorded));
        CHECK_CUDA(cudaGraphInstantiate(graph.get(), recorded, 0));
        CHECK_CUDA(cudaGraphDestroy(recorded));
    };
    chapter_.run(graph_row, problem_,
                 [graph](cudaStream_t stream) { CHECK_CUDA(cudaGraphLaunch(*graph, stream)); });
    if (*graph != nullptr)
        CHECK_CUDA(cudaGraphExecDestroy(*graph));
}

Variant DecoderRows::variant(const DecoderRow& row)
{
    return {.name = row.name,
            .columns = {{"lesson", row.lesson}, {"launches", row.launches}},
            .setup = [this, row] { expect(row); }};
}

void DecoderRows::expect(const DecoderRow& row)
{
    const DecoderLayer& layer = problem_.layer;
    // A lane has at most as many products as its share, rounded up, and 8; then 5 shuffles.
    Additions most{.row = row.by_threads ? layer.intermediate : layer.intermediate / 32 + 13,
                   .score = DecoderLayer::head,
                   .token = layer.tokens};
    if (row.splits) // 8 elements a lane and 4 shuffles; lanes, warps and parts of tokens
        most = {.row = most.row,
                .score = 8 + 4,
                .token = DecoderLayer::unit / 2 + 1 + DecoderLayer::warps + layer.parts()};
    problem_.expect(most);
}

} // namespace common
