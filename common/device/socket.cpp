#include "common/device/socket.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace common {

namespace {

constexpr std::array<std::uint32_t, 2> frame_magic = {0x4d6f7669, 0x42797465};
constexpr std::size_t header_bytes = 4 * sizeof(std::uint32_t); // magic, kind, length

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Addresses addresses_of(const Endpoint& endpoint, int flags)
{
    addrinfo wanted{};
    wanted.ai_family = AF_UNSPEC;
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = flags | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    const std::string port = std::to_string(endpoint.port);
    if (const int error = ::getaddrinfo(endpoint.host.c_str(), port.c_str(), &wanted, &found);
        error != 0)
        throw std::runtime_error(fmt::format("'{}' is no address and no name of a host ({}).",
                                             endpoint.host, ::gai_strerror(error)));
    return {found, &::freeaddrinfo};
}

Socket socket_for(const addrinfo& address)
{
    return Socket(::socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC, 0));
}

/// What is said is short, and somebody waits for it; what nobody takes shall not hold the sender
/// up.
void set_up_connection(const Socket& socket)
{
    const int on = 1;
    const timeval patience{5, 0};
    static_cast<void>(::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on));
    static_cast<void>(
        ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience));
}

/// True once the descriptor is ready for `events`; false if it is not by then.
bool ready(int descriptor, short events, Deadline by)
{
    pollfd waiting{descriptor, events, 0};
    for (;;) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(by - std::chrono::steady_clock::now());
        const int found =
            ::poll(&waiting, 1, static_cast<int>(std::clamp<long>(left.count(), 0, 1000)));
        if (found > 0)
            return true;
        if (left.count() <= 0)
            return false;
    }
}

bool connects(const Socket& socket, const addrinfo& to, Deadline by)
{
    // Within a second, so that a host that is not up yet is asked again.
    const timeval patience{1, 0};
    static_cast<void>(
        ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience));
    return std::chrono::steady_clock::now() < by &&
           ::connect(socket.get(), to.ai_addr, to.ai_addrlen) == 0;
}

bool only_interrupted()
{
    return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK;
}

} // namespace

Deadline after_seconds(double seconds)
{
    return std::chrono::steady_clock::now() +
           std::chrono::duration_cast<std::chrono::steady_clock::duration>(
               std::chrono::duration<double>(seconds));
}

std::string Endpoint::text() const
{
    return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                               : fmt::format("[{}]:{}", host, port);
}

Socket::~Socket()
{
    if (descriptor_ >= 0)
        ::close(descriptor_);
}

Socket Socket::listening(const Endpoint& at)
{
    const Addresses found = addresses_of(at, AI_PASSIVE);
    int error = 0;
    for (const addrinfo* address = found.get(); address != nullptr; address = address->ai_next) {
        Socket socket = socket_for(*address);
        const int on = 1;
        // Connections of a run before, which have ended, do not keep the port.
        static_cast<void>(::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on));
        if (socket && ::bind(socket.get(), address->ai_addr, address->ai_addrlen) == 0 &&
            ::listen(socket.get(), SOMAXCONN) == 0)
            return socket;
        error = errno;
    }
    if (error == EADDRINUSE)
        throw std::runtime_error(
            fmt::format("Port {} of {} is in use, by another program or another "
                        "run of this one.",
                        at.port, at.host));
    if (error == EADDRNOTAVAIL)
        throw std::runtime_error(fmt::format("{} is no address of this host.", at.host));
    throw std::runtime_error(
        fmt::format("Nobody can listen at {}: {}.", at.text(), std::strerror(error)));
}

Socket Socket::connected(const Endpoint& to, Deadline by)
{
    const Addresses found = addresses_of(to, 0);
    for (const addrinfo* address = found.get(); address != nullptr; address = address->ai_next) {
        Socket socket = socket_for(*address);
        if (socket && connects(socket, *address, by)) {
            set_up_connection(socket);
            return socket;
        }
    }
    return {};
}

Socket Socket::accepted(Deadline by) const
{
    if (!ready(descriptor_, POLLIN, by))
        return {};
    Socket socket(::accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC));
    if (socket)
        set_up_connection(socket);
    return socket;
}

Endpoint Socket::endpoint() const
{
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    std::array<char, NI_MAXHOST> host{};
    std::array<char, NI_MAXSERV> port{};
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (::getsockname(descriptor_, any, &length) != 0 ||
        ::getnameinfo(any, length, host.data(), host.size(), port.data(), port.size(),
                      NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return {};
    return {host.data(), static_cast<std::uint16_t>(std::stoul(port.data()))};
}

bool Socket::send(const std::string& bytes) const
{
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t sent =
            ::send(descriptor_, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
        if (sent > 0)
            done += static_cast<std::size_t>(sent);
        else if (errno != EINTR)
            return false;
    }
    return true;
}

bool Socket::send_some(const char* bytes, std::size_t count, std::size_t& sent) const
{
    const ssize_t some = ::send(descriptor_, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (some < 0)
        return only_interrupted();
    sent += static_cast<std::size_t>(some);
    return true;
}

bool Socket::receive_some(char* bytes, std::size_t count, std::size_t& received) const
{
    const ssize_t some = ::recv(descriptor_, bytes, count, MSG_DONTWAIT);
    if (some < 0)
        return only_interrupted();
    received += static_cast<std::size_t>(some);
    return some > 0;
}

std::string Frame::packed() const
{
    const std::array<std::uint32_t, 4> header = {::htonl(frame_magic[0]), ::htonl(frame_magic[1]),
                                                 ::htonl(static_cast<std::uint32_t>(kind)),
                                                 ::htonl(static_cast<std::uint32_t>(bytes.size()))};
    std::string all(header_bytes, '\0');
    std::memcpy(all.data(), header.data(), header_bytes);
    return all + bytes;
}

bool FrameReader::read(const Socket& from, std::size_t most)
{
    std::array<char, 65536> chunk{};
    for (;;) {
        std::size_t received = 0;
        const bool open = from.receive_some(chunk.data(), chunk.size(), received);
        bytes_.append(chunk.data(), received);
        if (!unpack(most) || !open)
            return false;
        if (received == 0)
            return true;
    }
}

bool FrameReader::unpack(std::size_t most)
{
    while (bytes_.size() >= header_bytes) {
        std::array<std::uint32_t, 4> header{};
        std::memcpy(header.data(), bytes_.data(), header_bytes);
        const std::uint32_t kind = ::ntohl(header[2]);
        const std::size_t length = ::ntohl(header[3]);
        if (::ntohl(header[0]) != frame_magic[0] || ::ntohl(header[1]) != frame_magic[1] ||
            kind > static_cast<std::uint32_t>(FrameKind::farewell) || length > most)
            return false;
        if (bytes_.size() < header_bytes + length)
            return true;
        frames_.push_back({static_cast<FrameKind>(kind), bytes_.substr(header_bytes, length)});
        bytes_.erase(0, header_bytes + length);
    }
    return true;
}

} // namespace common
