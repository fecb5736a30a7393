// A results file is there whole or not at all.
#include "common/text/atomic_file.hpp"
#include "tests/catch.hpp"
#include "tests/folder.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace common;
namespace fs = std::filesystem;

namespace {

std::string refusal(const std::string& path)
{
    try {
        require_writable(path);
    } catch (const FileError& error) {
        return error.what();
    }
    return "accepted";
}

} // namespace

TEST_CASE("a file is replaced, and nothing is left next to it")
{
    const Folder folder;
    const std::string path = folder.file("results.json");
    write_atomically(path, "first");
    CHECK(read(path) == "first");
    write_atomically(path, "second");
    CHECK(read(path) == "second");
    CHECK(folder.entries() == 1);
}

TEST_CASE("asking whether a file can be written changes nothing")
{
    const Folder folder;
    const std::string path = folder.file("results.json");
    CHECK(refusal(path) == "accepted");
    CHECK(folder.entries() == 0);
    write_atomically(path, "old");
    CHECK(refusal(path) == "accepted");
    CHECK(read(path) == "old");
    CHECK(folder.entries() == 1);
}

TEST_CASE("a path that cannot be written is refused with its name and the reason")
{
    const Folder folder;
    const std::string nowhere = folder.file("no/such/directory/x.json");
    CHECK(refusal(nowhere).find("Cannot write " + nowhere + ": No such file or directory") == 0);
    CHECK(refusal(folder.file("")).find("Is a directory") != std::string::npos);
    CHECK(refusal("").find("Cannot write") == 0);
    CHECK(refusal(folder.file(std::string(300, 'x'))).find("too long") != std::string::npos);
    // Not even root may create a file there.
    CHECK(refusal("/proc/results.json").find("Cannot write /proc/results.json") == 0);
    CHECK(folder.entries() == 0);
}

TEST_CASE("a write that fails leaves the old file and no temporary one")
{
    const Folder folder;
    const std::string path = folder.file("results.json");
    write_atomically(path, "old");

    // A file may have 4096 bytes from here on: the disk is full, as far as the writer can tell.
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    rlimit small = before;
    small.rlim_cur = 4096;
    ::setrlimit(RLIMIT_FSIZE, &small);
    CHECK_THROWS_AS(write_atomically(path, std::string(100'000, 'x')), FileError);
    ::setrlimit(RLIMIT_FSIZE, &before);

    CHECK(read(path) == "old");
    CHECK(folder.entries() == 1);
}

TEST_CASE("a symbolic link stays one: the file behind it is replaced")
{
    const Folder folder;
    const std::string target = folder.file("target.json");
    const std::string link = folder.file("link.json");
    write_atomically(target, "old");
    fs::create_symlink(target, link);
    write_atomically(link, "new");
    CHECK(fs::is_symlink(link));
    CHECK(read(target) == "new");
}

TEST_CASE("a link that somebody put where the temporary file may be is not followed")
{
    const Folder folder;
    const std::string path = folder.file("results.json");
    const std::string other = folder.file("other");
    write_atomically(other, "precious");
    const std::string guess = path + "." + std::to_string(::getpid()) + ".tmp";
    fs::create_symlink(other, guess);
    for (int i = 0; i < 3; ++i)
        write_atomically(path, "new");
    CHECK(read(path) == "new");
    CHECK(read(other) == "precious");
    CHECK(fs::is_symlink(guess));
    CHECK(folder.entries() == 3);
}

TEST_CASE("a new file is for whom umask says")
{
    const Folder folder;
    const std::string path = folder.file("results.json");
    const mode_t before = ::umask(0027);
    write_atomically(path, "new");
    ::umask(before);
    CHECK(fs::status(path).permissions() == fs::perms(0640));
}

TEST_CASE("a device is written to, not replaced")
{
    struct stat before = {};
    struct stat after = {};
    REQUIRE(::stat("/dev/null", &before) == 0);
    require_writable("/dev/null");
    write_atomically("/dev/null", "gone");
    REQUIRE(::stat("/dev/null", &after) == 0);
    CHECK(fs::is_character_file("/dev/null"));
    CHECK(after.st_ino == before.st_ino);
    CHECK(after.st_mode == before.st_mode);

    const Folder folder;
    const std::string pipe = folder.file("pipe");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const int end = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    write_atomically(pipe, "content");
    char read_back[8] = {};
    CHECK(::read(end, read_back, sizeof read_back) == 7);
    CHECK(read_back == std::string("content"));
    ::close(end);
    CHECK(fs::is_fifo(pipe));
    CHECK(folder.entries() == 1);
}
