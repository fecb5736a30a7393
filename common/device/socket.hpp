/// \file
/// Connections between the processes of a program, on one host or several: TCP.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace common {

/// A moment until which somebody waits.
using Deadline = std::chrono::steady_clock::time_point;

/// `seconds` from now.
[[nodiscard]] Deadline after_seconds(double seconds);

/// Where a process listens.
struct Endpoint
{
    std::string host;       ///< a name, or an address in digits
    std::uint16_t port = 0; ///< 0: any that is free

    /// "127.0.0.1:29533", for a sentence.
    [[nodiscard]] std::string text() const;
};

/// Owns one end of a connection, or a place where others may connect; or nothing.
class Socket
{
  public:
    Socket() = default;
    /// Takes the descriptor over; a negative one is nothing.
    explicit Socket(int descriptor) : descriptor_(descriptor) {}
    /// Takes the end over; `other` has none afterwards.
    Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    /// Exchanges the ends.
    Socket& operator=(Socket&& other) noexcept
    {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    ~Socket();

    /// Listens there, which has to be an address of this host, and nowhere else. Throws
    /// std::runtime_error with a sentence: where the name is unknown, the address another host's,
    /// or the port in use.
    [[nodiscard]] static Socket listening(const Endpoint& at);
    /// Connects; nothing where nobody listens there, or nobody answers by then. Throws
    /// std::runtime_error where the name is unknown.
    [[nodiscard]] static Socket connected(const Endpoint& to, Deadline by);
    /// Somebody who has connected; nothing where nobody does by then.
    [[nodiscard]] Socket accepted(Deadline by) const;

    /// Whether it is one.
    [[nodiscard]] explicit operator bool() const { return descriptor_ >= 0; }
    /// For poll(); -1, which poll() passes over, where it is nothing.
    [[nodiscard]] int get() const { return descriptor_; }
    /// This end's address, in digits.
    [[nodiscard]] Endpoint endpoint() const;

    /// Sends all of it; false where the connection is broken, or takes nothing for five seconds.
    [[nodiscard]] bool send(const std::string& bytes) const;
    /// Sends as much as it takes at once. False where the connection is broken.
    [[nodiscard]] bool send_some(const char* bytes, std::size_t count, std::size_t& sent) const;
    /// Receives as much as has come. False where the other end is closed or the connection broken.
    [[nodiscard]] bool receive_some(char* bytes, std::size_t count, std::size_t& received) const;

  private:
    int descriptor_ = -1;
};

/// What a frame of the ranks' connections is.
enum class FrameKind : std::uint8_t
{
    hello,    ///< who connects, and for which program
    welcome,  ///< all have come
    refused,  ///< a sentence: why not
    data,     ///< what a rank says, or all of them
    beat,     ///< still there
    lost,     ///< a sentence: which rank is not
    farewell, ///< has finished
};

/// Bytes that belong together.
struct Frame
{
    FrameKind kind{};  ///< what they are
    std::string bytes; ///< none where the kind says it all

    /// As it travels: behind a header, by which strangers are told from ranks.
    [[nodiscard]] std::string packed() const;
};

/// Puts the frames of a connection together again.
class FrameReader
{
  public:
    /// The most that a frame may hold before it is known who sends it.
    static constexpr std::size_t of_a_stranger = 4096;

    /// Takes what has come over `from`, if anything has. False where the other end is closed, or
    /// sends what is no frame, or one of more than `most` bytes. Frames that came before that are
    /// there all the same.
    [[nodiscard]] bool read(const Socket& from, std::size_t most);
    /// The frames since the last call.
    [[nodiscard]] std::vector<Frame> take() { return std::exchange(frames_, {}); }

  private:
    [[nodiscard]] bool unpack(std::size_t most);

    std::string bytes_;
    std::vector<Frame> frames_;
};

} // namespace common
