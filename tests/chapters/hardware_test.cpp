// The CPU device's counts against those of a real GPU, recorded in book/results/*/counters.json.

#include "tests/catch.hpp"
#include "tests/chapters/run_chapter.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

namespace {

using chapters::json;

// Where the two differ, by how much at the most, and why: a list that the book's page on the CPU
// device shows, too. Everything else is equal to the last unit.
struct Deviation
{
    double limit; ///< difference over the larger of the two counts
    std::string reason;
};

std::map<std::string, Deviation> known_deviations()
{
    std::map<std::string, Deviation> known;
    const json kinds = chapters::read_json(KNOWN_DEVIATIONS);
    for (const json& kind : kinds)
        for (const auto& [name, limit] : kind.at("of").items())
            REQUIRE(known.emplace(name, Deviation{limit.get<double>(), kind.at("why")}).second);
    return known;
}

// What the CPU device counts for a chapter at its usual size: as recorded, if the test book.counts
// has shown that this build counts the same.
json counts_of(const std::string& chapter)
{
    const std::string recorded = std::string(RESULTS_FOLDER) + "/cpu/" + chapter + ".json";
    return COUNTS_ARE_RECORDED && std::filesystem::exists(recorded) ? chapters::read_json(recorded)
                                                                    : chapters::run(chapter, "");
}

// What the GPU and its compiler make of a kernel tells no variants apart.
json identity(const json& row)
{
    json parameters = row.at("parameters");
    for (const char* resource :
         {"occupancy", "registers", "local_bytes", "constant_bytes", "shared_bytes"})
        parameters.erase(resource);
    return {{"variant", row.at("variant")}, {"parameters", parameters}};
}

json counts_on_cpu_device(const json& results, const json& recorded)
{
    for (const json& row : results.at("rows"))
        if (identity(row) == identity(recorded))
            return row.at("counts");
    return nullptr;
}

// What the CPU device has for a field of `counts` in counters.json. The wavefronts of shared memory
// are one for each request, four if its lanes have a `word` of 16 bytes each, and one for each bank
// conflict.
double count_on_cpu_device(const json& counts, const json& row, const std::string& field)
{
    for (const char* kind : {"shared_load", "shared_store"}) {
        if (field == std::string(kind) + "_wavefronts") {
            const int words = std::max(1, row.at("parameters").value("word", 4) / 4);
            return words * counts.at(std::string(kind) + "_requests").get<double>() +
                   counts.at(std::string(kind) + "_conflicts").get<double>();
        }
    }
    return counts.at(field).get<double>();
}

} // namespace

TEST_CASE("the CPU device counts what the hardware counts, for every variant of every chapter")
{
    const std::map<std::string, Deviation> known_ones = known_deviations();
    std::size_t compared = 0;
    std::set<std::string> deviating;
    std::set<std::string> chapters_recorded;
    std::map<std::string, json> results;
    for (const std::string& file : chapters::counters_files()) {
        const json counters = chapters::read_json(file);
        for (const json& recorded : counters.at("rows")) {
            if (recorded.at("library") == true || recorded.at("large") == true)
                continue; // only a GPU has it, and the CPU device counts at the small sizes
            const std::string chapter = recorded.at("chapter");
            if (chapter.starts_with("claim_"))
                continue; // an experiment: its counters explain times, and no counts
            chapters_recorded.insert(chapter);
            if (!results.count(chapter))
                results[chapter] = counts_of(chapter);
            const json cpu = counts_on_cpu_device(results.at(chapter), recorded);
            if (cpu.is_null()) {
                WARN("GPU only: " << chapter << " " << identity(recorded).dump());
                continue;
            }
            for (const auto& [field, value] : recorded.at("counts").items()) {
                const std::string name =
                    chapter + " " + recorded.at("variant").get<std::string>() + " " + field;
                if (value.is_null()) {
                    WARN(name << " was not recorded: this GPU has no such counter");
                    continue;
                }
                const auto hardware = value.get<double>();
                const double counted = count_on_cpu_device(cpu, recorded, field);
                const double difference = std::abs(counted - hardware);
                INFO(name << ": " << counted << " on the CPU device, " << value << " on the GPU");
                ++compared;
                if (difference == 0) {
                    CHECK(true);
                    continue;
                }
                REQUIRE(known_ones.count(name) == 1);
                const Deviation& known = known_ones.at(name);
                CHECK(difference <= known.limit * std::max(counted, hardware));
                WARN(name << " differs: " << known.reason);
                deviating.insert(name);
            }
        }
    }
    CHECK(compared > 500);
    for (const auto& [name, known] : known_ones) {
        if (!chapters_recorded.count(name.substr(0, name.find(' '))))
            continue;
        INFO(name << " no longer deviates: take it off the list");
        CHECK(deviating.count(name) == 1);
    }
}

// The cache of indexed constants also serves a kernel's parameters, so its count is not equal to
// the passes; but from row to row of one kernel nothing else changes.
TEST_CASE("from uniform to divergent, the constant cache serves as many more requests as passes")
{
    std::size_t compared = 0;
    const json results = counts_of("08_constant_memory");
    for (const std::string& file : chapters::counters_files()) {
        double parameters = -1; // requests that are not passes
        const json counters = chapters::read_json(file);
        for (const json& recorded : counters.at("rows")) {
            if (recorded.at("chapter") != "08_constant_memory" ||
                recorded.at("variant") != "constant" || recorded.at("large") == true)
                continue;
            INFO(identity(recorded).dump());
            const json& requests = recorded.at("hardware").at("constant_cache_requests");
            const double others =
                requests.get<double>() -
                counts_on_cpu_device(results, recorded).at("constant_wavefronts").get<double>();
            CHECK(others > 0);
            CHECK((parameters < 0 || others == parameters));
            parameters = others;
            ++compared;
        }
    }
    CHECK(compared >= 6);
}
