#include "common/device/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace common {

namespace {

/// The k for which the k-th smallest and the k-th largest of `n` samples enclose the median with
/// 95 % confidence: the largest with P(fewer than k heads in n tosses) <= 2.5 %; 0 if none has it.
std::size_t enclosing_rank(std::size_t n)
{
    // Ten standard deviations below the mean the probabilities no longer count; from there on each
    // follows from the one before.
    const double tosses = static_cast<double>(n);
    double heads = std::max(0.0, std::floor(tosses / 2 - 5 * std::sqrt(tosses)));
    double exactly = std::exp(std::lgamma(tosses + 1) - std::lgamma(heads + 1) -
                              std::lgamma(tosses - heads + 1) - tosses * std::numbers::ln2);
    for (double at_most = exactly; at_most <= 0.025; at_most += exactly) {
        exactly *= (tosses - heads) / (heads + 1);
        ++heads;
    }
    return static_cast<std::size_t>(heads);
}

} // namespace

double quantile(std::span<const double> sorted, double p)
{
    const double position = p * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

Interval median_interval(std::span<const double> sorted)
{
    const std::size_t k = std::max<std::size_t>(enclosing_rank(sorted.size()), 1);
    return {sorted[k - 1], sorted[sorted.size() - k]};
}

bool in_l2(double gb_per_s, double peak)
{
    return peak > 0 && gb_per_s > peak;
}

bool Timing::is_bimodal() const
{
    return p75 - p25 > 0.04 * median && interval_high - interval_low < 0.01 * median;
}

StoppingRule::StoppingRule(const MeasureOptions& options) : options_(options) {}

void StoppingRule::add(double milliseconds, double seconds)
{
    sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), milliseconds), milliseconds);
    const auto there_are = [this](int samples) {
        return sorted_.size() >= static_cast<std::size_t>(samples);
    };
    if (finished())
        return;

    const Interval interval = median_interval(sorted_);
    const double half_width = (interval.high - interval.low) / 2;
    if (there_are(options_.min_samples) &&
        half_width <= options_.relative_interval * quantile(sorted_, 0.5))
        stop_ = "interval";
    else if (there_are(options_.fewest_samples) && seconds >= options_.max_seconds)
        stop_ = "max-time";
}

bool StoppingRule::finished() const
{
    return !stop_.empty();
}

Timing StoppingRule::timing() const
{
    if (sorted_.empty())
        throw std::logic_error("A timing needs at least one sample.");
    const Interval interval = median_interval(sorted_);
    Timing timing;
    timing.median = quantile(sorted_, 0.5);
    timing.p25 = quantile(sorted_, 0.25);
    timing.p75 = quantile(sorted_, 0.75);
    timing.min = sorted_.front();
    timing.interval_low = interval.low;
    timing.interval_high = interval.high;
    timing.samples = sorted_.size();
    timing.stop = stop_;
    if (timing.is_bimodal())
        for (std::size_t at = 0, step = 1 + sorted_.size() / 100; at < sorted_.size(); at += step)
            timing.bimodal.push_back(std::round(sorted_[at] * 1e6) / 1e6); // whole nanoseconds
    return timing;
}

} // namespace common
