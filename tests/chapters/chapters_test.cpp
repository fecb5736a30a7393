// What the chapters claim, checked on the results that they write.

#include "tests/catch.hpp"
#include "tests/chapters/run_chapter.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

using chapters::json;

// The rows that ran: what is "GPU only" has no verdict.
std::vector<json> rows_run(const json& result)
{
    std::vector<json> rows;
    for (const json& row : result.at("rows"))
        if (!row.at("verified").is_null())
            rows.push_back(row);
    return rows;
}

// As all rows of a chapter of several devices do where there is one. The CPU device is as many as
// they take.
bool all_need_two_gpus(const json& result)
{
    bool all = result.at("device").at("backend") != "cpu" && !result.at("rows").empty();
    for (const json& row : result.at("rows"))
        all = all && row.value("note", "") == "needs two GPUs";
    return all;
}

// Those of several chapters, run with the same options.
std::vector<json> rows_run(std::initializer_list<const char*> chapters, const std::string& options)
{
    std::vector<json> rows;
    for (const char* chapter : chapters)
        for (const json& row : rows_run(chapters::run(chapter, options)))
            rows.push_back(row);
    return rows;
}

// Sectors a request, by variant; all rows of a variant must agree.
std::map<std::string, double> sectors_per_request(const json& result, const std::string& kind)
{
    std::map<std::string, double> found;
    for (const json& row : rows_run(result)) {
        const json& counts = row.at("counts");
        const double ratio = counts.at(kind + "_sectors").get<double>() /
                             counts.at(kind + "_requests").get<double>();
        const auto [entry, added] = found.emplace(row.at("variant").get<std::string>(), ratio);
        INFO(row.at("variant"));
        REQUIRE((added || entry->second == ratio));
    }
    return found;
}

} // namespace

TEST_CASE("every variant of every chapter verifies at sizes that are not a multiple of the block "
          "or vector size")
{
    for (const std::string& chapter : chapters::names()) {
        for (const char* n : {"1", "3", "4099", "65537"}) {
            const json result =
                chapters::run(chapter, std::string("--no-model --max-time 0.02 --n ") + n);
            INFO(chapter << " --n " << n);
            CHECK((!rows_run(result).empty() || all_need_two_gpus(result)));
            for (const json& row : result.at("rows")) {
                INFO(row.dump());
                if (row.at("verified").is_null())
                    CHECK(row.value("note", "") != "");
                else
                    CHECK(row.at("verified") == true);
            }
        }
    }
}

// A warp of 32 lanes that load a float each requests 128 bytes: four sectors, if they are adjacent.
TEST_CASE("one element per thread moves four sectors per request, whatever the block size",
          "[counts]")
{
    for (const char* chapter : {"01_basic_vecadd", "02_threads_per_block"}) {
        const json result = chapters::run(chapter, "--n 64Ki --variant basic");
        CHECK(sectors_per_request(result, "load").at("basic") == 4);
        CHECK(sectors_per_request(result, "store").at("basic") == 4);
    }
}

TEST_CASE("a row of n elements makes n / 32 requests an array", "[counts]")
{
    const std::uint64_t n = 65536;
    const json result = chapters::run("01_basic_vecadd", "--n 64Ki --variant basic");
    const json& counts = result.at("rows").at(0).at("counts");
    CHECK(counts.at("load_requests") == 2 * n / 32);
    CHECK(counts.at("load_sectors") == 2 * n * sizeof(float) / 32);
    CHECK(counts.at("store_requests") == n / 32);
    CHECK(counts.at("bytes_requested") == 3 * n * sizeof(float));
    CHECK(counts.at("distinct_sectors") == 3 * n * sizeof(float) / 32);
    CHECK(counts.at("divergent_warps") == 0);
}

TEST_CASE("coarsening by neighbours multiplies the sectors of a request, by the block it does not",
          "[counts]")
{
    const json result = chapters::run("03_coarsening", "--n 64Ki");
    for (const char* kind : {"load", "store"}) {
        const auto sectors = sectors_per_request(result, kind);
        CHECK(sectors.at("blocked_x2") == 2 * 4);
        CHECK(sectors.at("blocked_x4") == 4 * 4);
        CHECK(sectors.at("blocked_x4_loads_first") == 4 * 4);
        CHECK(sectors.at("striped_x2") == 4);
        CHECK(sectors.at("striped_x4") == 4);
        CHECK(sectors.at("striped_x4_loads_first") == 4);
    }
    for (const json& row : result.at("rows")) {
        const std::string variant = row.at("variant");
        if (variant == "blocked_x2")
            CHECK(row.at("counts").at("load_efficiency") == 0.5);
        else if (variant == "blocked_x4")
            CHECK(row.at("counts").at("load_efficiency") == 0.25);
    }
}

TEST_CASE("one float4 per thread moves sixteen sectors per request and uses all of them",
          "[counts]")
{
    const json result = chapters::run("05_float4", "--n 64Ki");
    const auto loads = sectors_per_request(result, "load");
    const auto stores = sectors_per_request(result, "store");
    for (const char* variant : {"float4", "float4_float2_tail", "float4_parameters", "guarded"}) {
        CHECK(loads.at(variant) == 32 * sizeof(float) * 4 / 32);
        CHECK(stores.at(variant) == 32 * sizeof(float) * 4 / 32);
    }
    for (const json& row : result.at("rows"))
        if (row.at("variant") == "float4")
            CHECK(row.at("counts").at("load_efficiency") == 1.0);
}

