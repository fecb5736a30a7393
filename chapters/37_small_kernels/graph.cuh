// Work that is queued once and launched many times.
#pragma once

#include "common/chapter.hpp"

#include <memory>
#include <utility>

// Launches a graph of all that `work` queues on a stream: it is captured before the first launch.
inline common::Launch captured(common::Launch work)
{
    const auto graph =
        std::shared_ptr<cudaGraphExec_t>(new cudaGraphExec_t(nullptr), [](cudaGraphExec_t* made) {
            if (*made != nullptr)
                cudaGraphExecDestroy(*made);
            delete made;
        });
    return [graph, work = std::move(work)](cudaStream_t stream) {
        if (*graph == nullptr) {
            const common::Stream own;
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
