// What the runtime API tells a modelled timeline.
#include "core/recorder.hpp"
#include "tests/catch.hpp"

#include <cuda_runtime_api.h>

#include <vector>

using cpu_device::Operation;
using Kind = Operation::Kind;
using Pages = Operation::Pages;

namespace {

constexpr std::size_t bytes = 4096;

/// Device memory, pinned and pageable host memory, and a stream of each kind.
struct Program
{
    Program()
    {
        REQUIRE(cudaMalloc(&device, bytes) == cudaSuccess);
        REQUIRE(cudaMallocHost(&pinned, bytes) == cudaSuccess);
        REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
        REQUIRE(cudaStreamCreateWithFlags(&independent, cudaStreamNonBlocking) == cudaSuccess);
        cpu_device::begin_recording();
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    ~Program()
    {
        static_cast<void>(cudaStreamDestroy(independent));
        static_cast<void>(cudaStreamDestroy(stream));
        static_cast<void>(cudaFreeHost(pinned));
        static_cast<void>(cudaFree(device));
    }

    void* device = nullptr;
    void* pinned = nullptr;
    std::vector<char> pageable = std::vector<char>(bytes);
    cudaStream_t stream = nullptr;
    cudaStream_t independent = nullptr;
};

} // namespace

TEST_CASE("a timeline knows direction, pages, stream and bytes of each copy")
{
    Program p;
    cudaMemcpyAsync(p.device, p.pinned, bytes, cudaMemcpyHostToDevice, p.stream);
    cudaMemcpyAsync(p.pageable.data(), p.device, bytes / 2, cudaMemcpyDefault, p.independent);
    cudaMemcpyAsync(p.device, p.device, bytes, cudaMemcpyDeviceToDevice);
    cudaMemset(p.device, 0, bytes);
    const std::vector<Operation> recorded = cpu_device::end_recording();
    REQUIRE(recorded.size() == 4);
    CHECK(recorded[0].kind == Kind::copy_in);
    CHECK(recorded[0].pages == Pages::pinned);
    CHECK(recorded[0].stream == 1);
    CHECK(recorded[0].bytes == bytes);
    CHECK_FALSE(recorded[0].independent);
    CHECK(recorded[1].kind == Kind::copy_out);
    CHECK(recorded[1].pages == Pages::pageable);
    CHECK(recorded[1].stream == 2);
    CHECK(recorded[1].bytes == bytes / 2);
    CHECK(recorded[1].independent);
    CHECK(recorded[2].kind == Kind::device_work);
    CHECK(recorded[2].stream == 0);
    CHECK(recorded[2].bytes == 2 * bytes); // read and written
    CHECK(recorded[3].label == "fill");
    // Nothing is kept when nobody records.
    cudaMemset(p.device, 0, bytes);
    CHECK(cpu_device::end_recording().empty());
}

TEST_CASE("a timeline knows for what the host and the streams wait")
{
    Program p;
    cudaEvent_t event = nullptr;
    REQUIRE(cudaEventCreate(&event) == cudaSuccess);
    cudaEventRecord(event, p.stream);
    cudaStreamWaitEvent(p.independent, event);
    cudaEventSynchronize(event);
    cudaStreamSynchronize(p.stream);
    cudaDeviceSynchronize();
    cudaMemcpy(p.device, p.pinned, bytes, cudaMemcpyHostToDevice);
    const std::vector<Operation> recorded = cpu_device::end_recording();
    cudaEventDestroy(event);
    std::vector<Kind> kinds;
    for (const Operation& operation : recorded)
        kinds.push_back(operation.kind);
    CHECK(kinds == std::vector<Kind>{Kind::record_event, Kind::stream_waits, Kind::host_waits,
                                     Kind::host_waits_for, Kind::host_waits_all, Kind::copy_in,
                                     Kind::host_waits_for});
    CHECK(recorded[0].event == recorded[1].event);
    CHECK(recorded[0].event == recorded[2].event);
    CHECK(recorded[1].stream != recorded[0].stream);
}

TEST_CASE("a timeline knows that pages are locked and unlocked")
{
    Program p;
    REQUIRE(cudaHostRegister(p.pageable.data(), bytes, cudaHostRegisterDefault) == cudaSuccess);
    cudaMemcpyAsync(p.device, p.pageable.data(), bytes, cudaMemcpyHostToDevice);
    REQUIRE(cudaHostUnregister(p.pageable.data()) == cudaSuccess);
    const std::vector<Operation> recorded = cpu_device::end_recording();
    REQUIRE(recorded.size() == 3);
    CHECK(recorded[0].host_rate == Operation::HostRate::page_locking);
    CHECK(recorded[1].pages == Pages::pinned);
    CHECK(recorded[2].host_rate == Operation::HostRate::page_unlocking);
    CHECK(recorded[2].bytes == bytes);
}

TEST_CASE("a graph's work runs in the stream of its launch, and holds up nobody")
{
    Program p;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    REQUIRE(cudaStreamBeginCapture(p.stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    cudaMemcpyAsync(p.device, p.pinned, bytes, cudaMemcpyHostToDevice, p.stream);
    REQUIRE(cudaStreamEndCapture(p.stream, &graph) == cudaSuccess);
    REQUIRE(cudaGraphInstantiate(&executable, graph, 0ULL) == cudaSuccess);
    REQUIRE(cudaGraphLaunch(executable, p.independent) == cudaSuccess);
    const std::vector<Operation> recorded = cpu_device::end_recording();
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    REQUIRE(recorded.size() == 1);
    CHECK(recorded[0].kind == Kind::copy_in);
    CHECK(recorded[0].independent);
}
