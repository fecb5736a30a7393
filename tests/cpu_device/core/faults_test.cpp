#include "tests/catch.hpp"

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace {

struct Outcome
{
    int status = -1;
    std::string text; ///< standard output and error, in the order written
};

/// Runs `faulty` with the fault it is to commit.
Outcome commit(const std::string& fault)
{
    Outcome outcome;
    FILE* const pipe = popen(("'" FAULTY "' '" + fault + "' 2>&1").c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::array<char, 512> line{};
    while (std::fgets(line.data(), line.size(), pipe) != nullptr)
        outcome.text += line.data();
    const int status = pclose(pipe);
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return outcome;
}

void check_says(const Outcome& outcome, const std::string& part)
{
    INFO(outcome.text);
    INFO("must contain: " << part);
    CHECK(outcome.text.find(part) != std::string::npos);
}

void check_fault(const std::string& fault, const std::string& whereabouts, const std::string& what)
{
    INFO(fault);
    const Outcome outcome = commit(fault);
    CHECK(outcome.status == 6);
    CHECK(outcome.text.find("before the fault\n") == 0);
    check_says(outcome, whereabouts);
    check_says(outcome, what);
}

} // namespace

TEST_CASE("an access past an allocation is told to the byte")
{
    // Thread 1000 of 1024 is the first past 1000 floats: thread 232 of the fourth block.
    check_fault("write past the end",
                "kernel write_float (launched at faulty.cu:", "writes 4 bytes at 0x");
    check_fault("write past the end", "block (3, 0, 0), thread (232, 0, 0): ",
                ", just past the end of allocation 1 (4000 bytes).");
    check_fault("read past the end", "block (3, 0, 0), thread (232, 0, 0): reads 4 bytes",
                ", just past the end of allocation 2 (4000 bytes).");
    check_fault("write one byte past the end",
                "block (0, 0, 0), thread (0, 0, 0): writes 1 byte at",
                ", just past the end of allocation 1 (100 bytes).");
    check_fault("read before the start", "block (0, 0, 0), thread (0, 0, 0): reads 4 bytes at",
                ", 4 bytes before the start of allocation 2 (4000 bytes).");
    check_fault("dynamic shared overrun", "thread (33, 0, 0): writes 4 bytes at",
                ", just past the end of the block's dynamic shared memory (132 bytes, the third "
                "launch parameter).");
}

TEST_CASE("an access outside of a __shared__ array is told to the byte")
{
    check_fault("static shared overrun",
                "kernel overrun_tile (launched at faulty.cu:", "writes 4 bytes at 0x");
    // Threads 16 to 31 of a row write to the next one; row 15 has none.
    check_fault("static shared overrun", "block (0, 0, 0), thread (16, 15, 0): ",
                ", just past the end of __shared__ square (1024 bytes).");
    // Row 100 is 12800 bytes into an array of 512.
    check_fault("static shared far overrun", "thread (0, 0, 0): writes 4 bytes at",
                ", 12288 bytes past the end of __shared__ rows (512 bytes).");
}

TEST_CASE("a store to constant memory is refused")
{
    check_fault("constant write", "kernel write_float (launched at faulty.cu:",
                "thread (0, 0, 0): writes 4 bytes at 0x");
    check_fault("constant write", "block (0, 0, 0)",
                ", in a __constant__ variable: a kernel can only read those; set them from the "
                "host, with cudaMemcpyToSymbol().");
}

TEST_CASE("a pointer that is no device memory is told apart")
{
    check_fault("use after free", "writes 4 bytes", "inside freed allocation 1 (4000 bytes).");
    check_fault("null pointer", "thread (0, 0, 0): writes 4 bytes at 0x0, ", "a null pointer.");
    check_fault("host pointer", "writes 4 bytes",
                "host memory that is neither pinned nor managed.");
    check_fault("host stack", "writes 4 bytes", "host memory that is neither pinned nor managed.");
    check_fault("misaligned", "thread (0, 0, 0): reads 16 bytes at",
                "a misaligned address: it must be a multiple of 16.");
}

TEST_CASE("an access to another device's memory without peer access names both devices")
{
    const std::string remedy =
        "inside allocation 1 (4096 bytes) of device 1. The kernel runs on device 0, which may not "
        "use that device's memory: call cudaDeviceEnablePeerAccess(1, 0) while device 0 is "
        "current.";
    check_fault("peer without access",
                "kernel write_float (launched at faulty.cu:", ") on device 0, block (");
    check_fault("peer without access", "thread (0, 0, 0): writes 4 bytes at 0x", remedy);
    check_fault("peer with access in the other direction", "writes 4 bytes at 0x", remedy);
    check_fault("peer whose access has ended", "kernel read_float", remedy);
    check_fault("peer past the end", "block (3, 0, 0), thread (232, 0, 0): ",
                ", just past the end of allocation 1 (4000 bytes).");
}

TEST_CASE("threads that wait for each other at different places are named")
{
    check_fault("divergent barrier", "kernel barriers_on_two_paths",
                "divergent barrier: thread (0, 0, 0) and 39 others wait at the barrier of "
                "faulty.cu:");
    check_fault("divergent barrier", "thread (0, 0, 0)",
                "but thread (40, 0, 0) and 23 others wait at the barrier of faulty.cu:");
    check_fault("divergent warp", "kernel warp_waits_for_barrier",
                "thread (0, 0, 0) and 30 others wait in the warp-wide operation of faulty.cu:");
    check_fault("divergent warp", "thread (0, 0, 0)",
                "but thread (5, 0, 0) waits at the barrier of faulty.cu:");
}

TEST_CASE("a kernel that the host's processor stops is reported as a kernel")
{
    check_fault("stack overflow", "kernel recurse_deeply",
                "stack overflow: a thread has 256 KiB of local memory");
    check_fault("division by zero", "kernel divide", "divides an integer by zero.");
}

TEST_CASE("host code that uses device memory is told to copy it")
{
    const Outcome outcome = commit("host reads device memory");
    CHECK(outcome.status == 6);
    check_says(outcome, "Host code reads from device memory, inside allocation 1 (4000 bytes); the "
                        "host cannot reach it: copy it with cudaMemcpy.");
}

TEST_CASE("a launch that no GPU accepts is a CUDA error, explained")
{
    const Outcome threads = commit("too many threads");
    CHECK(threads.status == 0);
    check_says(threads, "the launch of kernel write_float requests 1025 threads per "
                        "block; the limit is 1024.");
    check_says(threads, "cudaErrorInvalidValue");
    const Outcome shared = commit("too much shared memory");
    CHECK(shared.status == 0);
    check_says(shared, "requests 50000 bytes of dynamic shared memory; the limit is 49152.");
    check_says(shared, "cudaErrorInvalid");
    const Outcome fixed = commit("too much static shared memory");
    CHECK(fixed.status == 0);
    check_says(fixed, "has 49664 bytes of static shared memory; the limit is 49152, and nvcc does "
                      "not compile it.");
    check_says(fixed, "cudaErrorInvalid");
    const Outcome both = commit("too much shared memory of both kinds");
    CHECK(both.status == 0);
    check_says(both, "requests 49153 bytes of static and dynamic shared memory together; the limit "
                     "is 49152.");
    check_says(both, "cudaErrorInvalid");
    check_says(commit("as much shared memory of both kinds as there is"), "cudaSuccess");
}
