// Tables and results files, from results made here.
#include "common/report/csv.hpp"
#include "common/report/json.hpp"
#include "common/report/ranking.hpp"
#include "common/report/table.hpp"
#include "common/run/model_row.hpp"
#include "common/text/format.hpp"
#include "tests/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <unistd.h>
#include <utility>

using namespace common;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t n = 1 << 20;

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

/// The counts of an add of `n` floats whose loads touch `sectors` sectors each.
Counts add_counts(std::uint64_t sectors, std::uint64_t elements_per_request = 32)
{
    Counts counts;
    counts.load_requests = 2 * n / elements_per_request;
    counts.load_sectors = counts.load_requests * sectors;
    counts.load_bytes = 2 * n * 4;
    counts.store_requests = n / elements_per_request;
    counts.store_sectors = counts.store_requests * sectors;
    counts.store_bytes = n * 4;
    counts.distinct_sectors = 3 * n / 8;
    return counts;
}

Row counted(const std::string& variant, std::int64_t threads, const Counts& counts)
{
    Row row;
    row.variant = variant;
    row.task = "add";
    row.parameters = {{"threads", threads}, {"n", n}};
    row.bytes = 3 * n * 4;
    row.verified = true;
    row.counts = counts;
    return row;
}

Results counted_results()
{
    Results results;
    results.chapter = "05_float4";
    results.device.backend = "cpu";
    results.device.name = "CPU device";
    results.environment.date = "2026-11-20T10:30:00Z";
    results.environment.commit = "0123456789ab";
    results.environment.kernel_compiler = "g++ 12.2.0 -O2";
    results.options = {{"cache", std::string("cold")}, {"max_time", 2.0}};
    results.rows.push_back(counted("scalar", 256, add_counts(4)));
    results.rows.back().operations = n / 256;
    results.rows.push_back(counted("float4", 128, add_counts(16, 128)));
    results.rows.push_back(counted("float4", 256, add_counts(16, 128)));
    Row library;
    library.variant = "cub::DeviceTransform";
    library.task = "add";
    library.parameters = {{"n", n}};
    library.library = true;
    library.note = gpu_only_note;
    results.rows.push_back(library);
    return results;
}

/// In each of two streams a copy to the device and a kernel behind it.
std::vector<Operation> work_in_two_streams()
{
    std::vector<Operation> operations;
    for (unsigned stream : {1U, 2U}) {
        operations.push_back({.kind = Operation::Kind::copy_in, .stream = stream, .bytes = 4 * n});
        operations.push_back(
            {.kind = Operation::Kind::device_work, .stream = stream, .bytes = 3 * 4 * n});
    }
    operations.push_back({.kind = Operation::Kind::host_waits_all});
    return operations;
}

Row timed(const std::string& variant, double milliseconds, double relative_interval)
{
    Row row = counted(variant, 256, {});
    row.counts.reset();
    row.cache = Cache::cold;
    row.time = Timing{milliseconds,
                      milliseconds * 0.99,
                      milliseconds * 1.01,
                      milliseconds * 0.98,
                      milliseconds * (1 - relative_interval),
                      milliseconds * (1 + relative_interval),
                      25,
                      0,
                      "interval"};
    row.gb_per_s = static_cast<double>(row.bytes) / (milliseconds * 1e6);
    row.share_of_peak = *row.gb_per_s / 4800;
    row.share_of_copy = *row.gb_per_s / 4200;
    return row;
}

Results timed_results()
{
    Results results = counted_results();
    results.rows.clear();
    results.device.backend = "gpu";
    results.device.name = "NVIDIA H200";
    results.device.peak_gb_per_s = 4800;
    results.device.l2_bytes = 60 << 20U;
    results.copy_gb_per_s = 4200;
    results.rows.push_back(timed("scalar", 0.0034, 0.004));
    results.rows.push_back(timed("float4", 0.0030, 0.004));
    results.rows.back().energy = Energy{0.25, 0.0031};
    results.rows.back().time->bimodal = {0.0029, 0.0031};
    results.rows.back().gpu = GpuState{1980, 4, 51, std::nullopt};
    Row library = timed("cub::DeviceTransform", 0.0031, 0.004);
    library.library = true;
    results.rows.push_back(library);
    return results;
}

