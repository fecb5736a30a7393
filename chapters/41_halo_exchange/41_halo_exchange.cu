// 41_halo_exchange: Can computation hide inter-GPU transfers?
//
// A sum whose inputs lie on two devices (add.cuh), and a grid cut into slabs, one on each device.
// Each element of the grid needs the rows above and below it, so that every slab needs one row of
// either neighbour: its halo.

#include "add.cuh"
#include "smooth.cuh"

#include <algorithm>
#include <cmath>

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
    // Nearly square, with the same number of rows on each device.
    const auto columns = static_cast<std::size_t>(std::sqrt(static_cast<double>(n)));
    const std::size_t rows = std::max(n / columns / devices, std::size_t{1});
    const std::size_t own = rows * columns;
    Slabs p(table.chapter, team, devices, rows, columns);
    // Copies the neighbours' boundary rows to device k.
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
                  p, [&](cudaStream_t stream) { team.fork_join(devices, stream, queue); });
    };

    run("halo_first", [&](unsigned k, cudaStream_t stream) {
        fetch(k, stream);
        queue_smooth(p.a[k], p.c[k], 0, rows, columns, stream);
    });
    // Computes the rows that need no halo while the halo is in flight.
    run("halo_overlap", [&](unsigned k, cudaStream_t stream) {
        const cudaStream_t beside = team.side(k).stream;
        team.record(k, team.main(k));
        common::Team::wait(team.side(k), team.main(k));
        fetch(k, beside);
        queue_smooth(p.a[k], p.c[k], 0, 1, columns, beside);
        queue_smooth(p.a[k], p.c[k], rows - 1, rows > 1 ? 1 : 0, columns, beside);
        team.record(k, team.side(k));
        queue_smooth(p.a[k], p.c[k], 1, rows > 2 ? rows - 2 : 0, columns, stream);
        common::Team::wait(team.main(k), team.side(k));
    });
    // No copy: the boundary rows read the neighbours' memory.
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
                              .default_sizes = {1u << 28},
                              .bytes_per_element = 4 * sizeof(float)};
    for (std::size_t n : chapter.sizes(sizes)) {
        run_add(rows, n);
        run_halo(rows, n);
    }
    return chapter.finish();
}
