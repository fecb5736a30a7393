#include "own_program/process.hpp"

#include "tests/catch.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

namespace fs = std::filesystem;
using namespace own_program;

namespace {

/// A new folder; its removal is what is tested.
fs::path new_folder()
{
    std::string name = fs::temp_directory_path() / "process XXXXXX";
    return mkdtemp(name.data());
}

} // namespace

TEST_CASE("a command's status is told, and all that it says is kept")
{
    const fs::path folder = new_folder(), said = folder / "said";
    CHECK(run({"sh", "-c", "echo one; echo two >&2; exit 3"}, said) == 3);
    CHECK(read_file(said) == "one\ntwo\n");
    CHECK(run({"/no such/program"}, said) == 127);
    fs::remove_all(folder);
}

TEST_CASE("tasks run side by side, and all have to be fine")
{
    const auto fine = [] { return true; };
    CHECK(run_at_once({fine, fine, fine, fine, fine}));
    CHECK_FALSE(run_at_once({fine, [] { return false; }, fine}));
}

TEST_CASE("a folder for work is gone when the work is done")
{
    const fs::path parent = new_folder();
    CHECK(run_with_folder(parent, [](const fs::path& folder) {
              return fs::is_directory(folder) && mkdir((folder / "x").c_str(), 0700) == 0 ? 5 : 0;
          }) == 5);
    CHECK(run_with_folder(parent, [](const fs::path&) -> int { throw std::runtime_error("x"); }) ==
          2);
    CHECK(fs::is_empty(parent));
    fs::remove_all(parent);
}

TEST_CASE("whoever waits for work is told that it goes on, and nothing when it is done")
{
    const fs::path parent = new_folder(), said = parent / "said";
    const pid_t process = fork();
    if (process == 0) {
        const std::FILE* const messages = std::freopen(said.c_str(), "w", stderr);
        const auto work = [&](const fs::path&) {
            while (fs::file_size(said) < 12)
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
            return 7;
        };
        int status = 0;
        {
            const StillAtWork still("still", 1);
            status = run_with_folder(parent, work);
        }
        const auto size = fs::file_size(said);
        std::this_thread::sleep_for(std::chrono::milliseconds(1200)); // the next would be due
        _exit(messages != nullptr && fs::file_size(said) == size ? status : 1);
    }
    int status = 0;
    waitpid(process, &status, 0);
    CHECK(WEXITSTATUS(status) == 7);
    CHECK(read_file(said).rfind("still\nstill\n", 0) == 0);
    fs::remove_all(parent);
}

TEST_CASE("a signal ends the work and what it has started, and the folder is gone, too")
{
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
        const fs::path parent = new_folder();
        const pid_t process = fork();
        if (process == 0)
            _exit(run_with_folder(parent, [](const fs::path& folder) {
                return run({"sleep", "600"}, folder / "said");
            }));
        while (fs::is_empty(parent) || !fs::exists(fs::directory_iterator(parent)->path() / "said"))
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        kill(process, signal);
        int waited = 0;
        waitpid(process, &waited, 0);
        CHECK(WEXITSTATUS(waited) == 128 + signal);
        CHECK(fs::is_empty(parent));
        fs::remove_all(parent);
    }
}