std::size_t widest_line(const std::string& text)
{
    std::size_t widest = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        widest = std::max(widest, display_width(line));
    return widest;
}

std::string line_with(const std::string& text, const std::string& part)
{
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (contains(line, part))
            return line;
    return "";
}

std::set<std::string> keys(const nlohmann::json& object)
{
    std::set<std::string> names;
    for (const auto& [name, value] : object.items())
        names.insert(name);
    return names;
}

/// The results as JSON after `change` was made to them.
template<class Change>
std::string changed(const Change& change)
{
    auto json = nlohmann::json::parse(results_to_json(timed_results()));
    change(json);
    return json.dump();
}

} // namespace

TEST_CASE("tasks with columns of their own have a table each where one would be too wide")
{
    Results results = timed_results();
    Row walk = timed("chase", 2, 0.004);
    walk.task = "chase";
    walk.parameters = {{"lines_of_the_table", 16384}, {"n", 4096}};
    walk.gb_per_s.reset();
    walk.operations = 100'000;
    results.rows.push_back(walk);
    const std::string wide = render_table(results, 120);
    const std::string narrow = render_table(results, 95);
    CHECK_FALSE(contains(wide, "chase, n = 4,096"));
    CHECK(contains(narrow, "\nchase, n = 4,096\n"));
    CHECK(contains(narrow, "\nadd, n = 1,048,576\n"));
    CHECK_FALSE(contains(narrow, "Too narrow for"));
    // 2 ms for 100,000 operations; only the row that has some shows what one takes
    CHECK(contains(narrow, "    20 "));
    CHECK(contains(wide, "each"));
    CHECK_FALSE(contains(render_table(timed_results(), 120), "each"));
    // Two tasks with the same columns stay together.
    results.rows.back() = timed("scalar", 0.0034, 0.004);
    results.rows.back().task = "copy";
    CHECK_FALSE(contains(render_table(results, 60), "\ncopy\n"));
}

TEST_CASE("the table fits the terminal, and says what it left out")
{
    for (const Results& results : {counted_results(), timed_results()}) {
        for (const std::size_t width : {40U, 60U, 80U, 100U}) {
            const std::string table = render_table(results, width);
            INFO(table);
            CHECK(widest_line(table) <= width);
            CHECK(contains(table, "variant"));
            CHECK(contains(table, "verified"));
            CHECK(contains(table, "Too narrow for") == (width < 100));
        }
    }
    CHECK(contains(render_table(timed_results(), 60), "GB/s"));
    CHECK(contains(render_table(counted_results(), 60), "/ load"));
    // Words that say why a row cannot run are cut as well.
    Results unavailable = counted_results();
    unavailable.rows.back().note = "needs an L2 that can be set aside";
    const std::string table = render_table(unavailable, 40);
    INFO(table);
    CHECK(widest_line(table) <= 40);
    CHECK(contains(table, "needs an L2 that can"));
}

TEST_CASE("the table of the CPU device says that it counts and does not time")
{
    const std::string table = render_table(counted_results(), 100);
    CHECK(contains(table, "CPU device (counts memory transactions, does not measure time)"));
    CHECK(contains(table, "n = 1,048,576, 12.0 MiB to move"));
    CHECK_FALSE(contains(table, "GB/s"));
    CHECK(contains(line_with(table, "scalar "), "4.0"));
    CHECK(contains(line_with(table, "scalar "), "100 %"));
    CHECK(contains(line_with(table, "cub::DeviceTransform (library)"), "GPU only"));
}

TEST_CASE("fewer requests for the same sectors win, and equals tie")
{
    CHECK(contains(render_table(counted_results(), 120),
                   "fewest with float4: 32.0 sectors and 2.0 requests per KiB to move."));
}

