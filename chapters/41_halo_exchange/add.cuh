// A vector addition whose inputs are on two devices.
#pragma once

#include "common/chapter.hpp"

#include <algorithm>

//! [add]
// The kernel of chapter 05. b is on the other device, or is a copy on this device.
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
inline void queue_add(const float* a, const float* b, float* c, std::size_t n, cudaStream_t stream)
{
    const unsigned threads = 512;
    add<<<common::blocks(n / 4 + n % 4, threads), threads, 0, stream>>>(a, b, c, n);
}

inline void run_add(common::SharedRows& rows, std::size_t n)
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
    // While one chunk is added, the next is in flight.
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
                team.record(0, team.side(0));
                common::Team::wait(team.main(0), team.side(0));
                queue_add(p.a[0] + first, b.data() + first, p.c[0] + first, count, stream);
            }
        });
    }
}
//! [add_rows]
