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
            if (part)
                part(stream);
    };
}

/// Arrays of the host, by their names: they get their memory later.
using HostArrays = std::vector<float * HostVectorAdd::*>;

/// A part of the host: it waits for the device, and tells the model what it is going to use.
Launch on_host(const char* label, const Launch& part, const HostVectorAdd& p, HostArrays reads,
               HostArrays writes)
{
    return [=, &p](cudaStream_t stream) {
        CHECK_CUDA(cudaStreamSynchronize(stream));
        for (const auto array : reads)
            note_host_work(label, p.*array, p.n * sizeof(float));
        for (const auto array : writes)
            note_host_write(label, p.*array, p.n * sizeof(float));
        if (part)
            part(stream);
    };
}

} // namespace

Work phase_of(const Job& job, std::string_view phase)
{
    HostVectorAdd& p = job.arrays;
    const HostArrays inputs = {&HostVectorAdd::host_a, &HostVectorAdd::host_b};
    const HostArrays output = {&HostVectorAdd::host_c};
    const HostArrays all = {&HostVectorAdd::host_a, &HostVectorAdd::host_b, &HostVectorAdd::host_c};
    const Launch clear = on_host(
        "clear", [&p](cudaStream_t) { p.clear_host_arrays(); }, p, {}, all);
    const Launch write = on_host("initialise", job.write, p, {}, inputs);
    const Launch read = on_host("read", job.read, p, output, {});
    const Launch add_on_host = on_host("host sum", job.add_on_host, p, inputs, output);
    const Launch start = in_order({clear, write});
    const Launch to_kernel = in_order({start, job.to_device});
    const Launch use = in_order({to_kernel, job.kernel});
    const Launch finish = in_order({job.to_device, job.kernel, job.to_host});

    if (phase == "initialise") // the kernel adds zeros: what counts is where the arrays are then
        return {write, {}, in_order({clear, job.to_device, job.kernel}), finish};
    if (phase == "host_sum")
        return {add_on_host, {}, use};
    if (phase == "transfer")
        return {job.to_device, {}, start, in_order({job.kernel, job.to_host})};
    if (phase == "kernel")
        return {job.kernel, {}, to_kernel, job.to_host};
    if (phase == "kernel_again")
        return {job.kernel, {}, use, job.to_host};
    if (phase == "host_read")
        return {in_order({job.to_host, read}), {}, use};
    const bool many = phase == "total_of_16";
    if (phase != "total" && !many)
        throw std::invalid_argument(fmt::format("A job has no phase '{}'.", phase));
    std::vector<Launch> parts{job.to_device};
    parts.insert(parts.end(), many ? many_kernels : 1, job.kernel);
    parts.insert(parts.end(), {job.to_host, read});
    return {in_order(parts), {}, start};
}

} // namespace common
