// A table of text: what it does when there is no room, or nothing to show.
#include "common/text/format.hpp"
#include "common/text/text_table.hpp"
#include "tests/catch.hpp"

using namespace common;

namespace {

TextTable kernels()
{
    TextTable table({{.heading = {"", "kernel"}, .left = true},
                     {.heading = {"% of", "peak"}, .importance = 20},
                     {.heading = {"effi-", "ciency"}, .importance = 10},
                     {.heading = {"atomic", "requests"}, .optional = true}});
    table.add({"add", "92", "100 %", "0"});
    table.add({"transposeNaïve", "8", "12.5 %", "-"});
    return table;
}

} // namespace

TEST_CASE("names start at the left, numbers end at the right, and no line ends in blanks")
{
    CHECK(kernels().text() == "                % of   effi-    atomic\n"
                              "kernel          peak  ciency  requests\n"
                              "add               92   100 %         0\n"
                              "transposeNaïve     8  12.5 %         -\n");
    TextTable list({{.left = true}, {.left = true}}, 1);
    list.add({"a", "long"});
    list.add({});
    list.add({"long"});
    CHECK(list.text() == "a    long\n\nlong\n");
}

TEST_CASE("an optional column goes where no row has anything in it, and no other does")
{
    TextTable table = kernels();
    table.remove_empty_columns();
    CHECK(table.width() == 28);
    table = kernels();
    table.add({"count", "-", "-", "64"});
    table.remove_empty_columns();
    CHECK(table.width() == 38);
    TextTable required({{.heading = {"load"}}});
    required.add({"-"});
    required.remove_empty_columns();
    CHECK(required.text() == "load\n   -\n");
}

TEST_CASE("where there is no room, the least important columns go and are named")
{
    TextTable table = kernels();
    CHECK(table.fit(38).empty());
    CHECK(table.fit(30) == std::vector<std::string>{"efficiency"});
    table = kernels();
    CHECK(table.fit(20) == std::vector<std::string>{"% of peak", "efficiency"});
    CHECK(table.width() == 20); // then the first column is cut
    CHECK(table.text().find("transpose…  ") != std::string::npos);
    CHECK(table.fit(1).empty()); // and no further
}

TEST_CASE("stacked, each cell stands behind its heading")
{
    TextTable table(
        {{.heading = {"", "kernel"}, .left = true}, {.heading = {"sectors/", "request"}}});
    table.add({"add", "4.00"});
    table.add({"transpose", "32.00"});
    CHECK(table.stacked() == "kernel            add\n"
                             "sectors/request  4.00\n"
                             "\n"
                             "kernel           transpose\n"
                             "sectors/request      32.00\n");
}
