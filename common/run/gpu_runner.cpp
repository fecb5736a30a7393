// The modes of a GPU: measured, and launched once for a profiler.
#include "common/run/launcher.hpp"

#include <fmt/format.h>

#include <optional>

namespace common {

namespace {

std::vector<Cache> cache_states(CacheChoice choice)
{
    std::vector<Cache> states;
    if (choice != CacheChoice::hot)
        states.push_back(Cache::cold);
    if (choice != CacheChoice::cold)
        states.push_back(Cache::hot);
    return states;
}

/// Fifteen readings of the GPU's counter, more or less.
constexpr double seconds_for_energy = 1.5;

class GpuRunner : public Launcher
{
  public:
    explicit GpuRunner(Context& context) : Launcher(context)
    {
        measure_.max_seconds = options_.seconds_per_row();
        measure_.other_devices.assign(devices_.begin() + 1, devices_.end());
    }

  private:
    void run_row(Row row, const RowSpec& spec) override
    {
        if (!options_.round && !accept(row, launch_and_verify(row, spec).verdict, ""))
            return;
        if (options_.launch_once)
            results_.rows.push_back(std::move(row));
        else if (spec.kind == Kind::transfer)
            measure(std::move(row), spec, std::nullopt);
        else
            for (const Cache cache : cache_states(options_.cache))
                measure(row, spec, cache);
    }

    [[nodiscard]] std::string time_limit() const override
    {
        return fmt::format(" (at most {:.3g} s)",
                           measure_.max_seconds *
                               static_cast<double>(cache_states(options_.cache).size()));
    }

    /// Measures with the cache in one state, or host time where there is none, and verifies what
    /// the timed launches left.
    void measure(Row row, const RowSpec& spec, std::optional<Cache> cache)
    {
        const auto& [variant, problem, launch, kind] = spec;
        problem.poison();
        row.cache = cache;
        measure_.reset_persisting_lines = !variant.keep_persisting_lines;
        row.time = cache ? measure_launch(launch, stream(), *cache, measure_)
                         : measure_transfer(launch, stream(), measure_, variant.before);
        row.gpu = current_state();
        if (cache && options_.energy)
            row.energy = measure_energy(launch, stream(), seconds_for_energy);
        finish_launch(row);
        if (!options_.round) {
            run_unmeasured(row, variant.after);
            if (!accept(row, problem.verify(), "After the timed launches: "))
                return;
        }
        if (row.bytes > 0) {
            row.gb_per_s = static_cast<double>(row.bytes) / (row.time->median * 1e6);
            if (cache && !problem.spans_devices())
                set_shares(row);
        }
        results_.rows.push_back(std::move(row));
    }

    /// What crosses a link is not set against the device's memory.
    void set_shares(Row& row)
    {
        const double peak = theoretical_peak();
        if (peak > 0)
            row.share_of_peak = *row.gb_per_s / peak;
        row.in_l2 = in_l2(*row.gb_per_s, peak);
        MeasureOptions copy;
        copy.max_seconds = measure_.max_seconds;
        results_.copy_gb_per_s = copy_bandwidth(copy);
        row.share_of_copy = *row.gb_per_s / *results_.copy_gb_per_s;
    }

    MeasureOptions measure_;
};

} // namespace

std::unique_ptr<Runner> make_gpu_runner(Context& context)
{
    return std::make_unique<GpuRunner>(context);
}

} // namespace common
