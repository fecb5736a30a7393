#include "common/problem/arrays.hpp"

#include "common/device/check.hpp"
#include "common/problem/parallel.hpp"

#include <algorithm>

namespace common {

namespace {

/// Bytes from row to row of a matrix as cudaMallocPitch lays it out.
std::size_t pitch_of(std::size_t row_bytes)
{
    void* row = nullptr;
    std::size_t pitch = 0;
    CHECK_CUDA(cudaMallocPitch(&row, &pitch, row_bytes, 1));
    CHECK_CUDA(cudaFree(row));
    return pitch;
}

/// The options with the chapter's n where they name none.
ArrayOptions with_size(ArrayOptions options, std::size_t n)
{
    if (options.n == 0)
        options.n = n;
    return options;
}

ArrayOptions adding(ArrayOptions options)
{
    options.task = "add";
    options.inputs = 2;
    return options;
}

struct Sum
{
    float operator()(const Inputs<float>& in, std::size_t i) const { return in.a[i] + in.b[i]; }
};

} // namespace

ArrayProblem::ArrayProblem(const Setting& setting, Element element, const ArrayOptions& options)
    : Problem(options.task), element_(element), seed_(setting.seed),
      options_(with_size(options, setting.n))
{}

void ArrayProblem::make_arrays()
{
    const std::size_t columns = options_.columns == 0 ? options_.n : options_.columns;
    const std::size_t row_bytes = columns * element_bytes(element_);
    rows_ = {columns, options_.n / columns, options_.pitched ? pitch_of(row_bytes) : row_bytes};
    for (unsigned number = 0; number < options_.inputs; ++number) {
        inputs_.emplace_back(element_, rows_, Place{options_.input, options_.input_offset, false});
        inputs_.back().write_input(seed_, number);
    }
    output_ = Array(element_, rows_, {options_.output, options_.output_offset});
}

void ArrayProblem::expect_elements(Expected expected)
{
    expected_ = std::move(expected);
    output_.forget_expected();
}

void ArrayProblem::expect_input()
{
    expect_elements(
        [seed = seed_, element = element_](std::size_t first, std::size_t count, void* out) {
            generate(element, seed, 0, first, count, out);
        });
}

std::uint64_t ArrayProblem::bytes() const
{
    return options_.bytes > 0 ? options_.bytes
                              : (options_.inputs + 1) * options_.n * element_bytes(element_);
}

std::size_t ArrayProblem::size() const
{
    return options_.size > 0 ? options_.size : options_.n;
}

void* ArrayProblem::input(unsigned number) const
{
    return number < inputs_.size() ? inputs_[number].data() : nullptr;
}

VectorAdd::VectorAdd(const Setting& setting, ArrayOptions array_options)
    : Arrays(setting, adding(std::move(array_options)), Sum())
{}

HostVectorAdd::HostVectorAdd(const Setting& setting, MemoryKind memory, std::size_t elements)
    : ArrayProblem(setting, Element::f32,
                   {.task = "add host to host", .n = elements, .inputs = 0, .output = memory}),
      n(options().n)
{
    const Inputs<float> in{{seed(), 0}, {seed(), 1}};
    expect_elements([in](std::size_t first, std::size_t count, void* out) {
        auto* sums = static_cast<float*>(out);
        for (std::size_t k = 0; k < count; ++k)
            sums[k] = Sum()(in, first + k);
    });
}

void HostVectorAdd::make_arrays()
{
    // Each array starts at a multiple of 256 bytes, as if it had an allocation of its own.
    const std::size_t pitch = (n + 63) / 64 * 64;
    const MemoryKind memory = options().output;
    const bool managed = memory == MemoryKind::managed;
    // The device's first: what it has no space for is refused before the host's memory fills up.
    if (!managed)
        device_ = Buffer<float>(3 * pitch);
    inputs_ = Buffer<float>(2 * pitch, memory);
    host_a = inputs_.data();
    host_b = host_a + pitch;
    for (unsigned number = 0; number < 2 && !skips_initialization(); ++number)
        parallel_for(n, std::size_t{1} << 14U, [&](std::size_t first, std::size_t last) {
            generate(Element::f32, seed(), number, first, last - first,
                     inputs_.data() + number * pitch + first);
        });
    ArrayProblem::make_arrays();
    host_c = static_cast<float*>(output());
    a = managed ? host_a : device_.data();
    b = managed ? host_b : a + pitch;
    c = managed ? host_c : b + pitch;
}

bool HostVectorAdd::crosses_link() const
{
    return options().output != MemoryKind::managed; // pages may have come to the device before
}

void HostVectorAdd::clear_host_arrays()
{
    for (float* array : {host_a, host_b, host_c})
        std::fill_n(array, n, 0.0f);
}

void HostVectorAdd::poison()
{
    if (device_.data() != nullptr)
        CHECK_CUDA(cudaMemset(device_.data(), poison_byte, device_.bytes()));
    CHECK_CUDA(cudaDeviceSynchronize()); // nothing uses the host's array from here on
    ArrayProblem::poison();
}

} // namespace common
