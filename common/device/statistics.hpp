/// \file
/// Order statistics of repeated timings, and the rule that says when there are enough of them.
/// Nothing here knows about CUDA, so all of it is tested without a GPU.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace common {

/// When to stop sampling.
struct MeasureOptions
{
    int min_samples = 30;             ///< never fewer, unless the time is spent
    int fewest_samples = 6;           ///< not even then: of fewer no interval is known by 95 %
    double relative_interval = 0.003; ///< stop once the median's interval is within this
    double max_seconds = 0.3;         ///< or once this much time is spent
    /// A cold sample begins by making lines that an access policy holds in the L2 ordinary ones.
    bool reset_persisting_lines = true;
    /// Devices that the launch uses next to the one in use: their L2 caches are flushed, too.
    std::vector<int> other_devices = {};
};

/// Order statistics of the time of one launch, in milliseconds.
struct Timing
{
    double median = 0;        ///< half of the samples took less
    double p25 = 0;           ///< lower quartile
    double p75 = 0;           ///< upper quartile
    double min = 0;           ///< the shortest sample
    double interval_low = 0;  ///< lower end of the 95 % confidence interval of the median
    double interval_high = 0; ///< upper end
    std::size_t samples = 0;  ///< kept
    std::size_t retries = 0;  ///< samples thrown away because they were not isolated
    std::string stop;         ///< why sampling ended: "interval" or "max-time"
    /// Where is_bimodal() the samples in ascending order, or each so many-th of more than a
    /// hundred.
    std::vector<double> bimodal = {};

    /// True where the quartiles are more than 4 % of the median apart, and its interval is narrower
    /// than 1 %: samples of one mode would make it wider, so these are of two, or not independent.
    [[nodiscard]] bool is_bimodal() const;
};

/// What one launch takes of many, back to back.
struct Energy
{
    double joules = 0;       ///< of the whole GPU, its idle parts included
    double milliseconds = 0; ///< from one to the next
};

/// The value below which the share `p` (0 to 1) of `sorted` lies, interpolated linearly between
/// the neighbours of position p (n - 1): Hyndman and Fan's type 7, the default of R and NumPy.
/// `sorted` must be in ascending order and not empty.
[[nodiscard]] double quantile(std::span<const double> sorted, double p);

/// Two ends of an interval.
struct Interval
{
    double low = 0;  ///< lower end
    double high = 0; ///< upper end
};

/// A confidence interval of the median, of at least 95 %, that assumes nothing about the
/// distribution: as many samples lie below the true median as a fair coin shows heads, so the
/// binomial distribution says which two of the sorted samples enclose it. Fewer than six samples
/// cannot promise 95 %; the interval is then all of them.
/// `sorted` must be in ascending order and not empty.
[[nodiscard]] Interval median_interval(std::span<const double> sorted);

/// True when `gb_per_s` is more than the memory can deliver (`peak`, in the same unit): part of the
/// data came from the L2 cache. Never true when the peak is not known (0).
[[nodiscard]] bool in_l2(double gb_per_s, double peak);

/// Collects samples until the median is known well enough or the time is spent.
///
/// It is told the time instead of asking a clock, so that a test can simulate one.
class StoppingRule
{
  public:
    /// A rule without samples.
    explicit StoppingRule(const MeasureOptions& options);

    /// Takes one sample, in milliseconds, `seconds` after sampling began.
    void add(double milliseconds, double seconds);

    /// True once there are min_samples and the interval of the median is narrow enough, or
    /// fewest_samples and max_seconds have passed.
    [[nodiscard]] bool finished() const;

    /// The order statistics of all samples, with the reason for stopping (empty before finished()).
    /// Throws std::logic_error without samples.
    [[nodiscard]] Timing timing() const;

  private:
    MeasureOptions options_;
    std::vector<double> sorted_;
    std::string stop_;
};

} // namespace common