TEST_CASE("constant and local memory have columns where a row uses them, and count in the ranking")
{
    Results results = counted_results();
    CHECK_FALSE(contains(render_table(results, 120), "constant"));
    CHECK_FALSE(contains(render_table(results, 120), "local"));
    Counts divergent = add_counts(16, 128);
    divergent.constant_requests = 100;
    divergent.constant_wavefronts = 3200;
    Counts spread = add_counts(16, 128);
    spread.local_load_requests = 1000;
    spread.local_load_sectors = 32000;
    spread.local_store_requests = 1000;
    spread.local_store_sectors = 4000;
    results.rows[0] = counted("divergent", 256, divergent);
    results.rows[2] = counted("spread", 256, spread);
    const std::string table = render_table(results, 120);
    INFO(table);
    CHECK(contains(line_with(table, "divergent "), "32.0"));
    CHECK(contains(line_with(table, "spread "), "36,000"));
    CHECK(contains(table, "Transactions are fewest with float4 (128 threads): "));
    const auto rows = nlohmann::json::parse(results_to_json(results))["rows"];
    CHECK(rows[0]["counts"]["constant_wavefronts"] == 3200);
    CHECK(rows[2]["counts"]["local_load_sectors"] == 32000);
    CHECK(contains(results_to_csv(results), "counts.local_load_sectors"));
}

TEST_CASE("each task has its own winner")
{
    Results results = counted_results();
    results.rows = {counted("copy", 256, add_counts(4, 128)), counted("swap", 256, add_counts(8)),
                    counted("swap_staged", 256, add_counts(4))};
    results.rows[0].task = "copy";
    results.rows[1].task = results.rows[2].task = "swap";
    const std::string table = render_table(results, 120);
    INFO(table);
    CHECK(contains(table,
                   "copy: transactions are fewest with copy (256 threads): 8.0 sectors and 2.0 "
                   "requests per KiB to move.\nswap: "));
    CHECK(contains(table, "swap: transactions are fewest with swap_staged (256 threads): "));
}

TEST_CASE("a divergent warp is explained once, in words that hold without a loop")
{
    Results results = counted_results();
    const std::string remark = "Lanes of a warp took different branches";
    CHECK_FALSE(contains(render_table(results, 120), remark));
    results.rows[0].counts->divergent_warps = 1;
    results.rows[1].counts->divergent_warps = 2;
    const std::string table = render_table(results, 120);
    CHECK(contains(table, remark));
    CHECK(table.find(remark) == table.rfind(remark));
    CHECK_FALSE(contains(table, "loop"));
}

TEST_CASE("twice the sectors lose against fewer requests")
{
    Results results = counted_results();
    results.rows = {counted("scalar", 256, add_counts(4)),
                    counted("neighbours", 256, add_counts(8))};
    results.rows[1].counts->load_requests /= 2;
    results.rows[1].counts->store_requests /= 2;
    const auto best = best_rows(results);
    REQUIRE(best.size() == 1);
    CHECK(best.front()->variant == "scalar");
}

TEST_CASE("the best row is named with its shares and its library")
{
    const std::string table = render_table(timed_results(), 120);
    CHECK(contains(table,
                   "Best: 4194.3 GB/s, 87.4 % of peak, 1.03 times cub::DeviceTransform: float4 "
                   "(256 threads)."));
    CHECK(contains(table, "NVIDIA H200"));
}

TEST_CASE("no winner is named among intervals that overlap")
{
    Results results = timed_results();
    results.rows[0] = timed("scalar", 0.00301, 0.004);
    CHECK(best_rows(results).size() == 2);
    CHECK(contains(render_table(results, 120), "Tie at 4194.3 GB/s"));
    CHECK(contains(
        render_table(results, 120),
        "1.03 times cub::DeviceTransform: float4 (256 threads) and scalar (256 threads)."));
}

