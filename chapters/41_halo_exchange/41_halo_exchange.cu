// 41_halo_exchange: Can work hide what crosses the link between two GPUs?
//
// A sum whose inputs lie on two devices, and a grid cut into slabs, one on each device. Each
// element of the grid needs the rows above and below it, so that every slab needs one row of either
// neighbour: its halo.

#include "common/chapter.hpp"

#include <algorithm>
#include <cmath>

//! [add]
// The kernel of chapter 05. Here b lies on the other device, or a copy of it on this one.
__global__ void add(const float* a, const float* b, float* c, std::size_t n)
{
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t vectors = n / 4;
    if (i < vectors) {
        const float4 x = reinterpret_cast<const float4*>(a)[i];
        const float4 y = reinterpret_cast<const float4*>(b)[i];
        reinterpret_cast<float4*>(c)[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    } else if (i < vectors + n % 4) {
        const std::size_t k = 4 * vectors + (i - vectors);
        c[k] = a[k] + b[k];
    }
}
//! [add]

//! [add_rows]
void queue_add(const float* a, const float* b, float* c, std::size_t n, cudaStream_t stream)
{
    const unsigned threads = 512;
    add<<<common::blocks(n / 4 + n % 4, threads), threads, 0, stream>>>(a, b, c, n);
}

void run_add(common::SharedRows& rows, std::size_t n)
{
    common::Team& team = rows.team;
    common::Parts p(rows.chapter, team, "add across", n, n * sizeof(float), {{n, n}, {n, 0}},
                    [&p](unsigned, std::size_t first, std::size_t count, float* out) {
                        p.input(0, first, count, out);
                        p.add_input(1, first, count, out);
                    });
    common::Buffer<float> b; // a copy of device 1's input, on device 0
    const auto setup = [&] {
        team.peer_access(true);
        b = common::Buffer<float>(n);
    };
    const auto run = [&](const char* name, std::size_t chunks, const common::Launch& work) {
        rows.run({.name = name,
                  .threads = 512,
                  .columns = {{"access", "on"}, {"chunks", chunks}},
                  .setup = setup},
                 p, work);
    };

    run("add_peer", 1, [&](cudaStream_t stream) { queue_add(p.a[0], p.a[1], p.c[0], n, stream); });
    // While one chunk is added, the next is on its way.
    for (std::size_t chunks : {1u, 8u}) {
        run("add_copied", chunks, [&, chunks](cudaStream_t stream) {
            const std::size_t chunk = (n / chunks + 4) / 4 * 4;
            team.fork(1, stream);
            common::Team::wait(team.side(0), team.main(0));
            for (std::size_t first = 0; first < n; first += chunk) {
                const std::size_t count = std::min(chunk, n - first);
                CHECK_CUDA(cudaMemcpyPeerAsync(b.data() + first, team.device(0), p.a[1] + first,
                                               team.device(1), count * sizeof(float),
                                               team.side(0).stream));
                team.mark(0, team.side(0));
                common::Team::wait(team.main(0), team.side(0));
                queue_add(p.a[0] + first, b.data() + first, p.c[0] + first, count, stream);
            }
        });
    }
}
//! [add_rows]

//! [smooth]
// Each element of `rows` rows becomes the sum of itself and those above and below. The row above
// the first and the one below the last may lie anywhere, on another device too.
__global__ void smooth(const float* above, const float* a, const float* below, float* c,
                       std::size_t rows, std::size_t columns)
{
    const std::size_t x = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t y = blockIdx.y;
    if (x < columns) {
        const std::size_t i = y * columns + x;
        const float up = y == 0 ? above[x] : a[i - columns];
        const float down = y + 1 == rows ? below[x] : a[i + columns];
        c[i] = up + a[i] + down;
    }
}
//! [smooth]

// `rows` rows of a slab, from row `first` of it on. `slab` begins with the halo row above.
void queue_smooth(const float* slab, float* c, std::size_t first, std::size_t rows,
                  std::size_t columns, cudaStream_t stream)
{
    if (rows == 0)
        return;
    const float* a = slab + (first + 1) * columns;
    smooth<<<common::grid(columns, rows, 256, 1), 256, 0, stream>>>(
        a - columns, a, a + rows * columns, c + first * columns, rows, columns);
}

//! [halo_rows]
void run_halo(common::SharedRows& table, std::size_t n)
{
    common::Team& team = table.team;
    const unsigned devices = std::max(team.size(), 2u);
    // As square as may be, and as many rows on every device.
    const auto columns = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
    const std::size_t rows = std::max(n / columns / devices, std::size_t{1});
    const std::size_t own = rows * columns;
    common::Slabs p(table.chapter, team, devices, rows, columns);
    // The neighbours' rows come to device k.
    const auto fetch = [&](unsigned k, cudaStream_t stream) {
        CHECK_CUDA(cudaMemcpyPeerAsync(p.a[k], team.device(k), p.a[p.previous(k)] + own,
                                       team.device(p.previous(k)), columns * sizeof(float),
                                       stream));
        CHECK_CUDA(cudaMemcpyPeerAsync(p.a[k] + own + columns, team.device(k),
                                       p.a[p.next(k)] + columns, team.device(p.next(k)),
                                       columns * sizeof(float), stream));
    };
    const auto run = [&](const char* name, auto queue) {
        table.run({.name = name,
                   .threads = 256,
                   .columns = {{"access", "on"}, {"devices", devices}, {"columns", columns}}},
                  p, [&](cudaStream_t stream) { team.each(devices, stream, queue); });
    };

    run("halo_first", [&](unsigned k, cudaStream_t stream) {
        fetch(k, stream);
        queue_smooth(p.a[k], p.c[k], 0, rows, columns, stream);
    });
    // The rows that need no halo are computed while it comes.
    run("halo_overlap", [&](unsigned k, cudaStream_t stream) {
        const cudaStream_t beside = team.side(k).stream;
        team.mark(k, team.main(k));
        common::Team::wait(team.side(k), team.main(k));
        fetch(k, beside);
        queue_smooth(p.a[k], p.c[k], 0, 1, columns, beside);
        queue_smooth(p.a[k], p.c[k], rows - 1, rows > 1 ? 1 : 0, columns, beside);
        team.mark(k, team.side(k));
        queue_smooth(p.a[k], p.c[k], 1, rows > 2 ? rows - 2 : 0, columns, stream);
        common::Team::wait(team.main(k), team.side(k));
    });
    // No copy: the rows at the rim read the neighbours' memory.
    run("halo_peer", [&](unsigned k, cudaStream_t stream) {
        smooth<<<common::grid(columns, rows, 256, 1), 256, 0, stream>>>(
            p.a[p.previous(k)] + own, p.a[k] + columns, p.a[p.next(k)] + columns, p.c[k], rows,
            columns);
    });
}
//! [halo_rows]

int main(int argc, char** argv)
{
    common::Chapter chapter(argc, argv, 2);
    common::Team team(chapter.devices());
    common::SharedRows rows(chapter, team);
    const common::Sizes sizes{.gpu = {1u << 18, 1u << 23, 1u << 28},
                              .cpu = {1u << 20},
                              .usual = {1u << 28},
                              .bytes_per_element = 4 * sizeof(float)};
    for (std::size_t n : chapter.sizes(sizes)) {
        run_add(rows, n);
        run_halo(rows, n);
    }
    return chapter.finish();
}