TEST_CASE("a copy moves as many sectors per request as its words are wide", "[counts]")
{
    const json result = chapters::run("06_memcpy_vectorized", "--n 64Ki");
    std::size_t rows = 0;
    for (const json& row : rows_run(result)) {
        INFO(row.dump());
        const auto word = row.at("parameters").at("word").get<std::uint64_t>();
        const json& counts = row.at("counts");
        CHECK(counts.at("load_sectors") == counts.at("load_requests").get<std::uint64_t>() * word);
        CHECK(counts.at("load_efficiency") == 1.0);
        ++rows;
    }
    CHECK(rows == 4 + 4 + 3 + 2);
}

TEST_CASE("padding a tile by one column removes every bank conflict", "[counts]")
{
    const std::uint64_t n = 65536;
    const json result = chapters::run("07_shared_memory", "--n 64Ki");
    std::map<std::string, json> counts;
    for (const json& row : result.at("rows"))
        counts[row.at("variant")] = row.at("counts");
    // Pitch 32: the 32 lanes of a read want 32 words of one bank, so 31 passes too many per
    // request.
    CHECK(counts.at("reorder_shared").at("shared_load_conflicts") == 31 * n / 32);
    CHECK(counts.at("reorder_padded").at("shared_load_conflicts") == 0);
    CHECK(counts.at("reorder_padded").at("shared_store_conflicts") == 0);
    CHECK(sectors_per_request(result, "store").at("reorder_direct") == 32);
    CHECK(sectors_per_request(result, "store").at("reorder_padded") == 4);
}

TEST_CASE("a stencil in shared memory loads each element about once", "[counts]")
{
    const json result = chapters::run("07_shared_memory", "--n 64Ki");
    for (const json& row : result.at("rows")) {
        const double bytes = 65536 * sizeof(float);
        if (row.at("variant") == "stencil_shared") // plus 16 halo elements per block of 256
            CHECK(row.at("counts").at("bytes_requested") == bytes * (1 + 1 + 16.0 / 256) - 4 * 16);
        else if (row.at("variant") == "stencil_direct") // 17 loads; 2 x (1 + ... + 8) fall outside
            CHECK(row.at("counts").at("bytes_requested") == bytes * (17 + 1) - 4 * 72);
    }
}

// A lane strides over its record in an array of structures; in the others lanes are neighbours.
TEST_CASE(
    "records of f fields touch 4 f sectors per request as structures, 4 as arrays or in tiles",
    "[counts]")
{
    const json result = chapters::run("16_data_layout", "--n 16Ki");
    CHECK(result.at("rows").size() == 3 * 2 * 4);
    for (const json& row : result.at("rows")) {
        INFO(row.dump());
        const std::string layout = row.at("variant");
        const auto fields = row.at("parameters").at("fields").get<std::uint64_t>();
        const auto used = row.at("parameters").at("used").get<std::uint64_t>();
        const bool strided = layout == "aos" || layout == "aligned";
        // A whole aligned record is one access of 8 or of 16 bytes, or two of 16.
        const bool whole = layout == "aligned" && used == fields;
        const std::uint64_t accesses = !whole ? used : fields == 8 ? 2 : 1;
        for (const std::string kind : {"load", "store"}) {
            CHECK(row.at("counts").at(kind + "_requests") == 16384 / 32 * accesses);
            CHECK(row.at("counts").at(kind + "_sectors") ==
                  16384 / 32 * accesses * (strided ? 4 * fields : 4));
        }
        CHECK(row.at("bytes") == 2 * 16384 * used * sizeof(float));
    }
}

TEST_CASE(
    "indices without an order cost a gather sectors of its loads, a scatter those of its stores",
    "[counts]")
{
    const std::uint64_t warps = 16384 / 32;
    const json result = chapters::run("17_gather", "--n 16Ki --variant gather --variant scatter");
    CHECK(result.at("rows").size() == 2 * (4 + 2));
    std::map<std::string, std::uint64_t> taken; // sectors that the indices lead to
    for (const json& row : result.at("rows")) {
        INFO(row.dump());
        const bool gathers = row.at("variant") == "gather";
        const auto bytes = row.at("parameters").at("element_bytes").get<std::uint64_t>();
        const std::uint64_t coalesced = warps * bytes; // sectors of 32 neighbours
        const std::uint64_t indices = warps * 4;
        const auto loads = row.at("counts").at("load_sectors").get<std::uint64_t>() - indices;
        const auto stores = row.at("counts").at("store_sectors").get<std::uint64_t>();
        CHECK((gathers ? stores : loads) == coalesced);
        CHECK(row.at("bytes") == 16384 * (2 * bytes + 4));
        const std::string order = row.at("parameters").at("indices");
        const auto [entry, added] =
            taken.emplace(order + std::to_string(bytes), gathers ? loads : stores);
        CHECK((added || entry->second == stores)); // the same sectors, loaded or stored
    }
    CHECK(taken.at("sequential4") == warps * 4);
    CHECK(taken.at("sequential16") == warps * 16);
    // Of the 32 sectors of a block's 256 floats a warp's lanes miss one with (31 / 32)^32.
    CHECK(static_cast<double>(taken.at("in a block4")) / (warps * 32.0) ==
          Approx(0.65).margin(0.03));
    CHECK(taken.at("random4") > warps * 31);
    CHECK(taken.at("random16") > warps * 31);
    CHECK(taken.at("in 4 MiB4") == taken.at("random4")); // the array has 64 KiB
}

