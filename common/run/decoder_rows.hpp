/// \file
/// Rows that compute a decoder layer: by launches, by a graph of them, by one kernel that stays.
#pragma once

#include "common/device/attribute.hpp"
#include "common/device/check.hpp"
#include "common/device/memory.hpp"
#include "common/problem/decoder_layer.hpp"
#include "common/run/chapter.hpp"
#ifdef __CUDACC__
#include "common/problem/weight_ring.hpp"
#endif

#include <memory>
#include <utility>

namespace common {

/// A row of a decoder layer, as a chapter declares it.
struct DecoderRow
{
    const char* name;            ///< Variant::name
    const char* lesson = "none"; ///< the chapter whose lesson it takes up
    unsigned launches = 1;       ///< of kernels
    bool by_threads = false;     ///< a thread adds up a whole row, else a warp
    bool splits = false;         ///< the tokens of a head are shared among blocks
};

/// The rows of one problem.
class DecoderRows
{
  public:
    /// Of that problem, which has to stay.
    DecoderRows(Chapter& chapter, DecoderProblem& problem) : chapter_(chapter), problem_(problem) {}

    /// A row that is these launches.
    void run(const DecoderRow& row, const Launch& launch)
    {
        chapter_.run(variant(row), problem_, launch);
    }

    /// The same launches, recorded once and launched together.
    void run_graph(const DecoderRow& row, const Launch& launch)
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

    /// One kernel of one block a multiprocessor, which gets the layer: a cooperative launch, with
    /// shared memory for a vector and the WeightRing of each warp.
    template<class Kernel>
    void run_one(const DecoderRow& row, [[maybe_unused]] Kernel kernel)
    {
        Variant one = variant(row);
        one.unavailable = needs_compute_capability(9);
#ifdef __CUDACC__
        const std::size_t shared = problem_.layer.vector_bytes() + WeightRing::bytes;
        one.setup = [&, this] {
            expect(row);
            CHECK_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(shared)));
        };
        chapter_.run(one, problem_, [&, this](cudaStream_t stream) {
            void* arguments[] = {&problem_.layer};
            CHECK_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel),
                                                   dim3(attribute(cudaDevAttrMultiProcessorCount)),
                                                   dim3(DecoderLayer::block), arguments, shared,
                                                   stream));
        });
#else
        chapter_.run(one, problem_, [](cudaStream_t) {});
#endif
    }

  private:
    [[nodiscard]] Variant variant(const DecoderRow& row)
    {
        return {.name = row.name,
                .columns = {{"lesson", row.lesson}, {"launches", row.launches}},
                .setup = [this, row] { expect(row); }};
    }
    void expect(const DecoderRow& row)
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

    Chapter& chapter_;
    DecoderProblem& problem_;
};

} // namespace common
