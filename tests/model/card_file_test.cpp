// Card files: what becomes of their figures, and that a wrong one is refused with its reason.
#include "common/model/card.hpp"
#include "common/model/model_error.hpp"
#include "tests/catch.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

using namespace common;

namespace {

/// A card file with other limits, constants and more fields.
std::string file(std::string_view limits, std::string_view constants, std::string_view more = "")
{
    return fmt::format(
        R"({{"schema": 2, "base": "h200", "name": "Z1", "basis": "guessed", "doubt": "By 9.",)"
        R"( "limits": {{{}}}, "constants": {{{}}}{}}})",
        limits, constants, more);
}

/// What the file is refused for, without its name.
std::string refusal(const std::string& text)
{
    try {
        card_from_json(text, "a.json");
    } catch (const CardError& error) {
        const std::string said = error.what();
        const std::string begin = "a.json is not a card file: ";
        return said.starts_with(begin) ? said.substr(begin.size()) : said;
    }
    return "";
}

} // namespace

TEST_CASE("a path or a name that ends in .json is a file")
{
    CHECK(names_card_file("build/card.json"));
    CHECK(names_card_file("card.json"));
    CHECK(names_card_file("./card"));
    CHECK_FALSE(names_card_file("h200"));
    CHECK_FALSE(names_card_file("none"));
}

TEST_CASE("a file without limits and constants is its base GPU under another name")
{
    const Card& h200 = *find_card("h200");
    const std::string text = file("", "");
    const std::string name = "same.json";
    const Card& card = card_from_json(text, name);
    CHECK(card.name == "Z1");
    CHECK(card.basis == "guessed");
    CHECK(typical_errors("Z1") == "By 9.");
    CHECK(card.dram_ns == h200.dram_ns);
    CHECK(card.l2_write == h200.l2_write);
    CHECK(card.memory_gb_per_s == h200.memory_gb_per_s);
    CHECK(card.peak() == h200.peak());
    CHECK(find_card("same.json") == &card);
    CHECK(find_card("Z1") == &card);
    CHECK(cards().front().option == "h200");
}

TEST_CASE("a constant of the file counts, and what it leaves out is scaled by clock, L2 and peak")
{
    const Card& h200 = *find_card("h200");
    const std::string text =
        file(R"("multiprocessors": 66, "clock_khz": 990000, "memory_clock_khz": 1600500,)"
             R"( "l2_bytes": 31457280)",
             R"("dram_ns": {"value": 600, "spread": 0.1, "source": "x"}, "launch_rate": 1.5)");
    const std::string name = "half.json";
    const Card& card = card_from_json(text, name);
    CHECK(card.limits.multiprocessors == 66);
    CHECK(card.dram_ns == 600);
    CHECK(card.launch_rate == 1.5);
    CHECK(card.l1_ns == Approx(2 * h200.l1_ns)); // as many cycles
    CHECK(card.slice_atomics == Approx(h200.slice_atomics / 2));
    CHECK(card.atomics == Approx(h200.atomics / 4)); // half as many slices, too
    CHECK(card.l2_write == Approx(4 * h200.l2_write));
    CHECK(card.l2_effective_bytes == Approx(h200.l2_effective_bytes / 2));
    CHECK(card.dram_rate == Approx(h200.dram_rate / 2).epsilon(0.001)); // peaks are whole GB/s
    CHECK(card.link_in_gb_per_s == h200.link_in_gb_per_s);
    CHECK(card.rw_turnaround == h200.rw_turnaround);
}

TEST_CASE("a later file of the same name counts, and who holds the earlier one keeps it")
{
    const std::string again = "again.json";
    const std::string first_text = file("", R"("dram_ns": 1)");
    const std::string second_text = file("", R"("dram_ns": 2)");
    const Card& first = card_from_json(first_text, again);
    const Card& second = card_from_json(second_text, again);
    CHECK(find_card("again.json") == &second);
    CHECK(first.dram_ns == 1);
}

TEST_CASE("what is wrong with a card file is said")
{
    CHECK(refusal(file("", "")).empty());
    CHECK(refusal("{").starts_with("parse error at line 1, column 2: "));
    CHECK(refusal("[]") == "cannot use at() with array.");
    CHECK(refusal("{}") == "key 'schema' not found.");
    CHECK(refusal(R"({"schema": 1})") == "its schema is not 2: ./run calibrate writes it anew.");
    CHECK(refusal(R"({"schema": 2, "base": "h20"})").find("did you mean 'h200'?") !=
          std::string::npos);
    CHECK(refusal(file("", R"("dram_nz": 3)")) ==
          "constants.dram_nz is not a property of a GPU; did you mean 'dram_ns'?");
    for (const char* const value : {"0", "-3", R"("3")", "null", "1e300", R"({"value": -1})"})
        CHECK(refusal(file("", fmt::format(R"("dram_ns": {})", value)))
                  .find("which is not a number from 1e-09 to 1e+12") != std::string::npos);
    for (const char* const value : {"0", "-3", "1.5", R"("3")", "4000000000"})
        CHECK(refusal(file(fmt::format(R"("multiprocessors": {})", value), ""))
                  .find("which is not a whole number from 1 to 1024") != std::string::npos);
    CHECK(refusal(file("", R"("dram_ns": {})")) == "key 'value' not found.");
    CHECK(refusal(file(R"("memory_bus_bits": 1, "memory_clock_khz": 1)", ""))
              .find("is below 1 GB/s") != std::string::npos);
    CHECK(refusal(file(R"("warps": 3)", "")).find("limits.warps is not a property") == 0);
    CHECK(refusal(R"({"schema": 2, "base": "h200", "limits": [2], "constants": {}})") ==
          "limits.0 is not a property of a GPU.");
    CHECK(refusal(R"({"schema": 2, "base": "h200", "limits": {}, "constants": {},)"
                  R"( "name": "\u001b[31m"})") ==
          "name is not a text of 1 to 80 ASCII characters.");
    const std::string deep(100'000, '[');
    CHECK(refusal(file("", R"("dram_ns": )" + deep + std::string(deep.size(), ']'))) ==
          "constants.dram_ns is a list or an object, which is not a number from 1e-09 to "
          "1e+12.");
    CHECK_THROWS_WITH(read_card_file("no/such/file.json"),
                      "Cannot read the card file no/such/file.json: No such file or directory.");
    CHECK_THROWS_WITH(read_card_file("/dev/null"),
                      "Cannot read the card file /dev/null: it is empty.");
    CHECK_THROWS_WITH(read_card_file("/dev/zero"),
                      "/dev/zero is not a card file: it is longer than 1.0 MiB.");
}
