// 40_peer_copy: What does it cost to move bytes from GPU to GPU?
//
// A second GPU has a memory of its own, and a link joins the two. Here bytes cross that link:
// copied by the runtime, read and written by kernels, one way and both ways, with peer access and
// without.

#include "common/chapter.hpp"

#include <string>

//! [walk]
// A ring of cache lines, each naming the next; and a walk along it, in which nothing overlaps.
struct alignas(128) Stop
{
    unsigned next;
};

__global__ void walk(const Stop* ring, unsigned* c, unsigned hops)
{
    unsigned at = 0;
    for (unsigned hop = 0; hop < hops; ++hop) {
        at = ring[at].next;
    }
    *c = at;
}
//! [walk]

//! [latency_rows]
// A walk from each device through the memory of the others, and one through its own.
void run_walks(common::Chapter& chapter, common::Team& team, unsigned stops)
{
    const unsigned hops = 4096;
    for (const common::Way& way : team.ways()) {
        common::Ring p(team, way.runs_on, way.memory_of, stops, hops);
        common::Variant row = common::row_across(team, way);
        row.name = "walk";
        row.threads = 1u;
        row.unmodelled = "the model has no latency of a load across a link";
        chapter.run(row, p, [&](cudaStream_t stream) {
            team.each(way.runs_on + 1, stream, [&](unsigned device, cudaStream_t on) {
                if (device == way.runs_on) {
                    walk<<<1, 1, 0, on>>>(reinterpret_cast<const Stop*>(p.ring), p.c, hops);
                }
            });
        });
    }
}
//! [latency_rows]

//! [copy]
// The copy of chapter 06, 16 bytes a load, `loads` of them on their way. Nothing in it knows where
// its arrays are: run it where the output is, and it reads the other GPU's memory; run it where the
// input is, and it writes there.
template<unsigned loads>
__global__ void copy(const float* a, float* c, std::size_t n)
{
    const float4* from = reinterpret_cast<const float4*>(a);
    float4* to = reinterpret_cast<float4*>(c);
    const std::size_t vectors = n / 4;
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * loads + threadIdx.x;
    float4 x[loads] = {};
    for (unsigned k = 0; k < loads; ++k) {
        if (const std::size_t i = first + k * blockDim.x; i < vectors) {
            x[k] = from[i];
        }
    }
    for (unsigned k = 0; k < loads; ++k) {
        if (const std::size_t i = first + k * blockDim.x; i < vectors) {
            to[i] = x[k];
        }
    }
    if (const std::size_t i = 4 * vectors + first; i < n) {
        c[i] = a[i];
    }
}
//! [copy]

#ifdef __CUDACC__ // the CPU device has no bulk copy engine: its rows say "GPU only"
#include <cuda/ptx>

//! [bulk]
namespace ptx = cuda::ptx;

// The bulk copy engine of chapter 26 in both directions: one thread orders a tile, waits for it,
// and sends it on. The block's other threads would have nothing to do.
__global__ void copy_bulk(const float* a, float* c, std::size_t n)
{
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) float4 tile[];
    __shared__ std::uint64_t barrier;
    constexpr unsigned length = 1024; // float4s: 16 KiB
    const std::size_t vectors = n / 4;
    const std::size_t start = std::size_t{blockIdx.x} * length;
    if (threadIdx.x == 0 && start < vectors) {
        const std::size_t left = vectors - start;
        const auto bytes = static_cast<unsigned>((left < length ? left : length) * sizeof(float4));
        ptx::mbarrier_init(&barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                       &barrier, bytes);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile,
                           reinterpret_cast<const float4*>(a) + start, bytes, &barrier);
        while (!ptx::mbarrier_try_wait_parity(&barrier, 0)) {
        }
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared,
                           reinterpret_cast<float4*>(c) + start, tile, bytes);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{}); // shared memory outlives what reads it
    }
    if (const std::size_t i = 4 * vectors + threadIdx.x; blockIdx.x == 0 && i < n) {
        c[i] = a[i];
    }
#endif
}
//! [bulk]
#else
__global__ void copy_bulk(const float*, float*, std::size_t) {}
#endif

//! [rows]
struct CopyKernel
{
    const char* reader; // the row where it runs on the output's device
    const char* writer; // and on the input's
    void (*kernel)(const float*, float*, std::size_t);
    unsigned threads;
    unsigned loads;         // of 16 bytes, that a thread has on their way
    std::size_t tile;       // bytes of a block
    std::size_t shared = 0; // bytes of a block
    common::Lazy<std::string> unavailable = std::string();
};

const CopyKernel kernels[] = {
    {"kernel_read", "kernel_write", copy<1>, 512, 1, 512 * sizeof(float4)},
    {"kernel_read", "kernel_write", copy<4>, 512, 4, 4 * 512 * sizeof(float4)},
    {"kernel_read_bulk", "kernel_write_bulk", copy_bulk, 32, 0, 16384, 16384,
     common::needs_compute_capability(9)},
};

// The input of each device goes to the other one; or, one way, that of device 0 to device 1.
void run_ways(common::SharedRows& rows, std::size_t n, unsigned ways)
{
    common::Team& team = rows.team;
    common::PeerCopy p(rows.chapter, team, n, ways);
    const auto memcpy_peer = [&](cudaStream_t stream) {
        team.each(2, stream, [&](unsigned k, cudaStream_t on) {
            if (k < ways) {
                CHECK_CUDA(cudaMemcpyPeerAsync(p.c[1 - k], team.device(1 - k), p.a[k],
                                               team.device(k), n * sizeof(float), on));
            }
        });
    };
    // By way of the host, which has to take part: timed there.
    rows.run_transfer({.name = "memcpy_peer",
                       .columns = {{"access", "off"}, {"ways", ways}},
                       .setup = [&] { team.peer_access(false); }},
                      p, memcpy_peer);
    rows.run({.name = "memcpy_peer", .columns = {{"access", "on"}, {"ways", ways}}}, p,
             memcpy_peer);

    for (const CopyKernel& k : kernels) {
        const unsigned blocks = common::blocks(n * sizeof(float), k.tile);
        for (bool read : {true, false}) {
            const common::Variant row{
                .name = read ? k.reader : k.writer,
                .threads = k.threads,
                .columns = {{"access", "on"}, {"ways", ways}, {"loads", k.loads}},
                .unavailable = k.unavailable,
                .full = k.loads != 1};
            rows.run(row, p, [&](cudaStream_t stream) {
                team.each(2, stream, [&](unsigned device, cudaStream_t on) {
                    const unsigned from = read ? 1 - device : device;
                    if (from < ways) {
                        k.kernel<<<blocks, k.threads, k.shared, on>>>(p.a[from], p.c[1 - from], n);
                    }
                });
            });
        }
    }
}
//! [rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv, 2);
    common::Team team(chapter.devices());
    common::SharedRows shared(chapter, team);
    for (std::size_t n : chapter.sizes({.gpu = {1u << 21}, .cpu = {1u << 12}})) {
        run_walks(chapter, team, static_cast<unsigned>(n & ~(n - 1))); // a power of two
    }
    const common::Sizes sizes{.gpu = {1u << 18, 1u << 23, 1u << 28},
                              .cpu = {1u << 20},
                              .usual = {1u << 28},
                              .bytes_per_element = 4 * sizeof(float)};
    for (std::size_t n : chapter.sizes(sizes)) {
        run_ways(shared, n, 1);
        run_ways(shared, n, 2);
    }
    return chapter.finish();
}