TEST_CASE("where rows differ in their size, the best is named with its own")
{
    Results results = timed_results();
    results.rows[0].parameters.back() = {"n", 64};
    const std::string table = render_table(results, 120);
    CHECK(contains(line_with(table, "variant"), " n "));
    CHECK(contains(table, "float4 (256 threads) at n = 1048576."));
}

TEST_CASE("the best is named with what tells it from other rows, and not with what all share")
{
    Results results = timed_results();
    for (Row& row : results.rows) {
        row.parameters.push_back({"columns", 4096});
        row.parameters.push_back({"width", row.variant == "float4" ? 16 : 4});
    }
    CHECK(contains(render_table(results, 120), ": float4 (256 threads, width 16)."));
    results.rows[0].parameters[2] = {"columns", 64};
    CHECK(contains(render_table(results, 120), ": float4 (256 threads, columns 4096, width 16)."));
}

TEST_CASE("what the L2 cache served is marked and never the best")
{
    Results results = timed_results();
    Row cached = timed("tiny", 0.0010, 0.004);
    cached.in_l2 = true;
    results.rows.push_back(cached);
    REQUIRE(best_rows(results).size() == 1);
    CHECK(best_rows(results).front()->variant == "float4");
    const std::string table = render_table(results, 120);
    CHECK(contains(line_with(table, "tiny"), "*"));
    CHECK(
        contains(table, "* in L2: tiny (256 threads) accesses 12.0 MiB, 20 % of the 60.0 MiB L2"));
}

TEST_CASE("hot rows are no match for cold ones, and a failed row is none for any")
{
    Results results = timed_results();
    Row hot = timed("hot", 0.0020, 0.004);
    hot.cache = Cache::hot;
    Row failed = timed("failed", 0.0020, 0.004);
    failed.verified = false;
    failed.note = "1 of 5 elements is wrong.";
    results.rows.push_back(hot);
    results.rows.push_back(failed);
    CHECK(best_rows(results).front()->variant == "float4");
    const std::string table = render_table(results, 100);
    CHECK(contains(line_with(table, "failed "), "FAILED"));
    CHECK(contains(table, "FAILED failed (256 threads): 1 of 5 elements is wrong."));
}

TEST_CASE("a launch of any program makes a row that the schema knows")
{
    LaunchRecord launch;
    launch.kernel = "scale<float>";
    launch.grid = {4, 2, 1};
    launch.block = {32, 8, 1};
    launch.counts = add_counts(4);
    const Row row = row_of(launch);
    CHECK(row.variant == "scale<float>");
    CHECK(to_string(*row.parameter("grid")) == "4x2x1");
    CHECK(to_string(*row.parameter("block")) == "32x8x1");
    CHECK_FALSE(row.verified);
    CHECK(row.bytes == 3 * n * 4);
}

TEST_CASE("what is not finite is written as null")
{
    Results results = timed_results();
    results.rows[0].gb_per_s = std::numeric_limits<double>::infinity();
    const auto json = nlohmann::json::parse(results_to_json(results));
    CHECK(json["rows"][0]["gb_per_s"].is_null());
}

TEST_CASE("the schema accepts what is written and refuses what it should not be")
{
    if (std::system("/usr/bin/python3 -c 'import jsonschema' 2>/dev/null") != 0) {
        WARN("skipped: python3-jsonschema is not installed");
        return;
    }
    const fs::path file = fs::temp_directory_path() / ("schema_" + std::to_string(::getpid()));
    const auto accepts = [&](const std::string& text) {
        std::ofstream(file) << text;
        const std::string command =
            "/usr/bin/python3 -c 'import json, jsonschema, sys\n"
            "load = lambda path: json.load(open(path))\n"
            "jsonschema.Draft7Validator.check_schema(load(sys.argv[1]))\n"
            "jsonschema.validate(load(sys.argv[2]), load(sys.argv[1]))' '" SCHEMA_FILE "' '" +
            file.string() + "' 2>/dev/null";
        return std::system(command.c_str()) == 0;
    };
    CHECK(accepts(results_to_json(counted_results())));
    CHECK(accepts(results_to_json(timed_results())));
    CHECK_FALSE(accepts(changed([](auto& j) { j["schema"] = 1; })));
    CHECK_FALSE(accepts(changed([](auto& j) { j["rows"][1].erase("task"); })));
    CHECK_FALSE(accepts(changed([](auto& j) { j["rows"][1].erase("bytes"); })));
    CHECK_FALSE(accepts(changed([](auto& j) { j["rows"][0]["speed"] = 1; })));
    CHECK_FALSE(accepts(changed([](auto& j) { j["rows"][0]["time_ms"]["median"] = -1; })));
    fs::remove(file);
}

