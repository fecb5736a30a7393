// An all-reduce in pieces: which device sends which piece, on which stream.
#pragma once

// From chapter 42: Arrays{in, out, inputs, outputs}, pointers to arrays on any device;
// usual_sum.queue(arrays, n, stream), which launches the kernel that sums the inputs and stores the
// sums to all outputs; and share(n, devices, k), the part of n elements that device k owns.
#include "../42_all_reduce/all_reduce.cuh"

#include <vector>

//! [places]
// A two-phase all-reduce in which no kernel reads over the link. Each device sends to every other
// device the part of its input that the other owns. The owner sums its part of all inputs and sends
// the sums to all. Each part is split into pieces: while one piece is summed, the next is in
// flight.
struct Posted
{
    common::Team& team;
    const common::Parts& p; // device k has the input p.a[k] and the output p.c[k]
    unsigned pieces;
    bool copy_engines;                          // whether copy engines send, or kernels
    std::vector<common::Buffer<float>> staging; // per device: the inputs that it has received

    void allocate_staging()
    {
        team.peer_access(true);
        staging.clear();
        for (unsigned k = 0; k < team.size(); ++k) {
            team.use(k);
            staging.emplace_back((team.size() - 1) * share(p.n, team.size(), 0).count);
        }
        team.use(0);
    }

    // Returns the d-th device after device k.
    [[nodiscard]] unsigned other(unsigned k, unsigned d) const { return (k + d) % team.size(); }
    // Returns a piece of the part that device k owns.
    [[nodiscard]] Share piece_of(unsigned k, unsigned piece) const
    {
        const Share own = share(p.n, team.size(), k);
        const Share part = share(own.count, pieces, piece);
        return {own.first + part.first, part.count};
    }
    // Returns where device k receives a piece of the input of the d-th device after it.
    [[nodiscard]] float* staging_slot(unsigned k, unsigned d, unsigned piece) const
    {
        const std::size_t longest = share(p.n, team.size(), 0).count;
        const std::size_t from_first = piece_of(k, piece).first - share(p.n, team.size(), k).first;
        return staging[k].data() + (d - 1) * longest + from_first;
    }
    //! [places]

    //! [steps]
    // Queues a copy of n floats from device k to another device, on the side stream of device k.
    void send(float* to, unsigned device, const float* from, unsigned k, std::size_t n) const
    {
        if (copy_engines) {
            CHECK_CUDA(cudaMemcpyPeerAsync(to, team.device(device), from, team.device(k),
                                           n * sizeof(float), team.side(k).stream));
        } else {
            usual_sum.queue({{from}, {to}, 1, 1}, n, team.side(k).stream);
        }
    }

    // Device k sends each other device a piece of the part of its input that the other owns.
    void send_inputs(unsigned k, unsigned piece) const
    {
        team.use(k);
        for (unsigned d = 1; d < team.size(); ++d) {
            const unsigned owner = other(k, d);
            const Share part = piece_of(owner, piece);
            send(staging_slot(owner, team.size() - d, piece), owner, p.a[k] + part.first, k,
                 part.count);
        }
        team.record(k, team.side(k));
    }
    // Device k sums a piece of the part that it owns, after the other devices have sent theirs.
    void add(unsigned k, unsigned piece) const
    {
        team.use(k);
        const Share part = piece_of(k, piece);
        Arrays arrays{{p.a[k] + part.first},
                      {p.c[k] + part.first},
                      team.size(),
                      copy_engines ? 1 : team.size()};
        for (unsigned d = 1; d < team.size(); ++d) {
            common::Team::wait(team.main(k), team.side(other(k, d)));
            arrays.in[d] = staging_slot(k, d, piece);
            arrays.out[d] = p.c[other(k, d)] + part.first;
        }
        usual_sum.queue(arrays, part.count, team.main(k).stream);
        team.record(k, team.main(k));
    }
    // Device k sends the sums of a piece to the other devices.
    void send_sums(unsigned k, unsigned piece) const
    {
        team.use(k);
        const Share part = piece_of(k, piece);
        common::Team::wait(team.side(k), team.main(k)); // until the piece is summed
        for (unsigned d = 1; d < team.size(); ++d) {
            send(p.c[other(k, d)] + part.first, other(k, d), p.c[k] + part.first, k, part.count);
        }
    }
    //! [steps]

    //! [order]
    // Queues the whole all-reduce: `first`, a stream of device 0, waits for its end.
    void queue(cudaStream_t first) const
    {
        team.fork(team.size(), first);
        team.barrier(team.size());
        for (unsigned k = 0; k < team.size(); ++k) {
            team.record(k, team.main(k));
            common::Team::wait(team.side(k), team.main(k));
        }
        // Order on each side stream: inputs 0, inputs 1, sums 0, inputs 2, sums 1 and so on.
        for (unsigned piece = 0; piece <= pieces; ++piece) {
            for (unsigned k = 0; k < team.size() && piece < pieces; ++k) {
                send_inputs(k, piece);
            }
            for (unsigned k = 0; k < team.size() && piece > 0 && copy_engines; ++k) {
                send_sums(k, piece - 1);
            }
            for (unsigned k = 0; k < team.size() && piece < pieces; ++k) {
                add(k, piece);
            }
        }
        for (unsigned k = 0; k < team.size(); ++k) {
            team.record(k, team.side(k));
            common::Team::wait(team.main(k), team.side(k));
        }
        team.barrier(team.size());
    }
    //! [order]
};