TEST_CASE("a transposition pays one sector per lane on one side, a tile pays none", "[counts]")
{
    const auto n = std::uint64_t{1} << 16; // 256 x 256
    const std::set<std::string> loads_down = {"copy_column", "naive_column", "unroll4_column",
                                              "diagonal_column"};
    const std::set<std::string> stores_down = {"copy_column", "naive_row", "unroll4_row",
                                               "diagonal_row"};
    std::set<std::string> found;
    for (const json& row : rows_run({"19_transpose", "20_transpose_tiles"}, "--n 64Ki")) {
        if (row.at("parameters").at("n") != n)
            continue;
        INFO(row.dump());
        const std::string variant = row.at("variant");
        const json& counts = row.at("counts");
        const auto lanes_across = std::stoull(row.at("parameters").at("block").get<std::string>());
        const auto word = row.at("parameters").at("word").get<std::uint64_t>();
        const std::uint64_t requests = n * sizeof(float) / (32 * word);
        // Side by side, 32 lanes touch one sector for each byte of their words; below each other, a
        // sector for each row: a warp of a block that is 8 across has 4 in each of 8 rows.
        // An aligned tile loads 32 rows more than its 128, and a third one has the last rows of c:
        // of 256 rows there are 1, 31 and 31 that another tile loads, too, 8 requests each.
        const std::uint64_t again = variant == "tile_tall_aligned" ? (1 + 31 + 31) * 8 : 0;
        CHECK(counts.at("load_requests") == requests + again);
        CHECK(counts.at("store_requests") == requests);
        CHECK(counts.at("load_sectors") ==
              requests * (loads_down.count(variant) == 1 ? lanes_across : word) + 4 * again);
        CHECK(counts.at("store_sectors") ==
              requests * (stores_down.count(variant) == 1 ? lanes_across : word));
        // The tile is written by rows and read by columns: all 32 lanes access the bank of lane 0.
        CHECK(counts.at("shared_load_conflicts") == (variant == "tile_plain" ? 31 * n / 32 : 0));
        CHECK(counts.at("shared_store_conflicts") == 0);
        found.insert(variant);
    }
    CHECK(found.size() == 18);
}

TEST_CASE("a transposition moves each element once, whatever the shape of the matrix", "[counts]")
{
    for (const char* n : {"16Ki", "16383", "77"}) { // 16383 = 127 x 129, 77 = 8 x 9 + 5
        for (const json& row :
             rows_run({"19_transpose", "20_transpose_tiles"}, std::string("--n ") + n)) {
            INFO(row.dump());
            const json& parameters = row.at("parameters");
            const auto elements = parameters.at("rows").get<std::uint64_t>() *
                                  parameters.at("columns").get<std::uint64_t>();
            CHECK(parameters.at("n") == elements);
            CHECK(row.at("verified") == true);
            if (row.at("variant") == "tile_tall_aligned") // loads rows for two tiles
                CHECK(row.at("counts").at("store_bytes") == elements * sizeof(float));
            else
                CHECK(row.at("counts").at("bytes_requested") == 2 * elements * sizeof(float));
        }
    }
}

// Lanes x to x + 31 of row y, as far as there are columns, each a float: from which byte, how many
// sectors?
TEST_CASE("rows with a pitch take the fewest sectors, dense rows one more where they begin badly",
          "[counts]")
{
    const std::uint64_t lane = sizeof(float);
    const std::uint64_t sector = 32;
    const json result = chapters::run("14_pitched_memory", "--n 64Ki");
    std::map<std::string, std::size_t> compared;
    for (const json& row : rows_run(result)) {
        INFO(row.dump());
        const std::string variant = row.at("variant");
        const json& parameters = row.at("parameters");
        const auto n = parameters.at("n").get<std::uint64_t>();
        if (variant == "linear") { // no rows, so none that begin badly
            CHECK(row.at("counts").at("load_sectors") == (n * lane + sector - 1) / sector);
            continue;
        }
        const auto columns = parameters.at("columns").get<std::uint64_t>();
        const std::uint64_t width = columns * lane;
        const bool dense = variant == "dense" || variant == "dense_box";
        const std::uint64_t pitch = dense ? width : (width + 511) / 512 * 512;
        if (parameters.count("pitch") != 0) // what a row "by hand" has is not in its results
            CHECK(parameters.at("pitch") == pitch);
        ++compared[variant];
        if (variant == "pitched_vectors") { // the columns behind the last vector take one more
            const std::uint64_t sectors_of_row =
                (columns / 4 * 4 * lane + sector - 1) / sector + (columns % 4 != 0 ? 1 : 0);
            for (const char* kind : {"load_sectors", "store_sectors"})
                CHECK(row.at("counts").at(kind) == n / columns * sectors_of_row);
            continue;
        }
        std::uint64_t requests = 0;
        std::uint64_t sectors = 0;
        for (std::uint64_t y = 0; y < n / columns; ++y) {
            for (std::uint64_t x = 0; x < columns; x += 32, ++requests) {
                const std::uint64_t first = y * pitch + x * lane;
                const std::uint64_t end = y * pitch + std::min(x + 32, columns) * lane;
                sectors += (end + sector - 1) / sector - first / sector;
            }
        }
        for (const std::string kind : {"load", "store"}) {
            CHECK(row.at("counts").at(kind + "_requests") == requests);
            CHECK(row.at("counts").at(kind + "_sectors") == sectors);
        }
    }
    const std::map<std::string, std::size_t> all = {
        {"dense", 4},       {"pitched", 4},     {"pitched_vectors", 4}, {"dense_box", 1},
        {"pitched_box", 1}, {"box_by_hand", 1}, {"matrix_by_hand", 4}};
    CHECK(compared == all);
}

