#include "common/run/launcher.hpp"

#include "common/device/check.hpp"
#include "common/device/device.hpp"
#include "common/device/ranks.hpp"
#include "common/report/table.hpp"

#include <fmt/format.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstdlib>

namespace common {

RowProgress::RowProgress()
{
    if (const char* told = std::getenv("MOVING_BYTES_PROGRESS"))
        static_cast<void>(std::sscanf(told, "%u %u %u", &chapter_, &chapters_, &rows_));
}

void RowProgress::next(const std::string& row, const std::string& chapter)
{
    if (ranks().rank() > 0)
        return; // rank 0 tells
    ++row_;
    std::string at;
    if (chapters_ > 1)
        at = fmt::format("chapter {} of {}, ", chapter_, chapters_);
    at += rows_ >= row_ ? fmt::format("row {} of {}", row_, rows_) : fmt::format("row {}", row_);
    line_.show(fmt::format("{}: {}, {}", chapter, at, row));
}

void Launcher::run(const RowSpec& spec)
{
    Row row = make_row(spec, false);
    progress_.next(fmt::format("{}{}", row.label(), time_limit()), results_.chapter);
    row.note = ranks().first_said(unavailable_reason(spec));
    if (row.note.empty()) {
        spec.problem.allocate();
        if (spec.variant.setup)
            spec.variant.setup();
        run_row(make_row(spec, true), spec);
    } else {
        results_.rows.push_back(std::move(row));
    }
    progress_.clear();
}

std::string Launcher::text(std::size_t width) const
{
    return render_table(results_, width);
}

Launcher::Seen Launcher::launch_and_verify(const Row& row, const RowSpec& spec)
{
    Seen seen;
    spec.problem.poison();
    run_unmeasured(row, spec.variant.before);
    nvtxRangePush(fmt::format("row {}", results_.rows.size()).c_str());
    begin_counting();
    spec.launch(stream());
    finish_launch(row);
    seen.operations = end_recording();
    for (const LaunchRecord& record : end_counting())
        seen.counts += record.counts;
    nvtxRangePop();
    run_unmeasured(row, spec.variant.after);
    seen.verdict = spec.problem.verify();
    return seen;
}

void Launcher::run_unmeasured(const Row& row, const Launch& launch)
{
    if (!launch)
        return;
    launch(stream());
    finish_launch(row);
}

void Launcher::finish_launch(const Row& row)
{
    const std::string what = fmt::format("Variant '{}'", row.label());
    check_launch(what);
    // The whole device, because a variant may have streams of its own; and every device.
    for (const int device : devices_) {
        CHECK_CUDA(cudaSetDevice(device));
        if (const cudaError_t status = cudaDeviceSynchronize(); status != cudaSuccess)
            throw_cuda_error(status, what, "");
    }
    CHECK_CUDA(cudaSetDevice(devices_.front()));
}

cudaStream_t Launcher::stream()
{
    if (!stream_)
        stream_.emplace();
    return *stream_;
}

bool Launcher::accept(Row& row, const Verdict& verdict, const char* when)
{
    const std::string wrong = ranks().first_said(verdict.ok ? "" : verdict.message());
    row.verified = wrong.empty();
    if (!wrong.empty()) {
        row.note = when + wrong;
        results_.rows.push_back(row);
    }
    return wrong.empty();
}

} // namespace common
