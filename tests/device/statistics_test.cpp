#include "common/device/statistics.hpp"
#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

using namespace common;

namespace {

/// 1, 2, ..., n: each value is its own rank.
std::vector<double> ranks(std::size_t n)
{
    std::vector<double> values(n);
    std::iota(values.begin(), values.end(), 1.0);
    return values;
}

void require_interval(std::size_t n, double low, double high)
{
    const Interval interval = median_interval(ranks(n));
    INFO(n << " samples");
    CHECK(interval.low == low);
    CHECK(interval.high == high);
}

/// Runs the rule on samples that each take `seconds_each` of a clock that exists only here.
Timing simulate(const MeasureOptions& options, double seconds_each,
                const std::function<double()>& sample)
{
    StoppingRule rule(options);
    for (double seconds = seconds_each; !rule.finished(); seconds += seconds_each)
        rule.add(sample(), seconds);
    return rule.timing();
}

} // namespace

TEST_CASE("quantiles interpolate between the neighbours of position p (n - 1)")
{
    const std::vector<double> four{1, 2, 3, 4};
    CHECK(quantile(four, 0.25) == Approx(1.75));
    CHECK(quantile(four, 0.5) == Approx(2.5));
    CHECK(quantile(four, 0.75) == Approx(3.25));
    CHECK(quantile(four, 0) == 1);
    CHECK(quantile(four, 1) == 4);

    const std::vector<double> five{15, 20, 35, 40, 50};
    CHECK(quantile(five, 0.5) == 35);
    CHECK(quantile(five, 0.4) == Approx(29));

    CHECK(quantile(std::vector<double>{7}, 0.25) == 7);
}