TEST_CASE("an offset costs a fifth sector unless it is a multiple of eight floats, and only on its "
          "side",
          "[counts]")
{
    const json result = chapters::run("15_alignment", "--n 64Ki");
    std::set<std::uint64_t> offsets;
    for (const json& row : rows_run(result)) {
        INFO(row.dump());
        const auto offset = row.at("parameters").at("offset").get<std::uint64_t>();
        const auto n = row.at("parameters").at("n").get<std::uint64_t>();
        const json& counts = row.at("counts");
        const std::uint64_t sectors = offset % 8 == 0 ? 4 : 5;
        const bool reads = row.at("variant") != "write";
        CHECK(counts.at("load_requests") == 2 * n / 32);
        CHECK(counts.at("store_requests") == n / 32);
        CHECK(counts.at("load_sectors") == 2 * n / 32 * (reads ? sectors : 4));
        CHECK(counts.at("store_sectors") == n / 32 * (reads ? 4 : sectors));
        CHECK(row.at("bytes") == 3 * n * sizeof(float));
        offsets.insert(offset);
    }
    CHECK(offsets.size() == 33 + 1); // 0 to 32, and 128
}

TEST_CASE("a read moves the same sectors by any width, in as many requests fewer", "[counts]")
{
    const std::uint64_t n = 65536;
    const json result = chapters::run("22_bytes_in_flight", "--n 64Ki");
    for (const json& row : result.at("rows")) {
        INFO(row.dump());
        const auto width = row.at("parameters").at("width").get<std::uint64_t>();
        const json& counts = row.at("counts");
        CHECK(counts.at("load_sectors") == n * 4 / 32);
        CHECK(counts.at("load_requests") == n * 4 / 32 / width);
        CHECK(counts.at("load_efficiency") == 1.0);
    }
    CHECK(result.at("rows").size() > 20);
}

TEST_CASE("as many lanes as want one bank, so many wavefronts has a load of shared memory",
          "[counts]")
{
    const json result = chapters::run("25_contention", "--n 64Ki --variant banks");
    CHECK(result.at("rows").size() == 6);
    for (const json& row : result.at("rows")) {
        INFO(row.dump());
        const auto degree = row.at("parameters").at("degree").get<std::uint64_t>();
        const auto loads = row.at("operations").get<std::uint64_t>();
        CHECK(loads == 65536 / 32);
        CHECK(row.at("counts").at("shared_load_conflicts") == (degree - 1) * loads);
    }
}

TEST_CASE("the less of a sector is written, the more sectors has a store", "[counts]")
{
    const json result =
        chapters::run("24_streams", "--n 64Ki --variant sectors --variant sectors_l2");
    CHECK(result.at("rows").size() == 2 * 4);
    for (const json& row : result.at("rows")) {
        INFO(row.dump());
        const auto stored = row.at("parameters").at("stored").get<std::uint64_t>();
        const json& counts = row.at("counts");
        CHECK(counts.at("store_sectors") ==
              counts.at("store_requests").get<std::uint64_t>() * 32 * 4 / stored);
        CHECK(counts.at("store_bytes") == row.at("bytes"));
    }
}

TEST_CASE("what measures no bandwidth moves no bytes and says what it does instead")
{
    const std::set<std::string> rates = {"launch", "chase",  "chase_shared",
                                         "banks",  "atomic", "atomic_returns"};
    for (const json& row : rows_run(
             {"21_latency", "22_bytes_in_flight", "23_block_launch", "24_streams", "25_contention"},
             "--n 4Ki")) {
        INFO(row.dump());
        CHECK(rates.count(row.at("variant")) == (row.at("bytes") == 0 ? 1 : 0));
        CHECK((row.at("bytes") > 0 || row.at("operations") > 0));
        CHECK(row.at("task") != "add"); // no match for what the other chapters do
        CHECK(row.at("task") != "copy");
    }
}

TEST_CASE("a block that joins its elements takes one turn at the result", "[counts]")
{
    const std::uint64_t n = 1 << 16;
    const json result = chapters::run("28_reduction", "--n 64Ki --no-model");
    for (const json& row : result.at("rows")) {
        INFO(row.dump());
        if (row.at("library") == true)
            continue;
        const json& counts = row.at("counts");
        const std::string variant = row.at("variant");
        const auto loads = row.at("parameters").at("loads").get<std::uint64_t>();
        const bool stays = variant == "grid_stride" || variant == "last_block";
        CHECK(counts.at("atomic_sectors") == (variant == "atomic" ? n
                                              : stays             ? n / (512 * 4 * loads)
                                                                  : n / 256));
        if (variant != "last_block")
            CHECK(counts.at("load_requests") == n / 32 / (stays ? 4 : 1));
        if (variant != "last_block")
            CHECK(counts.at("load_sectors") == n / 8);
    }
}

TEST_CASE("to prefetch changes neither requests nor sectors", "[counts]")
{
    const std::uint64_t n = 1 << 16;
    const std::vector<json> rows = rows_run(chapters::run("36_pipelines", "--n 64Ki --no-model"));
    CHECK(rows.size() >= 10);
    for (const json& row : rows) {
        INFO(row.dump());
        const json& counts = row.at("counts");
        const bool shared = row.at("variant") == "async";
        CHECK(counts.at("load_requests") == 2 * n / 128);
        CHECK(counts.at("load_sectors") == 2 * n / 8);
        CHECK(counts.at("store_requests") == n / 128);
        CHECK(counts.at("shared_load_requests") == (shared ? 2 * n / 128 : 0));
    }
}

