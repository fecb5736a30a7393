/// \file
/// Work that is queued once and launched many times.
#pragma once

#include "common/device/check.hpp"
#include "common/device/measure.hpp"
#include "common/device/memory.hpp"

#include <cuda_runtime_api.h>

#include <memory>
#include <utility>

namespace common {

//! [captured]
/// A launch of the graph that `work` queues on the stream that it is given, captured when it is
/// first launched. Throws CudaError, then.
[[nodiscard]] inline Launch captured(Launch work)
{
    const auto graph =
        std::shared_ptr<cudaGraphExec_t>(new cudaGraphExec_t(nullptr), [](cudaGraphExec_t* made) {
            if (*made != nullptr)
                cudaGraphExecDestroy(*made);
            delete made;
        });
    return [graph, work = std::move(work)](cudaStream_t stream) {
        if (*graph == nullptr) {
            const Stream own;
            cudaGraph_t recorded = nullptr;
            CHECK_CUDA(cudaStreamBeginCapture(own, cudaStreamCaptureModeThreadLocal));
            work(own);
            CHECK_CUDA(cudaStreamEndCapture(own, &recorded));
            CHECK_CUDA(cudaGraphInstantiate(graph.get(), recorded, 0));
            CHECK_CUDA(cudaGraphDestroy(recorded));
        }
        CHECK_CUDA(cudaGraphLaunch(*graph, stream));
    };
}
//! [captured]

} // namespace common
