// A chapter as a program: what it prints, where, and its exit status.
#include "common/device/device.hpp"
#include "common/run/launch.hpp"
#include "tests/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace {

struct Outcome
{
    int status;
    std::string output; ///< standard output and standard error together
};

/// Runs `program` with `arguments` of a shell.
Outcome run(const std::string& program, const std::string& arguments)
{
    const std::string command = "'" + program + "' 2>&1 " + arguments;
    FILE* pipe = ::popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    Outcome outcome{};
    std::array<char, 4096> buffer{};
    for (std::size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
        outcome.output.append(buffer.data(), got);
    outcome.status = WEXITSTATUS(::pclose(pipe));
    return outcome;
}

Outcome sample(const std::string& arguments)
{
    return run(SAMPLE_CHAPTER, arguments);
}

/// Ends a case, with a visible line, where a chapter cannot run: a GPU build without a GPU.
#define REQUIRE_DEVICE()                                                                           \
    if (sample("--quick --variant right").status == 4) {                                           \
        WARN("skipped: no usable GPU");                                                            \
        return;                                                                                    \
    }

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

std::string scratch(const std::string& name)
{
    return (fs::temp_directory_path() / (std::to_string(::getpid()) + name)).string();
}

} // namespace

TEST_CASE("blocks cover all elements, and more than a grid holds is refused")
{
    STATIC_REQUIRE(common::blocks(1, 64) == 1);
    STATIC_REQUIRE(common::blocks(64, 64) == 1);
    STATIC_REQUIRE(common::blocks(65, 64) == 2);
    CHECK(common::blocks(common::max_blocks * 64, 64) == 2'147'483'647U);
    CHECK(common::blocks(SIZE_MAX, SIZE_MAX) == 1);
    CHECK_THROWS_WITH(common::blocks(common::max_blocks * 64 + 1, 64),
                      "A grid has at most 2,147,483,647 blocks, and 2,147,483,648 were requested; "
                      "try a smaller --n, such as --n 1Gi.");
    CHECK_THROWS_AS(common::blocks(SIZE_MAX, 1), std::length_error);
}

TEST_CASE("a grid covers a matrix, and more rows of blocks than it holds are refused")
{
    const dim3 grid = common::grid(65, 33, 32, 8);
    CHECK(grid.x == 3);
    CHECK(grid.y == 5);
    CHECK(grid.z == 1);
    CHECK(common::grid(1, 8 * common::max_blocks_y, 32, 8).y == 65'535U);
    CHECK_THROWS_WITH(common::grid(1, 8 * common::max_blocks_y + 1, 32, 8),
                      "A grid has at most 65,535 blocks in its second dimension, and 65,536 were "
                      "requested: 524,281 elements, 8 per block; let the first dimension, which "
                      "takes 2,147,483,647, run along them.");
}

TEST_CASE("a wrong variant fails the chapter, and the others still run")
{
    REQUIRE_DEVICE();
    const Outcome outcome = sample("--n 1009 --variant right --variant skips_the_last "
                                   "--variant writes_past_the_end --variant elsewhere");
    INFO(outcome.output);
    CHECK(outcome.status == 1);
    CHECK(contains(outcome.output, "FAILED skips_the_last (64 threads): 1 of 1,009 elements is "));
    CHECK(contains(outcome.output, " yes"));
    CHECK(contains(outcome.output, "[1008] was never written"));
    CHECK(contains(outcome.output, "FAILED writes_past_the_end (64 threads): A write landed"));
    CHECK(contains(outcome.output, "GPU only"));
}

TEST_CASE("a barrier that is missing is found in another order of the warps, whatever the seed")
{
    REQUIRE_DEVICE();
    if (common::backend() != common::Backend::cpu)
        return;
    for (const char* seed : {"0", "1", "2"}) {
        const Outcome outcome =
            sample(std::string("--n 1024 --variant waits_for_no_warp --seed ") + seed);
        INFO(outcome.output);
        CHECK(outcome.status == 1);
        CHECK(contains(outcome.output, "With the lanes in another order"));
    }
}

TEST_CASE("a step is verified with what comes after it, and counted without")
{
    REQUIRE_DEVICE();
    const std::string json = scratch("step.json");
    const Outcome outcome = sample("--n 1009 --variant step --json " + json);
    INFO(outcome.output);
    CHECK(outcome.status == 0);
    if (common::backend() == common::Backend::cpu) {
        std::stringstream text;
        text << std::ifstream(json).rdbuf();
        // The step alone adds 1008 elements: of the 1009, before and after, nothing is counted.
        CHECK(contains(text.str(), "\"bytes_requested\": 12096"));
    }
    fs::remove(json);
}

TEST_CASE("a CUDA error ends with status 5 and says the call and the place")
{
    REQUIRE_DEVICE();
    const Outcome outcome = sample("--n 64 --variant throws");
    INFO(outcome.output);
    CHECK(outcome.status == 5);
    CHECK(contains(outcome.output, "cudaMemset(nullptr, 0, 16) at run/sample_chapter.cu:"));
    CHECK(contains(outcome.output, "cudaErrorInvalidValue"));
}

TEST_CASE("a kernel's fault ends with status 5 on a GPU, with 6 on the CPU device")
{
    REQUIRE_DEVICE();
    const Outcome outcome = sample("--n 64 --variant faults");
    INFO(outcome.output);
    if (common::backend() == common::Backend::gpu) {
        CHECK(outcome.status == 5);
        CHECK(contains(outcome.output, "'faults"));
        CHECK(contains(outcome.output, "compute-sanitizer"));
    } else {
        CHECK(outcome.status == 6);
        CHECK(contains(outcome.output, "writes_to_address_zero"));
    }
    // The device is none the worse for it.
    CHECK(sample("--n 64 --variant right").status == 0);
}

TEST_CASE("a launch that waits for a stream that is held is given up with status 5")
{
    REQUIRE_DEVICE();
    const Outcome outcome = sample("--n 64 --variant waits");
    INFO(outcome.output);
    if (common::backend() == common::Backend::gpu) {
        CHECK(outcome.status == 5);
        CHECK(contains(outcome.output, "could not be timed"));
    } else {
        CHECK(outcome.status == 0); // nothing is timed there
    }
}

TEST_CASE("more than the device holds ends with status 5 and says how much there is")
{
    REQUIRE_DEVICE();
    const Outcome outcome = sample("--n 64Gi");
    INFO(outcome.output);
    CHECK(outcome.status == 5);
    CHECK(contains(outcome.output, "requested 256.0 GiB"));
    CHECK(contains(outcome.output, "--n"));
}

TEST_CASE("usage errors have status 2 and one line")
{
    for (const char* arguments : {"--n 0", "--n -1", "--n 1e30", "--n abc", "--frobnicate", "--n",
                                  "extra", "--json /no/such/directory/x.json", "--csv /proc/x",
                                  "'--\x1b[2J'", "--variant '\x1b[2J'", "--json '/no/\x1b[2J'"}) {
        const Outcome outcome = sample(arguments);
        INFO(arguments << ": " << outcome.output);
        CHECK(outcome.status == 2);
        CHECK_FALSE(contains(outcome.output, "\x1b"));
        CHECK(std::count(outcome.output.begin(), outcome.output.end(), '\n') == 1);
    }
}

TEST_CASE("the options --list and --help need no device and have status 0")
{
    const Outcome list = sample("--list");
    CHECK(list.status == 0);
    CHECK(contains(list.output, "right"));
    CHECK(contains(list.output, "threads 64"));
    CHECK_FALSE(contains(list.output, "verified"));
    const Outcome help = sample("--help");
    CHECK(help.status == 0);
    CHECK(contains(help.output, "--max-time"));
}

TEST_CASE("a row for --full is left out on a GPU until it is requested, by its name too")
{
    const bool cpu = common::backend() == common::Backend::cpu;
    CHECK(contains(sample("--list").output, "thorough") == cpu);
    for (const char* asked : {"--full", "--launch-once", "--variant thorough"})
        CHECK(contains(sample(std::string("--list ") + asked).output, "thorough"));
}

TEST_CASE("a round has each row once, in an order that its number draws")
{
    REQUIRE_DEVICE();
    const auto rows = [](const std::string& options) {
        const std::string file = scratch("_round.json");
        // Of wrong variants, because the status tells then, too, that all passes ran.
        CHECK(sample("--n 1009 --no-model --json " + file + options).status == 1);
        const auto json = nlohmann::json::parse(std::ifstream(file));
        fs::remove(file);
        std::vector<std::string> names;
        for (const auto& row : json["rows"])
            names.push_back(row["variant"]);
        return names;
    };
    const std::vector<std::string> declared = rows("");
    std::set<std::vector<std::string>> orders{declared};
    for (const char* number : {"2", "3", "4", "5"}) {
        std::vector<std::string> drawn = rows(std::string(" --round ") + number);
        CHECK(drawn == rows(std::string(" --round ") + number));
        orders.insert(drawn);
        CHECK(std::is_permutation(drawn.begin(), drawn.end(), declared.begin(), declared.end()));
    }
    CHECK(orders.size() >= 4);
    CHECK(sample("--round 2 --variant rihgt").status == 2);
}

TEST_CASE("results or a trace that cannot be written are no success, and leave nothing behind")
{
    REQUIRE_DEVICE();
    const fs::path folder = scratch("limited");
    fs::create_directory(folder);
    const std::string limited = "ulimit -f 1; exec \"$0\" --quick --variant right --json \"$1\"";
    const Outcome outcome = run("sh", "-c '" + limited + "' '" SAMPLE_CHAPTER "' '" +
                                          (folder / "x.json").string() + "'");
    INFO(outcome.output);
    CHECK(outcome.status == 2);
    CHECK(contains(outcome.output, "Cannot write"));
    CHECK(fs::is_empty(folder));
    fs::remove(folder);
    CHECK(sample("--quick --variant right --json /dev/full").status == 2);
    if (common::backend() == common::Backend::cpu)
        CHECK(
            run("env", "MOVING_BYTES_TRACE=/dev/full '" SAMPLE_CHAPTER "' --quick --variant right")
                .status == 2);
}

TEST_CASE("the options --json and --csv write the same rows")
{
    REQUIRE_DEVICE();
    const std::string json = scratch("rows.json");
    const std::string csv = scratch("rows.csv");
    const Outcome outcome = sample("--n 1009 --variant right --json " + json + " --csv " + csv);
    INFO(outcome.output);
    CHECK(outcome.status == 0);
    std::ostringstream text;
    text << std::ifstream(csv).rdbuf();
    CHECK(contains(text.str(), "00_sample,"));
    CHECK(contains(text.str(), ",right,add,64,1009,12108,,true,"));
    const auto row = nlohmann::json::parse(std::ifstream(json))["rows"][0];
    CHECK(row["variant"] == "right");
    CHECK(row["parameters"]["threads"] == 64);
    CHECK(row["bytes"] == 12108);
    fs::remove(json);
    fs::remove(csv);
}

TEST_CASE("a table that nobody reads is an error, not a silent success")
{
    const Outcome full = sample("--list >/dev/full");
    CHECK(full.status == 2);
    CHECK(contains(full.output, "could not be written to standard output"));
}