TEST_CASE("one pass of a scan reads each word once and asks backwards once a tile", "[counts]")
{
    const std::uint64_t n = 1 << 16;
    const json result = chapters::run("29_scan", "--n 64Ki --no-model");
    for (const json& row : result.at("rows")) {
        INFO(row.dump());
        const std::string variant = row.at("variant");
        if (row.at("library") == true || variant.starts_with("ring"))
            continue;
        const json& counts = row.at("counts");
        const auto bytes = row.at("parameters").at("bytes_per_thread").get<std::uint64_t>();
        const std::uint64_t tiles = n * 4 / (512 * bytes);
        if (variant == "three_kernels") {
            CHECK(counts.at("load_sectors") > 2 * n / 8);
            CHECK(counts.at("load_sectors") < 2.05 * n / 8);
        } else {
            CHECK(counts.at("atomic_requests") == tiles);
            CHECK(counts.at("load_requests") == n / 128 + tiles - 1);
            CHECK(counts.at("store_requests") >= n / 128 + tiles);
        }
    }
}

TEST_CASE("a counter sees a turn of each kept word, or one of each warp", "[counts]")
{
    const std::uint64_t n = 1 << 16;
    const json result = chapters::run("31_select", "--n 64Ki --no-model");
    for (const json& row : result.at("rows")) {
        INFO(row.dump());
        const std::string variant = row.at("variant");
        if (row.at("library") == true || variant == "ring_ahead")
            continue;
        const json& counts = row.at("counts");
        const std::string kept = row.at("parameters").at("kept");
        const auto bytes = row.at("parameters").at("bytes_per_thread").get<std::uint64_t>();
        const std::uint64_t found = row.at("bytes").get<std::uint64_t>() / 4 - n - 1;
        CHECK((kept == "all" ? found == n : kept == "none" ? found == 0 : found < n / 100 * 51));
        if (variant == "atomic")
            CHECK(counts.at("atomic_sectors") == found);
        else if (variant == "warp_aggregated")
            CHECK(counts.at("atomic_sectors") == n * 4 / (32 * bytes));
        else if (variant == "look_back")
            CHECK(counts.at("load_requests") == n / 32 + n * 4 / (256 * bytes) - 1);
    }
}

// 1024 x 1024 floats: a load of a warp is of 32 rows, or of one.
TEST_CASE("a warp that shares a row reads every sector of it once, and one with 32 rows twice",
          "[counts]")
{
    const std::uint64_t n = 1 << 20;
    const json result = chapters::run("32_matrix_vector", "--n 1Mi --no-model");
    std::set<std::string> seen;
    for (const json& row : result.at("rows")) {
        const json& parameters = row.at("parameters");
        if (row.at("library") == true || parameters.at("type") != "float" ||
            parameters.at("order") == "sparse" || parameters.at("rows") != 1024)
            continue;
        INFO(row.dump());
        const std::string variant = row.at("variant");
        seen.insert(variant);
        const std::uint64_t matrix = n * sizeof(float) / 32;
        const std::uint64_t loads = row.at("counts").at("load_sectors");
        if (variant == "thread_per_row")
            CHECK(loads == 2 * matrix + n / 128); // and x, one sector for all lanes
        else if (parameters.at("order") == "rows")
            CHECK(loads == 2 * matrix); // and x for each row
        else
            CHECK(loads == matrix + n / 128); // and an element of x for each 16 lanes
    }
    CHECK(seen == std::set<std::string>{"thread_per_row", "warp_per_row", "block_per_row",
                                        "unsplit_rows", "split_rows", "columns", "split_columns"});
}

TEST_CASE("a row that is kept is loaded once, one that is gone over as often as that", "[counts]")
{
    const std::uint64_t rows = 16;
    const std::uint64_t columns = 4096;
    const std::uint64_t sectors = rows * columns * 2 / 32; // of bf16 values
    const json result = chapters::run("33_rows", "--n 64Ki --no-model");
    CHECK(result.at("rows").size() == 17);
    for (const json& row : result.at("rows")) {
        INFO(row.dump());
        const json& counts = row.at("counts");
        const std::string variant = row.at("variant");
        const bool softmax = row.at("task") == "softmax";
        const std::uint64_t passes = variant == "three_passes" ? 3
                                     : variant == "two_passes" ? 2
                                                               : 1;
        // The weights are as long as a row. A norm loads them once, that in 8 bits in both passes.
        const std::uint64_t weights = row.at("task") == "norm" ? 1 : softmax ? 0 : 2;
        if (variant != "two_kernels")
            CHECK(counts.at("load_sectors") == sectors * (passes + weights));
        if (row.at("task") != "norm to fp8")
            CHECK(counts.at("store_sectors") == sectors);
        else if (variant != "two_kernels")
            CHECK(counts.at("store_sectors") == sectors / 2 + rows); // and the scales
        CHECK((counts.at("shared_load_requests") == 0) == (variant == "warp_per_row"));
    }
}

TEST_CASE("how steps are launched changes no request and no sector", "[counts]")
{
    const json result = chapters::run("37_small_kernels", "--n 64Ki --no-model");
    std::map<std::string, json> first;
    for (const json& row : rows_run(result)) {
        INFO(row.dump());
        const std::string kind =
            row.at("task").get<std::string>() + " of " + row.at("parameters").at("steps").dump();
        const auto [entry, added] = first.emplace(kind, row.at("counts"));
        for (const char* count : {"load_sectors", "store_requests", "store_sectors"})
            CHECK(row.at("counts").at(count) == entry->second.at(count));
        CHECK(row.at("counts").at("store_sectors") == 65536 * sizeof(unsigned) / 32);
    }
    CHECK(first.size() == 2 * 5);
}