TEST_CASE("quartiles of many samples are those of their distribution")
{
    std::mt19937_64 random(1);
    std::exponential_distribution<double> exponential(1);
    std::vector<double> samples(200'000);
    std::generate(samples.begin(), samples.end(), [&] { return exponential(random); });
    std::sort(samples.begin(), samples.end());
    // The quantile p of this distribution is -ln(1 - p); 0.015 is five standard errors.
    CHECK(quantile(samples, 0.25) == Approx(-std::log(0.75)).margin(0.015));
    CHECK(quantile(samples, 0.50) == Approx(-std::log(0.50)).margin(0.015));
    CHECK(quantile(samples, 0.75) == Approx(-std::log(0.25)).margin(0.015));
}

TEST_CASE("the interval of the median has the ranks of the binomial table")
{
    require_interval(6, 1, 6);
    require_interval(10, 2, 9);
    require_interval(20, 6, 15);
    require_interval(50, 18, 33);
    require_interval(100, 40, 61);
    // Many: n / 2 -+ 1.96 sqrt(n) / 2, by the normal approximation.
    require_interval(1'000'000, 499'020, 500'981);
}

TEST_CASE("fewer than six samples cannot promise 95 %, so the interval is all of them")
{
    require_interval(1, 1, 1);
    require_interval(2, 1, 2);
    require_interval(5, 1, 5);
}

TEST_CASE("the interval holds the true median as often as it promises, whatever the distribution")
{
    // 25 samples: ranks 8 and 18 enclose the median with probability 0.9567. Of 4000 intervals the
    // share that does is within four standard errors of that.
    constexpr int trials = 4000;
    constexpr double expected = 0.9567;
    const double margin = 4 * std::sqrt(expected * (1 - expected) / trials);

    std::mt19937_64 random(2);
    std::normal_distribution<double> normal;
    struct Source
    {
        const char* name;
        double median;
        std::function<double()> sample;
    };
    const std::vector<Source> sources{
        {"normal", 0, [&] { return normal(random); }},
        {"long tail", 1, [&] { return std::exp(2 * normal(random)); }},
        {"two humps", 0, [&] { return normal(random) + (random() % 2 == 0 ? 5 : -5); }}};

    for (const Source& source : sources) {
        int covered = 0;
        for (int trial = 0; trial < trials; ++trial) {
            std::vector<double> samples(25);
            std::generate(samples.begin(), samples.end(), source.sample);
            std::sort(samples.begin(), samples.end());
            const Interval interval = median_interval(samples);
            covered += interval.low <= source.median && source.median <= interval.high;
        }
        INFO(source.name);
        CHECK(static_cast<double>(covered) / trials == Approx(expected).margin(margin));
    }
}

TEST_CASE("only more than the peak is in L2, and nothing is where the peak is unknown")
{
    CHECK(in_l2(4815, 4814));
    CHECK_FALSE(in_l2(4814, 4814));
    CHECK_FALSE(in_l2(4400, 4814));
    CHECK_FALSE(in_l2(4400, 0));
}

TEST_CASE("steady samples stop at the least number, because of the interval")
{
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> steady(0.999, 1.001);
    const Timing timing = simulate({}, 0.001, [&] { return steady(random); });
    CHECK(timing.samples == 30);
    CHECK(timing.stop == "interval");

    MeasureOptions more;
    more.min_samples = 37;
    CHECK(simulate(more, 0.001, [] { return 1.0; }).samples == 37);
}

TEST_CASE("noisy samples go on until the interval is narrow enough, and no longer")
{
    std::mt19937_64 random(4);
    std::uniform_real_distribution<double> noisy(0.97, 1.03);
    const Timing timing = simulate({}, 0.0001, [&] { return noisy(random); });
    CHECK(timing.stop == "interval");
    CHECK(timing.samples > 30);
    CHECK((timing.interval_high - timing.interval_low) / 2 <= 0.003 * timing.median);
    CHECK(timing.interval_low <= 1.0);
    CHECK(timing.interval_high >= 1.0);
}

TEST_CASE("stopping at the first narrow interval costs two points of its 95 %, not more")
{
    std::mt19937_64 random(6);
    std::normal_distribution<double> noise(1, 0.01);
    constexpr int trials = 2000;
    int covered = 0;
    for (int trial = 0; trial < trials; ++trial) {
        const Timing timing = simulate({}, 0.0005, [&] { return noise(random); });
        covered += timing.interval_low <= 1 && 1 <= timing.interval_high;
    }
    // 0.93 within four standard errors.
    CHECK(static_cast<double>(covered) / trials == Approx(0.93).margin(0.023));
}

TEST_CASE("samples that never settle stop when the time is spent")
{
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> wild(1, 3);
    const Timing timing = simulate({}, 0.0125, [&] { return wild(random); });
    CHECK(timing.stop == "max-time");
    CHECK(timing.samples == 24); // 0.3 s of 12.5 ms each
}

TEST_CASE("slow samples are taken six times, even past the time, and not thirty")
{
    double next = 1;
    const Timing timing = simulate({}, 1.0, [&] { return next *= 2; });
    CHECK(timing.stop == "max-time");
    CHECK(timing.samples == 6);
}

TEST_CASE("a timing is the order statistics of its samples in any order")
{
    StoppingRule rule({});
    for (double sample : {9.0, 1.0, 8.0, 2.0, 7.0, 3.0, 6.0, 4.0, 5.0, 10.0})
        rule.add(sample, 0);
    CHECK_FALSE(rule.finished());
    const Timing timing = rule.timing();
    CHECK(timing.min == 1);
    CHECK(timing.p25 == Approx(3.25));
    CHECK(timing.median == Approx(5.5));
    CHECK(timing.p75 == Approx(7.75));
    CHECK(timing.interval_low == 2);
    CHECK(timing.interval_high == 9);
    CHECK(timing.stop.empty());
}

TEST_CASE("samples of two modes are kept, and those of one are not")
{
    std::mt19937_64 random(7);
    std::normal_distribution<double> around(1, 0.001);
    std::size_t taken = 0;
    // Most samples near 1, a third far from it: the median is well known all the same.
    const Timing two = simulate({}, 0.001, [&] { return around(random) + (++taken % 3 == 0); });
    CHECK(two.is_bimodal());
    CHECK(two.bimodal.size() == two.samples);
    CHECK(two.bimodal.back() > 1.5);
    CHECK(two.bimodal.front() == Approx(two.min).margin(1e-6)); // whole nanoseconds
    const auto many =
        simulate({.min_samples = 250}, 0.001, [&] { return around(random) + (++taken % 3 == 0); });
    CHECK(many.bimodal.size() > 50);
    CHECK(many.bimodal.size() <= 100);
    CHECK(simulate({}, 0.001, [&] { return around(random); }).bimodal.empty());
    std::uniform_real_distribution<double> wide(0.9, 1.1);
    CHECK(simulate({}, 0.001, [&] { return wide(random); }).bimodal.empty());
}

TEST_CASE("a timing of no samples is refused")
{
    CHECK_THROWS_AS(StoppingRule({}).timing(), std::logic_error);
}
