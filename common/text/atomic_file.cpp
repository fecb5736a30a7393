#include "common/text/atomic_file.hpp"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace common {

namespace {

/// The name that a signal handler must remove. It can be neither a std::string nor guarded by a
/// lock there; the flag is set after the name is complete.
std::array<char, PATH_MAX> temporary_name{};
std::atomic<bool> temporary_exists{false};

[[noreturn]] void fail(const std::string& path, int error)
{
    throw FileError(fmt::format("Cannot write {}: {}. Name a file in a directory that exists "
                                "and that you may write to.",
                                path, std::strerror(error)));
}

/// The file behind symbolic links, so that a rename does not replace the link itself.
std::string resolve(const std::string& path)
{
    char* resolved = ::realpath(path.c_str(), nullptr);
    if (resolved == nullptr)
        return path;
    std::string result = resolved;
    std::free(resolved);
    return result;
}

bool replaceable(const std::string& path)
{
    struct stat status
    {};
    if (::stat(path.c_str(), &status) != 0)
        return true; // nothing there yet
    if (S_ISDIR(status.st_mode))
        fail(path, EISDIR);
    return S_ISREG(status.st_mode);
}

void write_all(int file, std::string_view content, const std::string& path)
{
    while (!content.empty()) {
        const ssize_t written = ::write(file, content.data(), content.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            fail(path, errno);
        content.remove_prefix(static_cast<std::size_t>(written));
    }
}

/// While one lives, a file that grows past `ulimit -f` is an error of the write and no signal.
class NoSizeSignal
{
  public:
    NoSizeSignal()
    {
        struct sigaction ignore = {};
        ignore.sa_handler = SIG_IGN;
        ::sigaction(SIGXFSZ, &ignore, &before_);
    }
    NoSizeSignal(const NoSizeSignal&) = delete;
    NoSizeSignal& operator=(const NoSizeSignal&) = delete;
    ~NoSizeSignal() { ::sigaction(SIGXFSZ, &before_, nullptr); }

  private:
    struct sigaction before_ = {};
};

/// A new file next to `target` that is removed again unless it takes the target's place.
class TemporaryFile
{
  public:
    TemporaryFile(const std::string& path, const std::string& target)
        : path_(path), target_(target), name_(fmt::format("{}{}", target, name_end))
    {
        if (path.empty() || name_.size() >= temporary_name.size())
            fail(path, path.empty() ? ENOENT : ENAMETOOLONG);
        do {
            choose_name();
            // Not what is there already, a link least of all: whoever guessed the name may have
            // put it there. mkstemp() would leave the file to its owner alone.
            file_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
            if (file_ < 0) {
                const int error = errno;
                temporary_exists = false;
                if (error != EEXIST)
                    fail(path, error);
            }
        } while (file_ < 0);
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile()
    {
        if (file_ >= 0)
            ::close(file_);
        remove_temporary_file();
    }

    void write(std::string_view content)
    {
        const NoSizeSignal no_signal;
        write_all(file_, content, path_);
    }

    void take_place()
    {
        // Some file systems report a full disk only here.
        if (::close(std::exchange(file_, -1)) != 0)
            fail(path_, errno);
        if (::rename(name_.c_str(), target_.c_str()) != 0)
            fail(path_, errno);
        temporary_exists = false;
    }

  private:
    static constexpr std::string_view name_end = ".XXXXXXXX.tmp";

    void choose_name()
    {
        static std::random_device random;
        name_.replace(name_.size() - name_end.size(), name_end.size(),
                      fmt::format(".{:08x}.tmp", random()));
        name_.copy(temporary_name.data(), name_.size());
        temporary_name[name_.size()] = '\0';
        temporary_exists = true;
    }

    std::string path_;
    std::string target_;
    std::string name_;
    int file_ = -1;
};

/// Opens what is not a regular file.
int open_directly(const std::string& path)
{
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0)
        fail(path, errno);
    return file;
}

} // namespace

void remove_temporary_file() noexcept
{
    if (temporary_exists.exchange(false))
        ::unlink(temporary_name.data());
}

void require_writable(const std::string& path)
{
    const std::string target = resolve(path);
    if (replaceable(target))
        const TemporaryFile file(path, target);
    else if (::access(target.c_str(), W_OK) != 0)
        fail(path, errno);
}

void write_atomically(const std::string& path, std::string_view content)
{
    const std::string target = resolve(path);
    if (replaceable(target)) {
        TemporaryFile file(path, target);
        file.write(content);
        file.take_place();
        return;
    }
    const int file = open_directly(target);
    try {
        write_all(file, content, path);
    } catch (...) {
        ::close(file);
        throw;
    }
    ::close(file);
}

} // namespace common