TEST_CASE("a block adds its counters to the result once, whatever it has counted", "[counts]")
{
    const std::uint64_t n = 1 << 16;
    const json result = chapters::run("30_histogram", "--n 64Ki --no-model");
    for (const json& row : rows_run(result)) {
        INFO(row.dump());
        const json& counts = row.at("counts");
        const std::uint64_t bytes = row.at("parameters").at("elements") == "bytes" ? n : 4 * n;
        if (row.at("variant") == "global") {
            CHECK(counts.at("atomic_requests") == n / 32);
            if (row.at("parameters").at("values") == "equal")
                CHECK(counts.at("atomic_sectors") == n);
            continue;
        }
        const std::uint64_t blocks = bytes / (1024 * 16);
        CHECK(counts.at("atomic_sectors") == blocks * 256 * sizeof(unsigned) / 32);
        CHECK(counts.at("load_requests") == bytes / (32 * 16));
        CHECK(counts.at("load_sectors") == bytes / 32);
        CHECK(counts.at("shared_load_conflicts") == 0); // where copies are added up, too
        CHECK(counts.at("shared_store_conflicts") == 0);
        CHECK(counts.at("shared_atomic_requests") == n / 32);
        const std::uint64_t conflicts = counts.value("shared_atomic_conflicts", 0u);
        if (row.at("variant") == "per_lane" || row.at("parameters").at("values") == "equal")
            CHECK(conflicts == 0); // lanes in 32 banks, or of one word
        else if (row.at("variant") == "per_block" && row.at("parameters").at("values") == "uniform")
            CHECK(conflicts > 2 * n / 32);
    }
}

TEST_CASE("each pass over the words reads them all, and a block sends its counters once",
          "[counts]")
{
    const std::uint64_t n = 1 << 18;
    const json result = chapters::run("38_clusters", "--n 256Ki --no-model");
    std::size_t rows = 0;
    for (const json& row : rows_run(result)) {
        INFO(row.dump());
        const json& counts = row.at("counts");
        const bool global = row.at("variant") == "global";
        const std::uint64_t counters = row.at("parameters").at("counters");
        const auto blocks = global ? 1 : row.at("parameters").at("blocks").get<std::uint64_t>();
        const std::uint64_t readings = row.at("variant") == "multi_pass" ? counters >> 15 : blocks;
        CHECK(counts.at("load_requests") == readings * n / 128);
        CHECK(counts.at("load_sectors") == readings * n / 8);
        if (global)
            CHECK(counts.at("atomic_sectors") > n * 99 / 100);
        else // of a group for every counters / 4 words
            CHECK(counts.at("atomic_sectors") == 4 * n / counters * counters / 8);
        rows += 1;
    }
    CHECK(rows == 8);
}

TEST_CASE("a thread with a row takes a sector a vector, neighbours with vectors share them",
          "[counts]")
{
    const json result = chapters::run("35_indexed_rows", "--n 64Ki --no-model");
    for (const json& row : rows_run(result)) {
        INFO(row.dump());
        const json& counts = row.at("counts");
        const std::string variant = row.at("variant");
        const std::uint64_t vectors = 65536 * 2 / 16;
        if (variant == "row_per_thread") // each vector is stored by a request's lane of its own
            CHECK(counts.at("store_sectors") == vectors);
        else if (variant == "vector_per_thread" || variant.starts_with("row_a_"))
            CHECK(counts.at("store_sectors") == vectors / 2);
        else if (variant == "atomic_add_rows")
            CHECK(counts.at("atomic_sectors") == vectors * 4 / 8);
        else
            CHECK(counts.at("atomic_requests") == 0);
    }
}

TEST_CASE(
    "a warp a row reads a layer's weights in whole sectors, a graph no other than its launches",
    "[counts]")
{
    const json result = chapters::run("39_decoder_layer", "--n 1Mi --no-model");
    const std::uint64_t weights = 27 * 256 * 256 / 2; // 13.5 hidden^2, of 2 bytes
    std::map<std::string, std::uint64_t> sectors;
    for (const json& row : result.at("rows"))
        if (!row.at("counts").is_null())
            sectors[row.at("variant")] = row.at("counts").at("load_sectors");
    CHECK(sectors.size() == 5);
    CHECK(sectors.at("thread_per_row") >
          10 * weights * 2 / 32); // 2 of a sector's 32 bytes are used
    for (const char* name : {"split_attention", "graph"})
        CHECK(sectors.at(name) > weights * 2 / 32);
    CHECK(sectors.at("split_attention") < 2 * weights * 2 / 32);
    CHECK(sectors.at("graph") == sectors.at("split_attention"));
}

TEST_CASE("asking lines to stay in the L2 changes no request and no sector", "[counts]")
{
    const std::uint64_t n = 1 << 20;
    const json result = chapters::run("18_l2_persistence", "--n 1Mi");
    CHECK(result.at("rows").size() == 24);
    for (const json& row : result.at("rows")) {
        INFO(row.dump());
        const bool once = row.at("variant").get<std::string>().starts_with("once");
        const std::uint64_t floats = once ? n / 16 : n; // half of a set-aside of an eighth
        const json& counts = row.at("counts");
        CHECK(counts.at("load_requests") == 2 * floats / (32 * 4)); // a float4 of each a lane
        CHECK(counts.at("load_sectors") == 2 * floats * sizeof(float) / 32);
        CHECK(counts.at("store_sectors") == floats * sizeof(float) / 32);
        CHECK(row.at("bytes") ==
              2 * floats * sizeof(float)); // the window is read once at the least
    }
}

