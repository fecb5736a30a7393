/// \file
/// Rows that compute a decoder layer: by launches, by a graph of them, by one kernel that stays.
#pragma once

#include "common/device/attribute.hpp"
#include "common/device/check.hpp"
#include "common/problem/decoder_layer.hpp"
#include "common/run/chapter.hpp"
#ifdef __CUDACC__
#include "common/problem/weight_ring.hpp"
#endif

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
    void run(const DecoderRow& row, const Launch& launch);

    /// The same launches, recorded once and launched together.
    void run_graph(const DecoderRow& row, const Launch& launch);

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
    [[nodiscard]] Variant variant(const DecoderRow& row);
    void expect(const DecoderRow& row);

    Chapter& chapter_;
    DecoderProblem& problem_;
};

} // namespace common
