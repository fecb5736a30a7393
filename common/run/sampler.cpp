// The mode of the second process on the CPU device.
#include "common/device/check.hpp"
#include "common/device/device.hpp"
#include "common/device/memory.hpp"
#include "common/run/runner.hpp"

#include <cpu_device/counts.hpp>

#include <exception>
#include <optional>

namespace common {

namespace {

class Sampler : public Runner
{
  public:
    explicit Sampler(std::unique_ptr<ReferenceRun> reference) : reference_(std::move(reference)) {}

    [[nodiscard]] std::size_t elements() const override { return ReferenceRun::elements; }
    [[nodiscard]] std::vector<std::size_t> sizes(const Sizes& all) const override
    {
        return reference_sizes(all);
    }
    void run(const RowSpec& row) override
    {
        ++calls_;
        // Where a link decides, the timeline knows it.
        if (row.kind != Kind::kernel || row.problem.crosses_link() ||
            !row.variant.model_excluded_reason.empty() || !unavailable_reason(row).empty())
            return;
        try {
            sample(row);
        } catch (const std::exception&) {
            // No space for arrays of that size, say: the row stays without a modelled time.
        }
    }
    void finish() override { reference_->end(); }
    [[nodiscard]] std::string text(std::size_t) const override { return ""; }

  private:
    void sample(const RowSpec& row)
    {
        row.problem.allocate();
        if (row.variant.setup)
            row.variant.setup();
        begin_counting();
        row.launch(stream());
        CHECK_CUDA(cudaDeviceSynchronize());
        static_cast<void>(end_recording());
        for (const LaunchRecord& launch : end_counting())
            if (launch.traffic)
                reference_->tell({calls_, row.problem.size(), row.problem.bytes(), launch.grid,
                                  launch.block,
                                  launch.static_shared_bytes + launch.dynamic_shared_bytes,
                                  launch.counts, *launch.traffic});
    }

    cudaStream_t stream()
    {
        if (!stream_)
            stream_.emplace();
        return *stream_;
    }

    std::unique_ptr<ReferenceRun> reference_;
    std::size_t calls_ = 0; ///< of run() so far: the same in both processes
    std::optional<Stream> stream_;
};

} // namespace

std::unique_ptr<Runner> make_sampler(std::unique_ptr<ReferenceRun> reference)
{
    return std::make_unique<Sampler>(std::move(reference));
}

} // namespace common
