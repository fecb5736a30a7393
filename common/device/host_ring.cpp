#include "common/device/host_ring.hpp"

#include "common/device/check.hpp"
#include "common/device/ranks.hpp"

#include <algorithm>
#include <poll.h>
#include <string>

namespace common {

namespace {

/// The ranks on either side.
unsigned rank_after()
{
    return (ranks().rank() + 1) % ranks().size();
}
unsigned rank_before()
{
    return (ranks().rank() + ranks().size() - 1) % ranks().size();
}

/// What a rank says to the next one, which knows it by this.
std::string greeting(unsigned rank)
{
    return "ring " + std::to_string(rank);
}

/// Whether the rank before has connected: a stranger does not say so by then.
bool is_rank_before(const Socket& somebody, Deadline by)
{
    FrameReader reader;
    for (bool open = true; open && std::chrono::steady_clock::now() < by;) {
        pollfd waiting{somebody.get(), POLLIN, 0};
        static_cast<void>(::poll(&waiting, 1, 100));
        open = reader.read(somebody, FrameReader::of_a_stranger);
        for (const Frame& frame : reader.take())
            if (frame.kind == FrameKind::hello && frame.bytes == greeting(rank_before()))
                return true;
    }
    return false;
}

} // namespace

//! [ring]
void HostRing::all_reduce(const std::vector<float*>& from, const std::vector<float*>& to,
                          std::size_t n, cudaStream_t stream)
{
    const unsigned own = ranks().rank();
    const unsigned size = ranks().size();
    if (n_ != n) {
        n_ = n;
        array_ = Buffer<float>(n, MemoryKind::pinned);
        came_ = Buffer<float>(n / size + 1, MemoryKind::pageable);
    }
    CHECK_CUDA(cudaMemcpyAsync(array_.data(), from[own], n * sizeof(float), cudaMemcpyDeviceToHost,
                               stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));
    connect();
    for (unsigned step = 0; step < 2 * (size - 1); ++step) {
        const Piece out = piece(own + 2 * size - step);
        const Piece in = piece(own + 2 * size - step - 1);
        if (step < size - 1) { // reduce-scatter: what comes is added, and goes on in the next step
            pass(out, {came_.data(), in.count});
            std::transform(in.first, in.first + in.count, came_.data(), in.first, std::plus<>());
        } else { // all-gather: what comes is a sum of all
            pass(out, in);
        }
    }
    CHECK_CUDA(
        cudaMemcpyAsync(to[own], array_.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream));
}

// One of as many pieces as there are ranks, counted around the ring.
HostRing::Piece HostRing::piece(unsigned number) const
{
    const unsigned size = ranks().size();
    const std::size_t k = number % size;
    const std::size_t first = n_ * k / size;
    return {array_.data() + first, n_ * (k + 1) / size - first};
}
//! [ring]

void HostRing::connect()
{
    if (next_)
        return;
    const double patience = ranks().patience();
    const Socket listener = Socket::listening({ranks().address(), 0});
    const Endpoint own = listener.endpoint();
    const std::vector<std::string> hosts = ranks().exchange("hosts of the ring", own.host);
    const std::vector<std::string> ports =
        ranks().exchange("ports of the ring", std::to_string(own.port));
    const unsigned after = rank_after();
    next_ = Socket::connected({hosts[after], static_cast<std::uint16_t>(std::stoul(ports[after]))},
                              after_seconds(patience));
    if (!next_ || !next_.send(Frame{FrameKind::hello, greeting(ranks().rank())}.packed()))
        ranks().lose(after);
    const Deadline deadline = after_seconds(patience);
    while (!previous_) {
        Socket somebody = listener.accepted(deadline);
        if (!somebody)
            ranks().lose(rank_before());
        if (is_rank_before(somebody, std::min(deadline, after_seconds(1))))
            previous_ = std::move(somebody);
    }
    static_cast<void>(ranks().exchange("the ring", {})); // what comes from here on is data
}

/// Sends one piece to the next rank while another comes from the one before: neither waits for the
/// other to take all of it first.
void HostRing::pass(Piece out, Piece in)
{
    const char* const from = reinterpret_cast<const char*>(out.first);
    char* const to = reinterpret_cast<char*>(in.first);
    const std::size_t out_bytes = out.count * sizeof(float);
    const std::size_t in_bytes = in.count * sizeof(float);
    std::size_t sent = 0;
    std::size_t received = 0;
    while (sent < out_bytes || received < in_bytes) {
        pollfd waiting[] = {{sent < out_bytes ? next_.get() : -1, POLLOUT, 0},
                            {received < in_bytes ? previous_.get() : -1, POLLIN, 0}};
        static_cast<void>(::poll(waiting, 2, 1000));
        if (waiting[0].revents != 0 && !next_.send_some(from + sent, out_bytes - sent, sent))
            ranks().lose(rank_after());
        if (waiting[1].revents != 0 &&
            !previous_.receive_some(to + received, in_bytes - received, received))
            ranks().lose(rank_before());
    }
    ranks().count_sent(out_bytes);
}

} // namespace common
