#include "common/run/job.hpp"

#include "common/device/check.hpp"
#include "common/device/device.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>
#include <vector>

namespace common {

namespace {

/// Kernels of the phase that shows what several of them save.
constexpr int many_kernels = 16;

/// One part after another.
Launch in_order(std::vector<Launch> parts)
{
    return [parts = std::move(parts)](cudaStream_t stream) {
        for (const Launch& part : parts)
            part(stream);
    };
}

/// Arrays of the host, by their names: they get their memory later.
using HostArrays = std::vector<float * HostVectorAdd::*>;

/// A part of the host: it waits for the device, and tells the model what it is going to use.
Launch on_host(const char* label, const Job::OnHost& part, const HostVectorAdd& p,
               const HostArrays& reads, const HostArrays& writes)
{
    return [=, &p](cudaStream_t stream) {
        CHECK_CUDA(cudaStreamSynchronize(stream));
        for (const auto array : reads)
            note_host_work(label, p.*array, p.n * sizeof(float));
        for (const auto array : writes)
            note_host_write(label, p.*array, p.n * sizeof(float));
        if (part)
            part(p);
    };
}

} // namespace

void run_phase(Chapter& chapter, Variant row, const Job& job, std::string_view phase)
{
    HostVectorAdd& p = job.arrays;
    const auto queued = [&p](const Job::Queued& part) {
        return [=, &p](cudaStream_t stream) {
            if (part)
                part(p, stream);
        };
    };
    const HostArrays inputs = {&HostVectorAdd::host_a, &HostVectorAdd::host_b};
    const HostArrays output = {&HostVectorAdd::host_c};
    const HostArrays all = {&HostVectorAdd::host_a, &HostVectorAdd::host_b, &HostVectorAdd::host_c};
    const Launch clear = on_host(
        "clear", [&p](auto&) { p.clear_host_arrays(); }, p, {}, all);
    const Launch write = on_host("initialise", job.write, p, {}, inputs);
    const Launch to_device = queued(job.to_device);
    const Launch kernel = queued(job.kernel);
    const Launch to_host = queued(job.to_host);
    const Launch read = on_host("read", job.read, p, output, {});
    const Launch start = in_order({clear, write});
    const Launch to_kernel = in_order({start, to_device});
    const Launch use = in_order({to_kernel, kernel});

    row.columns.emplace_back("phase", std::string(phase));
    if (phase != "total")
        row.task = phase;
    const auto run = [&](const Launch& work, const Launch& before, const Launch& after = {}) {
        row.before = before;
        row.after = after;
        chapter.run_transfer(row, p, work);
    };
    if (phase == "initialise") // the kernel adds zeros: what counts is where the arrays are then
        return run(write, in_order({clear, to_device, kernel}),
                   in_order({to_device, kernel, to_host}));
    if (phase == "host_sum")
        return run(on_host("host sum", job.add_on_host, p, inputs, output), use);
    if (phase == "transfer")
        return run(to_device, start, in_order({kernel, to_host}));
    if (phase == "kernel")
        return run(kernel, to_kernel, to_host);
    if (phase == "kernel_again")
        return run(kernel, use, to_host);
    if (phase == "host_read")
        return run(in_order({to_host, read}), use);
    const bool many = phase == "total_of_16";
    if (phase != "total" && !many)
        throw std::invalid_argument(fmt::format("A job has no phase '{}'.", phase));
    std::vector<Launch> parts{to_device};
    parts.insert(parts.end(), many ? many_kernels : 1, kernel);
    parts.insert(parts.end(), {to_host, read});
    run(in_order(parts), start);
}

} // namespace common
