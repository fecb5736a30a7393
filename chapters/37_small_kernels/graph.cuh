// Launches that are captured once as a CUDA graph and launched many times.
#pragma once

#include "common/chapter.hpp"

#include <memory>
#include <utility>

// Returns a launch of a graph of all that `work` queues on a stream. The graph is captured before
// the first launch.
inline common::Launch captured_graph(common::Launch work)
{
    const auto graph =
        std::shared_ptr<cudaGraphExec_t>(new cudaGraphExec_t(nullptr), [](cudaGraphExec_t* exec) {
            if (*exec != nullptr)
                cudaGraphExecDestroy(*exec);
            delete exec;
        });
    return [graph, work = std::move(work)](cudaStream_t stream) {
        if (*graph == nullptr) {
            const common::Stream capture_stream;
            cudaGraph_t captured = nullptr;
            CHECK_CUDA(cudaStreamBeginCapture(capture_stream, cudaStreamCaptureModeThreadLocal));
            work(capture_stream);
            CHECK_CUDA(cudaStreamEndCapture(capture_stream, &captured));
            CHECK_CUDA(cudaGraphInstantiate(graph.get(), captured, 0));
            CHECK_CUDA(cudaGraphDestroy(captured));
        }
        CHECK_CUDA(cudaGraphLaunch(*graph, stream));
    };
}
