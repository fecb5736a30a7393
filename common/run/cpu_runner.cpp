// The mode of the CPU device.
#include "common/device/device.hpp"
#include "common/model/time_model.hpp"
#include "common/run/launcher.hpp"
#include "common/run/model_row.hpp"

#include <map>

namespace common {

namespace {

class CpuRunner : public Launcher
{
  public:
    CpuRunner(Context& context, std::unique_ptr<ReferenceRun> reference)
        : Launcher(context), reference_(std::move(reference))
    {}

    void run(const RowSpec& spec) override
    {
        rows_of_calls_[++calls_] = results_.rows.size();
        Launcher::run(spec);
    }

    void finish() override
    {
        if (reference_)
            model_rows();
        Launcher::finish();
    }

  private:
    void run_row(Row row, const RowSpec& spec) override
    {
        run_blocks_sequentially(spec.variant.sequential_blocks);
        const Seen seen = launch_and_verify(row, spec);
        run_blocks_sequentially(false); // as on a GPU
        row.counts = seen.counts;
        for (const Operation& operation : seen.operations)
            if (const std::uint64_t bytes = operation.bytes_between_devices(); bytes > 0)
                row.peer_bytes = row.peer_bytes.value_or(0) + bytes;
        const bool transfer = spec.kind == Kind::transfer;
        if (row.model_excluded_reason.empty() && (transfer || crosses_link(seen.operations)))
            row.modelled = model_row(seen.operations, *find_card(options_.card),
                                     spec.problem.size(), transfer);
        if (!accept(row, seen.verdict, ""))
            return;
        // In another order of lanes and warps: a missing barrier shows. 0 would be the same order.
        set_lane_order(options_.seed == 0 ? 1 : options_.seed);
        const Verdict shuffled = launch_and_verify(row, spec).verdict;
        set_lane_order(0);
        if (accept(row, shuffled, "With the lanes in another order, as a GPU may run them: "))
            results_.rows.push_back(std::move(row));
    }

    [[nodiscard]] std::string time_limit() const override { return ""; }

    /// Models the rows' times from what the second process saw.
    void model_rows()
    {
        const Card* card = find_card(options_.card);
        for (const ReferenceLaunch& launch : reference_->collect()) {
            const auto found = rows_of_calls_.find(launch.call);
            if (card == nullptr || found == rows_of_calls_.end())
                continue;
            Row& row = results_.rows[found->second];
            if (row.verified == true)
                add_modelled(row, launch, *card);
        }
    }

    /// Adds the time of one more kernel to that of the row.
    void add_modelled(Row& row, const ReferenceLaunch& launch, const Card& card) const
    {
        if (row.modelled && !row.modelled->traffic)
            return; // the link decides
        LaunchRecord record;
        record.grid = launch.grid;
        record.block = launch.block;
        record.counts = launch.counts;
        const Demand asked =
            demand(record, launch.traffic, card, assumed_registers, launch.shared_bytes);
        const ModelledTime time = predict(asked, card);
        Modelled& modelled = row.modelled ? *row.modelled : row.modelled.emplace();
        const bool longest = !modelled.traffic || time.ms > modelled.ms / 2;
        modelled.demands.push_back(asked);
        if (!modelled.traffic)
            modelled.traffic.emplace();
        if (longest) {
            modelled.limited_by = time.limited_by;
            modelled.bounds = time.bounds;
        }
        *modelled.traffic += launch.traffic;
        modelled.card = card.name;
        modelled.n = launch.n;
        modelled.ms += time.ms;
        modelled.gb_per_s = static_cast<double>(launch.bytes) / (modelled.ms * 1e6);
        modelled.share_of_peak = *modelled.gb_per_s / card.peak();
    }

    std::unique_ptr<ReferenceRun> reference_;
    std::size_t calls_ = 0;                            ///< of run(): the same in both processes
    std::map<std::size_t, std::size_t> rows_of_calls_; ///< in the results
};

} // namespace

std::unique_ptr<Runner> make_cpu_runner(Context& context, std::unique_ptr<ReferenceRun> reference)
{
    return std::make_unique<CpuRunner>(context, std::move(reference));
}

} // namespace common
