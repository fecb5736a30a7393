// Every option, right and wrong: what is wrong is a sentence with the value and the remedy.
#include "common/run/options.hpp"
#include "common/text/format.hpp"
#include "tests/catch.hpp"

using namespace common;

namespace {

Options parse(std::vector<const char*> arguments)
{
    arguments.insert(arguments.begin(), "05_float4");
    return parse_options("05_float4", static_cast<int>(arguments.size()), arguments.data());
}

std::string refusal(const std::vector<const char*>& arguments)
{
    try {
        static_cast<void>(parse(arguments));
    } catch (const UsageError& error) {
        return error.what();
    }
    return "accepted";
}

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("a number of elements can be written in any of the usual forms")
{
    CHECK(parse_elements("1") == 1);
    CHECK(parse_elements("1000003") == 1'000'003);
    CHECK(parse_elements("1e6") == 1'000'000);
    CHECK(parse_elements("2.5e3") == 2500);
    CHECK(parse_elements("2^27") == std::size_t{1} << 27U);
    CHECK(parse_elements("64Ki") == 65'536);
    CHECK(parse_elements("64Mi") == std::size_t{64} << 20U);
    CHECK(parse_elements("1Gi") == std::size_t{1} << 30U);
    CHECK(parse_elements("0.5Ki") == 512);
    CHECK(parse_elements("64Gi") == max_elements);
    CHECK(parse_elements("2^36") == max_elements);
}

TEST_CASE("what is no number of elements is refused by name, with the remedy")
{
    for (const char* text : {"", "abc", "-", "1x", "1 000", "64mi", "64MiB", "2^", "^2", "2^x",
                             "1e", "0x10", "inf", "nan", "1,5", "--n", " 5"}) {
        INFO("'" << text << "'");
        const std::string message = refusal({"--n", text});
        CHECK(contains(message, "--n"));
        CHECK(message != "accepted");
    }
    CHECK(contains(refusal({"--n", "abc"}), "--n abc is not a number of elements"));
    CHECK(contains(refusal({"--n", "abc"}), "64Mi"));
    CHECK(contains(refusal({"--n", "0"}), "--n 0 is too few"));
    CHECK(contains(refusal({"--n", "-1"}), "--n -1 is too few"));
    CHECK(contains(refusal({"--n=-1"}), "--n -1 is too few"));
    CHECK(contains(refusal({"--n", "1.5"}), "--n 1.5 is not a whole number"));
    CHECK(contains(refusal({"--n", "1e30"}), "--n 1e30 is too many: the limit is 64Gi"));
    CHECK(contains(refusal({"--n", "1e999"}), "--n 1e999 is too many"));
    CHECK(contains(refusal({"--n", "2^9999"}), "--n 2^9999 is too many"));
    CHECK(contains(refusal({"--n", "68719476737"}), "too many"));
    CHECK(contains(refusal({"--n", "1e-400"}), "--n 1e-400 is too few"));
}

TEST_CASE("a value without characters is shown in quotes")
{
    CHECK(contains(refusal({"--n", ""}), "--n '' is not a number of elements"));
    CHECK(contains(refusal({"--cache", ""}), "--cache '' must be cold"));
    CHECK(contains(refusal({"--max-time", ""}), "--max-time '' is not a time"));
    CHECK(contains(refusal({"--seed", ""}), "--seed '' is not a whole number"));
    CHECK(contains(refusal({"--gpu", ""}), "--gpu '' is not a whole number"));
    CHECK(contains(refusal({"--json", ""}), "--json needs a file name"));
    CHECK(contains(refusal({"--csv", ""}), "--csv needs a file name"));
}

TEST_CASE("one file for JSON and CSV is refused, by whatever way it is named")
{
    for (const char* csv : {"x", "./x", "y/../x"}) {
        INFO(csv);
        CHECK(contains(refusal({"--json", "x", "--csv", csv}), "same file"));
    }
    CHECK(parse({"--json", "x.json", "--csv", "x.csv"}).csv == "x.csv");
    const std::string too_long(5000, 'x'); // cannot be resolved
    CHECK(parse({"--json", too_long.c_str(), "--csv", (too_long + "y").c_str()}).n == std::nullopt);
}

TEST_CASE("options without arguments have their defaults")
{
    const Options options = parse({});
    CHECK_FALSE(options.n);
    CHECK(options.variants.empty());
    CHECK(options.cache == CacheChoice::cold);
    CHECK_FALSE(options.max_seconds);
    CHECK(options.seed == 1);
    CHECK(options.json.empty());
    CHECK(options.csv.empty());
    CHECK_FALSE(options.list);
    CHECK_FALSE(options.quick);
    CHECK(options.gpu == 0);
    CHECK(options.help.empty());
}

TEST_CASE("values follow a blank or an equals sign, and the last one counts")
{
    CHECK(parse({"--n", "5"}).n == 5);
    CHECK(parse({"--n=5"}).n == 5);
    CHECK(parse({"--n", "5", "--n=6"}).n == 6);
    CHECK(parse({"--seed", "18446744073709551615"}).seed == UINT64_MAX);
    CHECK(parse({"--round", "3"}).round == 3U);
    CHECK(parse({"--max-time", "0.25"}).max_seconds == 0.25);
    CHECK(parse({"--cache", "both"}).cache == CacheChoice::both);
    CHECK(parse({"--json", "a b.json", "--csv=x.csv"}).json == "a b.json");
    CHECK(parse({"--list", "--quick"}).quick);
    CHECK(parse({"--gpu", "3"}).gpu == 3);
}

TEST_CASE("the option --variant may be repeated, and takes one name each time")
{
    const Options options = parse({"--variant", "float4", "--variant=scalar", "--n", "8"});
    CHECK(options.variants == std::vector<std::string>{"float4", "scalar"});
    CHECK(contains(refusal({"--variant", "float4", "scalar"}), "'scalar' is not an option"));
}

TEST_CASE("an unknown option is answered with the nearest one")
{
    CHECK(refusal({"--varaint", "x"}) == "There is no option --varaint; did you mean --variant?");
    CHECK(refusal({"--lst"}) == "There is no option --lst; did you mean --list?");
    CHECK(refusal({"--jason=x"}) == "There is no option --jason; did you mean --json?");
    CHECK(refusal({"--xyzzyplugh"}) == "There is no option --xyzzyplugh; --help lists them.");
    CHECK(contains(refusal({"-x"}), "There is no option -x"));
    CHECK(contains(refusal({"float4"}), "'float4' is not an option"));
}

TEST_CASE("an option without its value is named")
{
    for (const char* option :
         {"--n", "--variant", "--cache", "--max-time", "--seed", "--json", "--csv", "--gpu"}) {
        INFO(option);
        CHECK(contains(refusal({option}), std::string(option) + " needs a value"));
    }
}

TEST_CASE("values out of range are refused with the range")
{
    CHECK(contains(refusal({"--cache", "warm"}), "--cache warm must be cold, hot or both"));
    for (const char* text : {"0", "-1", "abc", "inf", "nan", "1e9", "1s"})
        CHECK(contains(refusal({"--max-time", text}), std::string("--max-time ") + text));
    for (const char* text : {"-1", "1.5", "x", "18446744073709551616"})
        CHECK(contains(refusal({"--seed", text}), std::string("--seed ") + text));
    for (const char* text : {"-1", "1024", "x"})
        CHECK(contains(refusal({"--gpu", text}), std::string("--gpu ") + text));
}

TEST_CASE("the option --help names every option and exit status")
{
    const std::string help = parse({"--help"}).help;
    for (const char* part : {"--n", "--variant", "--cache", "--max-time", "--seed", "--json",
                             "--csv", "--list", "--quick", "--gpu", "--help", "Exit status"})
        CHECK(contains(help, part));
}

TEST_CASE("a misspelt variant is answered with the nearest one and the list")
{
    const std::vector<std::string> known = {"scalar", "float2", "float4"};
    CHECK(unknown_variant("flaot4", known) ==
          "There is no variant 'flaot4'; did you mean 'float4'? This chapter has scalar, float2 "
          "and float4.");
    CHECK(unknown_variant("xyzzy", known) ==
          "There is no variant 'xyzzy'. This chapter has scalar, float2 and float4.");
}

TEST_CASE("sizes and counts are written for people")
{
    CHECK(format_bytes(1023) == "1023 B");
    CHECK(format_bytes(1024) == "1.0 KiB");
    CHECK(format_bytes(std::uint64_t{3} << 30U) == "3.0 GiB");
    CHECK(format_count(7) == "7");
    CHECK(format_count(1000) == "1,000");
    CHECK(format_count(1'048'576) == "1,048,576");
    CHECK(filled_in("{} of {}, {} {{}}", {std::size_t{7}, "a", 0.6f}) == "7 of a, 0.6 {}");
    CHECK(filled_in("nothing", {}) == "nothing");
    CHECK_THROWS(filled_in("{} {}", {1}));
    CHECK(format_list({}).empty());
    CHECK(format_list({"a"}) == "a");
    CHECK(format_list({"a", "b", "c"}) == "a, b and c");
}

TEST_CASE("text is cut and wrapped by columns, not by bytes")
{
    CHECK(display_width("± 1 %") == 5);
    CHECK(shorten("abcdef", 6) == "abcdef");
    CHECK(shorten("abcdef", 4) == "abc…");
    CHECK(shorten("abcdef", 4, 1) == "ab…f");
    CHECK(display_width(shorten("±±±±±", 3)) == 3);
    CHECK(wrap("one two three", 7) == "one two\nthree");
    CHECK(wrap("unbreakable", 4) == "unbreakable");
    CHECK(wrap("", 4).empty());
    CHECK(wrap("one two\nthree four\n", 10) == "one two\nthree four\n");
}

TEST_CASE("the GPU of a modelled timeline is one that there is")
{
    CHECK(parse({}).card == "h200");
    CHECK(parse({"--card", "a100"}).card == "a100");
    CHECK(refusal({"--card", "rtx3080"}) ==
          "There is no GPU 'rtx3080' to model; did you mean 'rtx3090'? There are h200, h100, b200, "
          "a100, l4, t4, rtx5090, rtx4090 and rtx3090.");
    CHECK(refusal({"--card", "no/such.json"}) ==
          "Cannot read the card file no/such.json: No such file or directory.");
}
