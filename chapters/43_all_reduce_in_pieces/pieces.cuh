// Who sends which piece to whom, and when: chapter 42's kernel adds up.
#pragma once

#include "../42_all_reduce/all_reduce.cuh"

#include <vector>

//! [places]
// The two phases apart, in which nobody reads across the link. Each device sends every other one
// the part that this owns; the owner adds up what has come, and the sum is sent to all. In pieces,
// so that while one is added the next is in flight. Kernels do the sending, or copy engines.
struct Posted
{
    common::Team& team;
    const common::Parts& p;
    unsigned pieces;
    bool engines;
    std::vector<common::Buffer<float>> room; // on each device, for a share of every other's input

    void make_room()
    {
        team.peer_access(true);
        room.clear();
        for (unsigned k = 0; k < team.size(); ++k) {
            team.use(k);
            room.emplace_back((team.size() - 1) * share(p.n, team.size(), 0).count);
        }
        team.use(0);
    }

    [[nodiscard]] unsigned other(unsigned k, unsigned d) const { return (k + d) % team.size(); }
    // A piece of what device k owns.
    [[nodiscard]] Share piece_of(unsigned k, unsigned piece) const
    {
        const Share own = share(p.n, team.size(), k);
        const Share part = share(own.count, pieces, piece);
        return {own.first + part.first, part.count};
    }
    // Where device k keeps that piece of the input of the d-th device after it.
    [[nodiscard]] float* kept(unsigned k, unsigned d, unsigned piece) const
    {
        const std::size_t longest = share(p.n, team.size(), 0).count;
        const std::size_t from_first = piece_of(k, piece).first - share(p.n, team.size(), k).first;
        return room[k].data() + (d - 1) * longest + from_first;
    }
    //! [places]

    //! [steps]
    void send(float* to, unsigned device, const float* from, unsigned k, std::size_t n) const
    {
        if (engines) {
            CHECK_CUDA(cudaMemcpyPeerAsync(to, team.device(device), from, team.device(k),
                                           n * sizeof(float), team.side(k).stream));
        } else {
            usual_sum.queue({{from}, {to}, 1, 1}, n, team.side(k).stream);
        }
    }

    // Device k sends the others what of its input is theirs.
    void send_inputs(unsigned k, unsigned piece) const
    {
        team.use(k);
        for (unsigned d = 1; d < team.size(); ++d) {
            const unsigned owner = other(k, d);
            const Share part = piece_of(owner, piece);
            send(kept(owner, team.size() - d, piece), owner, p.a[k] + part.first, k, part.count);
        }
        team.mark(k, team.side(k));
    }
    // Device k adds what it owns, when the others have sent theirs.
    void add(unsigned k, unsigned piece) const
    {
        team.use(k);
        const Share part = piece_of(k, piece);
        Arrays arrays{
            {p.a[k] + part.first}, {p.c[k] + part.first}, team.size(), engines ? 1 : team.size()};
        for (unsigned d = 1; d < team.size(); ++d) {
            common::Team::wait(team.main(k), team.side(other(k, d)));
            arrays.in[d] = kept(k, d, piece);
            arrays.out[d] = p.c[other(k, d)] + part.first;
        }
        usual_sum.queue(arrays, part.count, team.main(k).stream);
        team.mark(k, team.main(k));
    }
    // Device k sends the others the sums that it has.
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
            for (unsigned k = 0; k < team.size() && piece > 0 && engines; ++k) {
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