TEST_CASE("the schema names every counter, and no other")
{
    std::ifstream file(SCHEMA_FILE);
    const auto counts = nlohmann::json::parse(file)["definitions"]["row"]["properties"]["counts"];
    std::set<std::string> counted = {"bytes_requested", "load_efficiency", "store_efficiency"};
    std::set<std::string> always = counted;
    for (const cpu_device::Counter& counter : cpu_device::counters) {
        counted.insert(counter.name);
        if (!counter.rare)
            always.insert(counter.name);
    }
    CHECK(counted.size() == cpu_device::counters.size() + 3);
    CHECK(keys(counts["properties"]) == counted);
    CHECK(counts["required"].get<std::set<std::string>>() == always);
}

TEST_CASE("what is not known of the device and the environment is null, not left out")
{
    Results results;
    results.device.name = "NVIDIA H200";
    results.device.l2_bytes = std::uint64_t{60} << 20U;
    results.environment.clocks_before = Clocks{1980, 3201};
    const auto json = nlohmann::json::parse(results_to_json(results));
    CHECK(keys(json["device"]) == std::set<std::string>{"backend", "name", "compute_capability",
                                                        "multiprocessors", "memory_bytes",
                                                        "l2_bytes", "peak_gb_per_s",
                                                        "copy_gb_per_s", "host_cpu", "host_cores"});
    CHECK(json["device"]["l2_bytes"] == 62914560);
    CHECK(json["device"]["host_cpu"].is_null());
    CHECK(keys(json["environment"]) ==
          std::set<std::string>{"date", "commit", "kernel_compiler", "host_compiler", "driver",
                                "cuda_driver", "cuda_runtime", "toolkit", "clocks"});
    CHECK(json["environment"]["driver"].is_null());
    CHECK(json["environment"]["clocks"]["before"] ==
          nlohmann::json{{"sm_mhz", 1980}, {"memory_mhz", 3201}});
    CHECK(json["environment"]["clocks"]["after"].is_null());

    Results timed = timed_results();
    CHECK_FALSE(contains(results_to_json(timed), "\"card\""));
    timed.device.card = "0123abcd";
    CHECK(nlohmann::json::parse(results_to_json(timed))["device"]["card"] == "0123abcd");
}

TEST_CASE("CSV has a column for each field, and quotes what needs it")
{
    Results results = counted_results();
    results.rows[0].note = "he said \"no\", twice";
    results.rows.push_back(timed("timed, with a comma", 0.5, 0.01));
    const std::string csv = results_to_csv(results);
    std::istringstream lines(csv);
    std::string header;
    std::getline(lines, header);
    CHECK(header.find("chapter,device,variant,task,parameters.threads,parameters.n,bytes,"
                      "operations,verified") == 0);
    CHECK(contains(header, "time_ms.median"));
    CHECK(contains(header, "time_ms.interval.0"));
    CHECK(contains(header, "counts.load_sectors"));
    CHECK(header.back() == '\r');
    CHECK(contains(csv, "\"he said \"\"no\"\", twice\""));
    CHECK(contains(csv, "\"timed, with a comma\""));

    // Every line has as many fields as the first.
    const auto fields = [](const std::string& line) {
        std::size_t count = 1;
        bool quoted = false;
        for (const char c : line) {
            quoted = quoted != (c == '"');
            count += c == ',' && !quoted ? 1U : 0U;
        }
        return count;
    };
    std::size_t rows = 0;
    for (std::string line; std::getline(lines, line); ++rows)
        CHECK(fields(line) == fields(header));
    CHECK(rows == results.rows.size());
}

