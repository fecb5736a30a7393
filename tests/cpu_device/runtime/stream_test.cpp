#include "tests/catch.hpp"

#include <cuda_runtime_api.h>

#include <chrono>
#include <string>
#include <thread>

namespace {

void append_a(void* text)
{
    *static_cast<std::string*>(text) += 'a';
}
void append_b(void* text)
{
    *static_cast<std::string*>(text) += 'b';
}
void do_nothing() {}

} // namespace

TEST_CASE("streams keep their flags, and a destroyed one is an error")
{
    cudaStream_t stream = nullptr;
    REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    CHECK(cudaStreamQuery(stream) == cudaSuccess);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
    CHECK(cudaStreamDestroy(stream) == cudaErrorInvalidResourceHandle);
    CHECK(cudaStreamSynchronize(stream) == cudaErrorInvalidResourceHandle);
    int value = 0;
    CHECK(cudaMemcpyAsync(&value, &value, 4, cudaMemcpyHostToHost, stream) ==
          cudaErrorInvalidResourceHandle);
    CHECK(cudaStreamSynchronize(nullptr) == cudaSuccess);
}

TEST_CASE("elapsed time is the host's, and only between recorded events with timing")
{
    cudaEvent_t start = nullptr;
    cudaEvent_t stop = nullptr;
    cudaEvent_t untimed = nullptr;
    REQUIRE(cudaEventCreate(&start) == cudaSuccess);
    REQUIRE(cudaEventCreate(&stop) == cudaSuccess);
    REQUIRE(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming) == cudaSuccess);
    float milliseconds = -1;
    CHECK(cudaEventElapsedTime(&milliseconds, start, stop) == cudaErrorInvalidResourceHandle);
    REQUIRE(cudaEventRecord(start) == cudaSuccess);
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    REQUIRE(cudaEventRecord(stop) == cudaSuccess);
    REQUIRE(cudaEventRecord(untimed) == cudaSuccess);
    CHECK(cudaEventSynchronize(stop) == cudaSuccess);
    CHECK(cudaEventElapsedTime(&milliseconds, start, stop) == cudaSuccess);
    CHECK(milliseconds >= 3); // sleep_for never returns early
    CHECK(cudaEventElapsedTime(&milliseconds, start, untimed) == cudaErrorInvalidResourceHandle);
    for (const cudaEvent_t event : {start, stop, untimed})
        CHECK(cudaEventDestroy(event) == cudaSuccess);
    CHECK(cudaEventQuery(start) == cudaErrorInvalidResourceHandle);
}

TEST_CASE("a captured stream records its work, and each launch of the graph runs it")
{
    cudaStream_t stream = nullptr;
    cudaStream_t joined = nullptr;
    cudaEvent_t forked = nullptr;
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    REQUIRE(cudaStreamCreate(&joined) == cudaSuccess);
    REQUIRE(cudaEventCreate(&forked) == cudaSuccess);
    std::string text;
    CHECK(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal) ==
          cudaErrorStreamCaptureUnsupported);
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    CHECK(cudaLaunchHostFunc(stream, append_a, &text) == cudaSuccess);
    CHECK(cudaEventRecord(forked, stream) == cudaSuccess);
    CHECK(cudaStreamWaitEvent(joined, forked) == cudaSuccess);
    CHECK(cudaLaunchHostFunc(joined, append_b, &text) == cudaSuccess);
    CHECK(cudaStreamSynchronize(stream) == cudaErrorStreamCaptureUnsupported);
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamEndCapture(joined, &graph) == cudaErrorStreamCaptureUnmatched);
    REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    CHECK(text.empty());
    std::size_t nodes = 0;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess);
    CHECK(nodes == 2);
    cudaGraphExec_t executable = nullptr;
    REQUIRE(cudaGraphInstantiate(&executable, graph) == cudaSuccess);
    CHECK(cudaGraphDestroy(graph) == cudaSuccess);
    CHECK(cudaGraphLaunch(executable, stream) == cudaSuccess);
    CHECK(cudaGraphLaunch(executable, stream) == cudaSuccess);
    CHECK(text == "abab");
    CHECK(cudaLaunchHostFunc(joined, append_b, &text) == cudaSuccess);
    CHECK(text == "ababb"); // the capture is over for the stream that joined, too
    CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
    CHECK(cudaGraphLaunch(executable, stream) == cudaErrorInvalidValue);
    cudaEventDestroy(forked);
    cudaStreamDestroy(stream);
    cudaStreamDestroy(joined);
}

TEST_CASE("an access policy window is checked and kept, by captured nodes too")
{
    cudaStreamAttrValue value{};
    value.accessPolicyWindow.num_bytes = 1 << 20;
    value.accessPolicyWindow.hitRatio = 0.5f;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    CHECK(cudaStreamSetAttribute(nullptr, cudaStreamAttributeAccessPolicyWindow, &value) ==
          cudaSuccess);
    cudaStreamAttrValue back{};
    CHECK(cudaStreamGetAttribute(nullptr, cudaStreamAttributeAccessPolicyWindow, &back) ==
          cudaSuccess);
    CHECK(back.accessPolicyWindow.hitRatio == 0.5f);

    cudaStream_t stream = nullptr;
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    REQUIRE(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value) ==
            cudaSuccess);
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) == cudaSuccess);
    REQUIRE(cudaLaunchKernel(do_nothing, dim3(1), dim3(1), nullptr, 0, stream) == cudaSuccess);
    cudaGraph_t graph = nullptr;
    REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    cudaGraphNode_t node = nullptr;
    std::size_t nodes = 1;
    REQUIRE(cudaGraphGetNodes(graph, &node, &nodes) == cudaSuccess);
    REQUIRE(nodes == 1);
    constexpr auto window = cudaLaunchAttributeAccessPolicyWindow;
    value.accessPolicyWindow.hitRatio = 0.25f;
    CHECK(cudaGraphKernelNodeSetAttribute(node, window, &value) == cudaSuccess);
    value.accessPolicyWindow.hitRatio = -1.0f;
    CHECK(cudaGraphKernelNodeSetAttribute(node, window, &value) == cudaErrorInvalidValue);
    value = back;
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);

    value.accessPolicyWindow.missProp = cudaAccessPropertyPersisting;
    CHECK(cudaStreamSetAttribute(nullptr, cudaStreamAttributeAccessPolicyWindow, &value) ==
          cudaErrorInvalidValue);
    value = back;
    value.accessPolicyWindow.hitRatio = 1.5f;
    CHECK(cudaStreamSetAttribute(nullptr, cudaStreamAttributeAccessPolicyWindow, &value) ==
          cudaErrorInvalidValue);
    value = {};
    CHECK(cudaStreamSetAttribute(nullptr, cudaStreamAttributeAccessPolicyWindow, &value) ==
          cudaSuccess);
}
