// 40_peer_copy: What does moving data between GPUs cost?
//
// Bytes cross the link between two GPUs: copied by the runtime, read by kernels and written by
// kernels, one way and both ways, with and without peer access.

#include "chase.cuh"
#include "copy.cuh"

#include <string>

//! [latency_rows]
// Chases pointers from each device through its own memory and that of the others.
void run_chases(common::Chapter& chapter, common::Team& team, unsigned lines)
{
    const unsigned hops = 4096;
    for (const common::AccessPath& path : team.access_paths()) {
        Ring p(team, path.executor, path.memory_owner, lines, hops);
        common::Variant row = row_across(team, path);
        row.name = "chase";
        row.threads = 1u;
        row.model_excluded_reason = "the model has no latency of a load across a link";
        chapter.run(row, p, [&](cudaStream_t stream) {
            team.fork_join(path.executor + 1, stream, [&](unsigned device, cudaStream_t on) {
                if (device == path.executor) {
                    chase<<<1, 1, 0, on>>>(p.ring, p.c, hops);
                }
            });
        });
    }
}
//! [latency_rows]

//! [rows]
struct CopyKernel
{
    const char* reader; // name of the row if it runs on the output's device
    const char* writer; // and if it runs on the input's device
    void (*kernel)(const float*, float*, std::size_t);
    unsigned threads;
    unsigned loads;         // in flight per thread, of 16 bytes each
    std::size_t tile;       // bytes per block
    std::size_t shared = 0; // bytes per block
    common::Lazy<std::string> unavailable = std::string();
};

const CopyKernel kernels[] = {
    {"kernel_read", "kernel_write", copy<1>, 512, 1, 512 * sizeof(float4)},
    {"kernel_read", "kernel_write", copy<4>, 512, 4, 4 * 512 * sizeof(float4)},
    {"kernel_read_bulk", "kernel_write_bulk", copy_bulk, 32, 0, 16384, 16384,
     common::needs_compute_capability(9)},
};

// Copies the input of each device to the other device or, one way, that of device 0 to device 1.
void run_ways(common::SharedRows& rows, std::size_t n, unsigned ways)
{
    common::Team& team = rows.team;
    const std::size_t back = ways == 2 ? n : 0;
    common::Parts p(rows.chapter, team, "copy to a peer", n, ways * n * sizeof(float),
                    {{n, back}, {back, n}},
                    [&p](unsigned k, std::size_t first, std::size_t count, float* out) {
                        p.input(1 - k, first, count, out); // the other device's input
                    });
    const auto memcpy_peer = [&](cudaStream_t stream) {
        team.fork_join(2, stream, [&](unsigned k, cudaStream_t on) {
            if (k < ways) {
                CHECK_CUDA(cudaMemcpyPeerAsync(p.c[1 - k], team.device(1 - k), p.a[k],
                                               team.device(k), n * sizeof(float), on));
            }
        });
    };
    // Goes through the host, which takes part: timed on the host.
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
                .full_only = k.loads != 1};
            rows.run(row, p, [&](cudaStream_t stream) {
                team.fork_join(2, stream, [&](unsigned device, cudaStream_t on) {
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
        run_chases(chapter, team, static_cast<unsigned>(n & ~(n - 1))); // a power of two
    }
    const common::Sizes sizes{.gpu = {1u << 18, 1u << 23, 1u << 28},
                              .cpu = {1u << 20},
                              .default_sizes = {1u << 28},
                              .bytes_per_element = 4 * sizeof(float)};
    for (std::size_t n : chapter.sizes(sizes)) {
        run_ways(shared, n, 1);
        run_ways(shared, n, 2);
    }
    return chapter.finish();
}
