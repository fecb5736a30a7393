// A job from the host to the device and back, each phase of which can be timed alone.
#pragma once

#include "common/chapter.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The parts of a job, which host and device run in this order. An empty part costs nothing. A part
/// of the host runs after the device has finished the parts before it.
struct Job
{
    /// Runs on the host, synchronously.
    using OnHost = std::function<void(const common::HostVectorAdd&)>;
    /// Queues work on the stream, and may return before it is done.
    using Queued = std::function<void(const common::HostVectorAdd&, cudaStream_t)>;

    common::HostVectorAdd& arrays; ///< cleared before each phase, so that a part left out shows
    OnHost write;                  ///< writes the inputs
    Queued to_device;              ///< copies the inputs; null if pages migrate on faults
    Queued kernel;                 ///< the computation
    Queued to_host;                ///< copies the output, or null
    OnHost read;                   ///< reads the output
    OnHost add_on_host;            ///< computes the sum on the host
};

namespace job_parts {

/// Kernels of the phase total_of_16, which shows what several kernels per transfer save.
constexpr int many_kernels = 16;

/// Returns a launch that queues these launches one after another.
inline common::Launch in_order(std::vector<common::Launch> parts)
{
    return [parts = std::move(parts)](cudaStream_t stream) {
        for (const common::Launch& part : parts)
            part(stream);
    };
}

/// Host arrays, as pointers to members, because they are allocated later.
using HostArrays = std::vector<float * common::HostVectorAdd::*>;

/// Returns a part of the host as a launch: it waits for the device, and notes for the model which
/// arrays it reads and writes.
inline common::Launch on_host(const char* label, const Job::OnHost& part,
                              const common::HostVectorAdd& p, const HostArrays& reads,
                              const HostArrays& writes)
{
    return [=, &p](cudaStream_t stream) {
        CHECK_CUDA(cudaStreamSynchronize(stream));
        for (const auto array : reads)
            common::note_host_work(label, p.*array, p.n * sizeof(float));
        for (const auto array : writes)
            common::note_host_write(label, p.*array, p.n * sizeof(float));
        if (part)
            part(p);
    };
}

} // namespace job_parts

/// Runs one phase of a job as a row of the chapter. All arrays are in host memory at its start,
/// unless the table says otherwise:
///
/// | phase | what is timed |
/// | --- | --- |
/// | `initialise` | write, after the kernel: the pages are in device memory |
/// | `host_sum` | add_on_host, after the kernel |
/// | `transfer` | to_device |
/// | `kernel` | kernel, after to_device |
/// | `kernel_again` | kernel, a second time |
/// | `host_read` | to_host and read, after the kernel |
/// | `total` | to_device, kernel, to_host, read |
/// | `total_of_16` | the same with 16 kernels |
///
/// `row` has the name, the threads and the other fields of the row. The phase becomes a column, and
/// the row's task unless it is the total: rows of different tasks are not compared.
inline void run_phase(common::Chapter& chapter, common::Variant row, const Job& job,
                      std::string_view phase)
{
    using namespace job_parts;
    common::HostVectorAdd& p = job.arrays;
    const auto queued = [&p](const Job::Queued& part) {
        return [=, &p](cudaStream_t stream) {
            if (part)
                part(p, stream);
        };
    };
    const HostArrays inputs = {&common::HostVectorAdd::host_a, &common::HostVectorAdd::host_b};
    const HostArrays output = {&common::HostVectorAdd::host_c};
    const HostArrays all = {&common::HostVectorAdd::host_a, &common::HostVectorAdd::host_b,
                            &common::HostVectorAdd::host_c};
    const common::Launch clear = on_host(
        "clear", [&p](auto&) { p.clear_host_arrays(); }, p, {}, all);
    const common::Launch write = on_host("initialise", job.write, p, {}, inputs);
    const common::Launch to_device = queued(job.to_device);
    const common::Launch kernel = queued(job.kernel);
    const common::Launch to_host = queued(job.to_host);
    const common::Launch read = on_host("read", job.read, p, output, {});
    const common::Launch start = in_order({clear, write});
    const common::Launch to_kernel = in_order({start, to_device});
    const common::Launch use = in_order({to_kernel, kernel});

    row.columns.emplace_back("phase", std::string(phase));
    if (phase != "total")
        row.task = phase;
    const auto run = [&](const common::Launch& work, const common::Launch& before,
                         const common::Launch& after = {}) {
        row.before = before;
        row.after = after;
        chapter.run_transfer(row, p, work);
    };
    if (phase == "initialise") // the kernel adds zeros, only to move the pages
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
    std::vector<common::Launch> parts{to_device};
    parts.insert(parts.end(), many ? many_kernels : 1, kernel);
    parts.insert(parts.end(), {to_host, read});
    run(in_order(parts), start);
}