TEST_CASE("an address says what memory it is in, and no memory changes a kernel's requests",
          "[counts]")
{
    const std::uint64_t n = 65536;
    const json result = chapters::run("11_mapped_memory", "--n 64Ki");
    std::multimap<std::string, std::string> kinds;
    for (const json& row : result.at("rows")) {
        INFO(row.dump());
        kinds.emplace(row.at("variant"), row.at("parameters").at("inputs"));
        const std::uint64_t passes = row.at("parameters").at("passes");
        const json& counts = row.at("counts");
        CHECK(counts.at("load_requests") == passes * 2 * n / 32);
        CHECK(counts.at("load_sectors") == passes * 2 * n * sizeof(float) / 32);
        CHECK(counts.at("store_sectors") == passes * n * sizeof(float) / 32);
    }
    const std::multimap<std::string, std::string> expected = {
        {"device", "device"},
        {"mapped", "host"},
        {"mapped", "host"},
        {"mapped", "host"},
        {"copy", "host"},
        {"copy", "host"},
        {"copy", "host"},
        {"default_copies", "host"},
        {"default_copies", "unregistered"},
        {"host_pointer", "host"},
        {"host_pointer", "managed"},
    };
    CHECK(kinds == expected);
}

TEST_CASE(
    "managed memory changes no request; a static managed variable adds one per warp, in a sector",
    "[counts]")
{
    const std::uint64_t warps = 65536 / 32;
    for (const json& row : rows_run({"12_unified_memory", "13_prefetch_and_advice"}, "--n 64Ki")) {
        INFO(row.dump());
        const std::string phase = row.at("parameters").at("phase");
        const json& counts = row.at("counts");
        if (row.at("variant") == "managed_static") {
            CHECK(counts.at("load_requests") == 3 * warps);
            CHECK(counts.at("load_sectors") == (4 + 4 + 1) * warps);
            continue;
        }
        const std::uint64_t kernels = phase == "total_of_16"                          ? 16
                                      : phase == "total" || phase.find("kernel") == 0 ? 1
                                                                                      : 0;
        CHECK(counts.at("load_requests") == kernels * 2 * warps);
        CHECK(counts.at("load_sectors") == kernels * 8 * warps);
        CHECK(counts.at("store_sectors") == kernels * 4 * warps);
    }
}

TEST_CASE("in the model all loads before the first store are ahead, in either order", "[modelled]")
{
    const json result =
        chapters::run("03_coarsening", "--variant blocked_x4 --variant blocked_x4_loads_first "
                                       "--variant striped_x4 --variant striped_x4_loads_first");
    std::map<std::string, double> ms; // of the slowest block size
    for (const json& row : result.at("rows")) {
        double& most = ms[row.at("variant")];
        most = std::max(most, row.at("modelled").at("ms").get<double>());
    }
    for (const std::string order : {"blocked_x4", "striped_x4"})
        CHECK(ms.at(order + "_loads_first") < 0.9 * ms.at(order));
}

TEST_CASE("in the model pages move when they are missed, and only then", "[modelled]")
{
    std::map<std::string, double> modelled;
    for (const json& row : rows_run({"12_unified_memory", "13_prefetch_and_advice"}, "--n 64Ki")) {
        const std::string phase = row.at("parameters").at("phase");
        modelled[row.at("variant").get<std::string>() + " " + phase] =
            row.at("modelled").at("ms").get<double>();
    }
    CHECK(modelled.at("managed kernel") > 2 * modelled.at("managed_prefetch transfer"));
    CHECK(modelled.at("managed kernel_again") == modelled.at("explicit kernel"));
    CHECK(modelled.at("managed_prefetch kernel") == modelled.at("explicit kernel"));
    CHECK(modelled.at("managed initialise") > modelled.at("explicit initialise"));
    CHECK(modelled.at("managed_read_mostly host_sum") < modelled.at("managed_prefetch host_sum"));
    CHECK(modelled.at("managed_stay host_sum") == modelled.at("explicit host_sum"));
    CHECK(modelled.at("managed_stay kernel") > modelled.at("explicit kernel"));
}

TEST_CASE("a read of constants takes a pass for each word that the warp accesses", "[counts]")
{
    const std::uint64_t requests = 65536 / 32;
    const json result = chapters::run("08_constant_memory", "--n 64Ki");
    std::size_t rows = 0;
    for (const json& row : result.at("rows")) {
        if (!row.at("parameters").contains("wanted"))
            continue;
        INFO(row.dump());
        const auto wanted = row.at("parameters").at("wanted").get<std::uint64_t>();
        const json& counts = row.at("counts");
        if (row.at("variant") == "constant") {
            CHECK(counts.at("constant_requests") == requests);
            CHECK(counts.at("constant_wavefronts") == requests * wanted);
            CHECK(counts.at("load_requests") == requests);
        } else { // 8 words are a sector
            const std::uint64_t pointer = row.at("variant") == "through_pointer" ? 1 : 0;
            CHECK(counts.at("constant_requests") == 0);
            CHECK(counts.at("load_sectors") ==
                  requests * (4 + std::max<std::uint64_t>(wanted / 8, 1) + pointer));
        }
        ++rows;
    }
    CHECK(rows == 6 + 6 + 1);
}

TEST_CASE("an array with an index of the thread's own is in local memory, unrolled it is not",
          "[counts]")
{
    const std::uint64_t requests = 65536 / 32;
    const json result = chapters::run("09_local_memory", "--n 64Ki");
    for (const json& row : result.at("rows")) {
        const bool local = row.at("variant") == "rotate_local";
        INFO(row.dump());
        const json& counts = row.at("counts");
        CHECK(counts.at("local_store_requests") == (local ? requests : 0));
        CHECK(counts.at("local_store_sectors") == (local ? 4 * requests : 0));
        CHECK(counts.at("local_load_requests") == (local ? requests : 0));
        CHECK(counts.at("local_load_sectors") == (local ? 32 * requests : 0));
    }
}