TEST_CASE("the list names every variant with its parameters")
{
    const std::string list = render_list(counted_results(), 100);
    CHECK(contains(list, "scalar                threads 256, n 1048576\n"));
    CHECK(contains(list, "cub::DeviceTransform  n 1048576, library\n"));
}

TEST_CASE("the list fits the terminal: parameters go on below, then names are cut")
{
    const std::string list = render_list(counted_results(), 42);
    INFO(list);
    CHECK(contains(list, "scalar                threads 256,\n                      n 1048576\n"));
    CHECK(widest_line(list) <= 42);
    CHECK(widest_line(render_list(counted_results(), 30)) <= 30);
}

TEST_CASE("what goes between devices is a column, and in the file with the devices of the bars")
{
    Results results = counted_results();
    CHECK_FALSE(contains(render_table(results, 200), "peer"));
    CHECK_FALSE(contains(results_to_json(results), "peer"));
    Operation copy{.kind = Operation::Kind::copy_peer, .stream = 1, .bytes = 4 * n};
    copy.to = 1;
    Row& row = results.rows[1];
    row.peer_bytes = 3 << 20;
    row.counts.emplace().peer_load_sectors = 12;
    row.modelled = model_row({copy}, *find_card("h200"), n, false);

    CHECK(contains(render_table(results, 200), "3.000"));
    const auto rows = nlohmann::json::parse(results_to_json(results))["rows"];
    CHECK(rows[1]["peer_bytes"] == 3 << 20);
    CHECK(rows[1]["counts"]["peer_load_sectors"] == 12);
    CHECK_FALSE(rows[1]["counts"].contains("peer_store_sectors"));
    CHECK_FALSE(rows[0].contains("peer_bytes"));
    CHECK(rows[1]["modelled"]["operations"][0]["engine"] == "peer");
    CHECK(rows[1]["modelled"]["operations"][0]["device"] == 0);
    CHECK(contains(results_to_csv(results), "counts.peer_load_sectors"));
}

TEST_CASE("how many elements modelled times are of is said, row by row where they differ")
{
    Results results = counted_results();
    results.rows = {counted("copy", 256, add_counts(4, 128)), counted("swap", 256, add_counts(8))};
    for (Row& row : results.rows) {
        Modelled& modelled = row.modelled.emplace();
        modelled.card = "H200";
        modelled.n = 1000003;
        modelled.gb_per_s = 4000;
        modelled.limited_by = "dram";
        modelled.traffic.emplace();
    }
    const std::string alike = render_table(results, 200);
    INFO(alike);
    CHECK(contains(alike, "modelled for H200 at n = 1,000,003"));
    CHECK_FALSE(contains(alike, "1000003"));

    results.rows[1].modelled->n = std::nullopt; // a link decides
    results.rows[1].modelled->traffic = std::nullopt;
    const std::string different = render_table(results, 200);
    INFO(different);
    CHECK(contains(different, "at the sizes in column modelled n"));
    CHECK(contains(line_with(different, "copy "), "1000003"));
    CHECK(contains(line_with(different, "swap "), "1048576"));

    for (Row& row : results.rows)
        row.modelled->n = std::nullopt;
    results.rows[1].parameters = {{"threads", 256}, {"n", 2048}};
    const std::string as_run = render_table(results, 200);
    INFO(as_run);
    CHECK(contains(as_run, "modelled for H200 at the n of each row"));
    CHECK_FALSE(contains(as_run, "modelled n"));
}

