#include "common/problem/parts.hpp"

#include "common/device/check.hpp"

#include <algorithm>
#include <utility>

namespace common {

Parts::Parts(const Setting& setting, Team& team, std::string task, std::size_t size,
             std::uint64_t bytes, std::vector<Part> parts, Expect expect)
    : Problem(std::move(task)), a(parts.size()), c(parts.size()), n(size), seed_(setting.seed),
      team_(team), bytes_(bytes), parts_(std::move(parts)), expect_(std::move(expect))
{
    for (unsigned k = 0; k < team_.size() && k < parts_.size(); ++k)
        if (!team_.is_local(k))
            parts_[k] = {}; // the process that uses that device has it
}

void Parts::add_input(unsigned k, std::size_t first, std::size_t count, float* out) const
{
    const Input<float> in(seed_, k);
    for (std::size_t i = 0; i < count; ++i)
        out[i] += in[first + i];
}

void Parts::sum_of_inputs(std::size_t first, std::size_t count, float* out) const
{
    input(0, first, count, out);
    for (unsigned k = 1; k < parts_.size(); ++k)
        add_input(k, first, count, out);
}

void Parts::poison()
{
    for (unsigned k = 0; k < outputs_.size(); ++k) {
        team_.use(k);
        if (parts_[k].output > 0)
            outputs_[k].poison();
        for (float* rim : {a[k], a[k] + parts_[k].input - halo})
            if (halo > 0)
                CHECK_CUDA(cudaMemset(rim, poison_byte, halo * sizeof(float)));
        CHECK_CUDA(cudaDeviceSynchronize());
    }
    team_.use(0);
}

Verdict Parts::verify()
{
    Verdict verdict;
    for (unsigned k = 0; k < outputs_.size() && verdict.ok; ++k) {
        if (parts_[k].output == 0)
            continue;
        team_.use(k);
        verdict =
            outputs_[k].verify_again([this, k](std::size_t first, std::size_t count, void* out) {
                expect_(k, first, count, static_cast<float*>(out));
            });
        verdict.output = "On device " + std::to_string(team_.device(k)) + ": ";
    }
    team_.use(0);
    return verdict;
}

void Parts::make_arrays()
{
    team_.open();
    for (unsigned k = 0; k < parts_.size(); ++k) {
        team_.use(k);
        const Part& part = parts_[k];
        if (part.input > 0) {
            inputs_.emplace_back(Element::f32, part.input, Place{MemoryKind::device, 0, false});
            inputs_.back().write_input(seed_, k);
            a[k] = static_cast<float*>(inputs_.back().data());
        }
        outputs_.emplace_back();
        if (part.output > 0) {
            outputs_.back() = Array(Element::f32, part.output);
            c[k] = static_cast<float*>(outputs_.back().data());
        }
    }
    team_.use(0);
}

} // namespace common