// The modelled milliseconds of a row: at its own size, or at n elements.
double modelled(const json& row, std::uint64_t n = 0)
{
    const json& model = row.at("modelled");
    for (const json& size : model.at("at"))
        if (size.at("n") == n)
            return size.at("ms");
    return model.at("ms");
}

TEST_CASE("pinned memory crosses the link several times as fast as pageable memory, in the model",
          "[modelled]")
{
    const json result = chapters::run("10_pinned_memory", "--n 256Ki");
    std::map<std::string, double> ms;
    for (const json& row : result.at("rows")) {
        CHECK(row.at("time_ms").is_null()); // it is a model, and no measurement
        ms[row.at("variant")] = modelled(row);
    }
    CHECK(ms.at("pageable_to_device") > 2 * ms.at("pinned_to_device"));
    CHECK(ms.at("pageable_to_host") > 2 * ms.at("pinned_to_host"));
    CHECK(ms.at("registered_to_device") == ms.at("pinned_to_device"));
    CHECK(ms.at("register_copy_unregister") > ms.at("register") + ms.at("unregister"));
    CHECK(ms.at("read_write_combined") > ms.at("read_pinned")); // a rate of its own
}

TEST_CASE("only the pipeline overlaps copies, and its larger direction bounds it, in the model",
          "[modelled]")
{
    const std::uint64_t n = std::uint64_t{1} << 28U;
    const json result = chapters::run("04_async_memcpy", "--n 64Ki");
    double serial = 0;
    for (const json& row : result.at("rows")) {
        if (row.at("parameters").at("memory") == "pageable")
            continue;
        const double ms = modelled(row, n);
        INFO(row.at("variant"));
        if (row.at("variant") == "memcpy") {
            serial = ms;
        } else if (row.at("variant") == "pipeline") {
            CHECK(ms > 0.65 * serial);
            CHECK(ms < 0.7 * serial);
        } else {
            CHECK(ms > 0.99 * serial);
            CHECK(ms <= serial);
        }
    }
    const json kernels = chapters::run("03_coarsening", "--n 64Ki --variant striped_x2");
    CHECK(kernels.at("rows").at(0).at("modelled").at("operations").empty());
}

TEST_CASE(
    "chapters of several devices verify on any number of devices, and says what one cannot do",
    "[devices]")
{
    for (const char* devices : {"1", "3", "4"}) {
        for (const char* n : {"3", "4099", "65537"}) {
            const std::string options =
                std::string("--no-model --devices ") + devices + " --n " + n;
            for (const char* chapter :
                 {"40_peer_copy", "41_halo_exchange", "42_all_reduce", "43_all_reduce_in_pieces"}) {
                const json result = chapters::run(chapter, options);
                INFO(chapter << " " << options);
                std::size_t missing = 0;
                for (const json& row : result.at("rows")) {
                    INFO(row.dump());
                    if (row.value("note", "") == "needs two GPUs")
                        ++missing;
                    else if (row.value("note", "") != "GPU only")
                        CHECK(row.at("verified") == true);
                }
                CHECK((missing > 0) == (std::string(devices) == "1"));
            }
        }
    }
}

// Of n floats per device needs those of all others, or of its share of them; and its share of the
// sum goes to all others.
TEST_CASE("two-phase sends 2 / P of what one-shot sends", "[counts]")
{
    const std::uint64_t n = 65536;
    const std::uint64_t array = n * sizeof(float);
    for (const std::uint64_t devices : {2, 4}) {
        const std::string options = "--n 64Ki --no-model --devices " + std::to_string(devices);
        std::set<std::string> seen;
        for (const json& row : rows_run({"42_all_reduce", "43_all_reduce_in_pieces"}, options)) {
            if (row.at("task") != "all-reduce")
                continue;
            seen.insert(row.at("variant"));
            INFO(row.dump());
            CHECK(row.at("bytes") == 2 * (devices - 1) * array / devices);
            CHECK(row.at("peer_bytes") == (row.at("variant") == "one_shot"
                                               ? devices * (devices - 1) * array
                                               : 2 * (devices - 1) * array));
        }
        CHECK(seen == std::set<std::string>{"one_shot", "two_phase", "two_phase_stores",
                                            "two_phase_copies"});
    }
}

TEST_CASE("a kernel that reads across the link and one that writes send the same", "[counts]")
{
    const std::uint64_t n = 65536;
    const json result = chapters::run("40_peer_copy", "--n 64Ki --no-model --variant kernel_read "
                                                      "--variant kernel_write");
    CHECK(result.at("options").at("devices") == 2);
    std::set<std::string> seen;
    for (const json& row : rows_run(result)) {
        seen.insert(row.at("variant"));
        INFO(row.dump());
        const bool read = row.at("variant") == "kernel_read";
        const std::uint64_t sectors =
            row.at("parameters").at("ways").get<std::uint64_t>() * n * sizeof(float) / 32;
        CHECK(row.at("counts").at(read ? "peer_load_sectors" : "peer_store_sectors") == sectors);
        CHECK_FALSE(row.at("counts").value(read ? "peer_store_sectors" : "peer_load_sectors", 0u));
    }
    CHECK(seen == std::set<std::string>{"kernel_read", "kernel_write"});
}