TEST_CASE(
    "what tells the rows of a variant apart stays in a narrow table, what is alike goes first")
{
    Results results = counted_results();
    results.rows = {counted("copy", 256, add_counts(4)), counted("copy", 512, add_counts(8))};
    for (Row& row : results.rows)
        row.parameters.push_back({"columns", 1024});
    results.rows[0].parameters.push_back({"warps", 8}); // follows from what tells them apart
    results.rows[1].parameters.push_back({"warps", 16});
    const std::string table = render_table(results, 42);
    INFO(table);
    CHECK(contains(line_with(table, "copy "), "256"));
    CHECK_FALSE(contains(line_with(table, "copy "), "1024"));
    CHECK(contains(table, "store used and columns; --csv FILE writes"));
    const std::string narrower = render_table(results, 36);
    INFO(narrower);
    CHECK(contains(narrower, "Too narrow for warps"));
    CHECK(contains(line_with(narrower, "copy "), "4.0"));
}

TEST_CASE(
    "of a variant the timeline of its largest size is drawn, and none that looks like another")
{
    Results results = counted_results();
    Row row = results.rows[1];
    row.modelled = model_row(work_in_two_streams(), *find_card("h200"), n, false);
    Row small = row;
    small.parameters = {{"threads", 128}, {"n", n / 4}};
    small.bytes = row.bytes / 4;
    Row alike = row;
    alike.parameters = {{"threads", 512}, {"n", n}};
    Row other = row;
    other.variant = "other";
    results.rows = {small, row, alike, other};

    const std::string table = render_table(results, 120);
    INFO(table);
    CHECK(contains(table, "float4 (128 threads) at n = 1048576, modelled on H200: "));
    CHECK_FALSE(contains(table, "at n = 262144, modelled"));
    CHECK_FALSE(contains(table, "(512 threads) at n = 1048576, modelled"));
    CHECK(contains(table, "other (128 threads) at n = 1048576, modelled on H200: "));
    CHECK(contains(table, "2 more timelines are not drawn, identical and smaller ones among them"));
    // Requested alone, it is drawn.
    results.rows = {small};
    CHECK(contains(render_table(results, 120), "modelled on H200: "));
}

TEST_CASE("a modelled timeline is a column, bars of any width, and in the file")
{
    Results results = counted_results();
    CHECK_FALSE(contains(render_table(results, 120), "modelled"));
    const std::vector<Operation> operations = work_in_two_streams();
    results.rows[1].modelled = model_row(operations, *find_card("t4"), n, true);

    const std::string table = render_table(results, 120);
    INFO(table);
    CHECK(contains(table, "modelled"));
    CHECK(contains(table, "float4 (128 threads), modelled on T4: "));
    CHECK(contains(table, "H2D      "));
    CHECK_FALSE(contains(table, "D2H"));
    CHECK(contains(table, "Not timed"));
    CHECK(widest_line(render_table(results, 60)) <= 60);
    // Of one copy nothing is drawn, and the GPU is told all the same.
    Results alone = results;
    alone.rows[1].modelled = model_row({operations.front()}, *find_card("t4"), n, true);
    const std::string undrawn = render_table(alone, 400);
    CHECK_FALSE(contains(undrawn, "H2D      "));
    CHECK(contains(undrawn, "the transfer rates of T4 (unmeasured, from its data sheet: "));

    const auto rows = nlohmann::json::parse(results_to_json(results))["rows"];
    const auto& modelled = rows[1]["modelled"];
    CHECK(modelled["card"] == "T4");
    const double nanoseconds = modelled["ms"].get<double>() * 1e6;
    CHECK(nanoseconds == Approx(std::round(nanoseconds)).epsilon(1e-12)); // no more is known
    CHECK(modelled["operations"].size() == 4);
    CHECK(modelled["operations"][3]["engine"] == "compute");
    CHECK(modelled["at"].size() == 12);
    CHECK_FALSE(rows[0].contains("modelled"));
    CHECK(contains(results_to_csv(results), "modelled.ms"));
}
