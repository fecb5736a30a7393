// An all-reduce in pieces: which device sends which piece, and when.
#pragma once

// From chapter 42: Sum, a launch of the kernel that sums several arrays and stores the result to
// several; Arrays, its pointers; and share(n, devices, k), the part of n elements that device k
// owns.
#include "../42_all_reduce/all_reduce.cuh"

#include <vector>

//! [places]
// A two-phase all-reduce in which no kernel reads across the link. Each device sends to every other
// device the part of its input that the other owns; the owner sums what it has received, and the
// sum is sent to all. The parts are split into pieces, so that while one is summed the next is in
// flight. Kernels send, or copy engines.
struct Posted
{
    common::Team& team;
    const common::Parts& p;
    unsigned pieces;
    bool copy_engines;
    std::vector<common::Buffer<float>> staging; // per device: received inputs

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

    [[nodiscard]] unsigned other(unsigned k, unsigned d) const { return (k + d) % team.size(); }
    // A piece of the part that device k owns.
    [[nodiscard]] Share piece_of(unsigned k, unsigned piece) const
    {
        const Share own = share(p.n, team.size(), k);
        const Share part = share(own.count, pieces, piece);
        return {own.first + part.first, part.count};
    }
    // Where device k receives that piece of the input of the d-th device after it.
    [[nodiscard]] float* staging_slot(unsigned k, unsigned d, unsigned piece) const
    {
        const std::size_t longest = share(p.n, team.size(), 0).count;
        const std::size_t from_first = piece_of(k, piece).first - share(p.n, team.size(), k).first;
        return staging[k].data() + (d - 1) * longest + from_first;
    }
    //! [places]

    //! [steps]
    void send(float* to, unsigned device, const float* from, unsigned k, std::size_t n) const
    {
        if (copy_engines) {
            CHECK_CUDA(cudaMemcpyPeerAsync(to, team.device(device), from, team.device(k),
                                           n * sizeof(float), team.side(k).stream));
        } else {
            usual_sum.queue({{from}, {to}, 1, 1}, n, team.side(k).stream);
        }
    }

    // Device k sends the other devices the parts of its input that they own.
    void send_inputs(unsigned k, unsigned piece) const
    {
        team.use(k);
        for (unsigned d = 1; d < team.size(); ++d) {
            const unsigned owner = other(k, d);
            const Share part = piece_of(owner, piece);
            send(staging_slot(owner, team.size() - d, piece), owner, p.a[k] + part.first, k,
                 part.count);
        }
        team.mark(k, team.side(k));
    }
    // Device k sums the part that it owns, once the others have sent theirs.
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
        team.mark(k, team.main(k));
    }
    // Device k sends its sums to the other devices.
    void send_sums(unsigned k, unsigned piece) const
    {
        team.use(k);
        const Share part = piece_of(k, piece);
        common::Team::wait(team.side(k), team.main(k)); // the piece is added
        for (unsigned d = 1; d < team.size(); ++d) {
            send(p.c[other(k, d)] + part.first, other(k, d), p.c[k] + part.first, k, part.count);
        }
    }
    //! [steps]

    //! [order]
    void queue(cudaStream_t first) const
    {
        team.fork(team.size(), first);
        team.meet(team.size());
        for (unsigned k = 0; k < team.size(); ++k) {
            team.mark(k, team.main(k));
            common::Team::wait(team.side(k), team.main(k));
        }
        // On the side streams: inputs 0, inputs 1, sums 0, inputs 2, sums 1 and so on.
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
            team.mark(k, team.side(k));
            common::Team::wait(team.main(k), team.side(k));
        }
        team.meet(team.size());
    }
    //! [order]
};
