// 04_async_memcpy: What makes host-device copies asynchronous?
//
// From host array to host array: two copies in, the kernel of chapter 01, one copy out. The kernel
// does not change; what changes is the call that copies, the kind of host memory, and the overlap.

#include "common/chapter.hpp"

#include <algorithm>
#include <vector>

//! [basic]
__global__ void add(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}
//! [basic]

constexpr unsigned threads = 256;
using Problem = common::HostVectorAdd;

//! [memcpy]
void add_memcpy(const Problem& p)
{
    const std::size_t bytes = p.n * sizeof(float);
    CHECK_CUDA(cudaMemcpy(p.a, p.host_a, bytes, cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(p.b, p.host_b, bytes, cudaMemcpyHostToDevice));
    add<<<common::blocks(p.n, threads), threads>>>(p.a, p.b, p.c, p.n);
    CHECK_CUDA(cudaMemcpy(p.host_c, p.c, bytes, cudaMemcpyDeviceToHost));
}
//! [memcpy]

//! [async]
// Elements first .. first + count, queued on one stream: in, add, out.
void queue_add(const Problem& p, std::size_t first, std::size_t count, cudaStream_t stream)
{
    const std::size_t bytes = count * sizeof(float);
    CHECK_CUDA(
        cudaMemcpyAsync(p.a + first, p.host_a + first, bytes, cudaMemcpyHostToDevice, stream));
    CHECK_CUDA(
        cudaMemcpyAsync(p.b + first, p.host_b + first, bytes, cudaMemcpyHostToDevice, stream));
    add<<<common::blocks(count, threads), threads, 0, stream>>>(p.a + first, p.b + first,
                                                                p.c + first, count);
    CHECK_CUDA(
        cudaMemcpyAsync(p.host_c + first, p.c + first, bytes, cudaMemcpyDeviceToHost, stream));
}
//! [async]

//! [pipeline]
// Chunks go round robin over the streams. While one chunk comes in, the one before it is added and
// the one before that goes out: the link carries both directions at once.
void add_pipeline(const Problem& p, const std::vector<common::Stream>& streams)
{
    constexpr std::size_t chunks = 32;
    const std::size_t chunk = (p.n + chunks - 1) / chunks;
    std::size_t turn = 0;
    for (std::size_t first = 0; first < p.n; first += chunk) {
        queue_add(p, first, std::min(chunk, p.n - first), streams[turn++ % streams.size()].get());
    }
    for (const common::Stream& stream : streams) {
        CHECK_CUDA(cudaStreamSynchronize(stream.get()));
    }
}
//! [pipeline]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv);
    for (common::MemoryKind memory : {common::MemoryKind::pageable, common::MemoryKind::pinned}) {
        Problem problem(chapter, memory);
        const char* kind = memory == common::MemoryKind::pinned ? "pinned" : "pageable";
        //! [rows]
        const auto row = [&](const char* name, unsigned streams, bool full) {
            return common::Variant{.name = name,
                                   .threads = threads,
                                   .columns = {{"memory", kind}, {"streams", streams}},
                                   .full_only = full};
        };
        chapter.run_transfer(row("memcpy", 1, memory == common::MemoryKind::pageable), problem,
                             [&](cudaStream_t) { add_memcpy(problem); });
        chapter.run_transfer(row("async_default_stream", 1, true), problem, [&](cudaStream_t) {
            queue_add(problem, 0, problem.n, nullptr);
            CHECK_CUDA(cudaDeviceSynchronize());
        });
        chapter.run_transfer(row("async_own_stream", 1, false), problem, [&](cudaStream_t stream) {
            queue_add(problem, 0, problem.n, stream);
            CHECK_CUDA(cudaStreamSynchronize(stream));
        });
        if (memory == common::MemoryKind::pageable) {
            continue; // a pageable copy cannot overlap: the driver stages it through its own buffer
        }
        for (unsigned count : {2u, 4u, 8u}) {
            std::vector<common::Stream> streams;
            common::Variant pipeline = row("pipeline", count, count != 4);
            pipeline.setup = [&] { streams = std::vector<common::Stream>(count); };
            chapter.run_transfer(pipeline, problem,
                                 [&](cudaStream_t) { add_pipeline(problem, streams); });
        }
        //! [rows]
    }
    return chapter.finish();
}
