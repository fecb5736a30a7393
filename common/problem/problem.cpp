#include "common/problem/problem.hpp"

#include "common/device/check.hpp"
#include "common/problem/parallel.hpp"
#include "common/run/chapter.hpp"

#include <algorithm>

namespace common {

namespace {

/// Elements that one thread makes at a time.
constexpr std::size_t generate_grain = std::size_t{1} << 14U;
/// Bytes made on the host before they go to the device.
constexpr std::size_t staging_bytes = std::size_t{32} << 20U;

/// generate() on all cores.
void generate_parallel(Element element, std::uint64_t seed, unsigned array, std::size_t start,
                       std::size_t count, void* out)
{
    auto* bytes = static_cast<std::byte*>(out);
    parallel_for(count, generate_grain, [&](std::size_t first, std::size_t last) {
        generate(element, seed, array, start + first, last - first,
                 bytes + first * element_bytes(element));
    });
}

/// Fills device memory with input array number `array`.
void upload(Element element, std::uint64_t seed, unsigned array, std::size_t size, void* device)
{
    const std::size_t unit = element_bytes(element);
    const PinnedBuffer<std::byte> staging(std::min(size * unit, staging_bytes));
    const std::size_t chunk = staging.size() / unit;
    auto* out = static_cast<std::byte*>(device);
    for (std::size_t start = 0; start < size; start += chunk) {
        const std::size_t count = std::min(chunk, size - start);
        generate_parallel(element, seed, array, start, count, staging.data());
        CHECK_CUDA(
            cudaMemcpy(out + start * unit, staging.data(), count * unit, cudaMemcpyHostToDevice));
    }
}

/// Where an output in host memory of that kind lives.
OutputSpace output_space(HostMemory memory)
{
    switch (memory) {
    case HostMemory::pageable:
        return OutputSpace::pageable_host;
    case HostMemory::pinned:
        return OutputSpace::pinned_host;
    case HostMemory::mapped:
        return OutputSpace::mapped_host;
    case HostMemory::managed:
        return OutputSpace::managed;
    }
    return OutputSpace::pageable_host;
}

/// What a[i] + b[i] must be. One IEEE addition has one right answer, to the bit.
Expected expected_sum(std::uint64_t seed)
{
    return [seed](std::size_t first, std::size_t count, void* out) {
        auto* sum = static_cast<float*>(out);
        std::vector<float> b(count);
        generate(Element::f32, seed, 0, first, count, sum);
        generate(Element::f32, seed, 1, first, count, b.data());
        for (std::size_t i = 0; i < count; ++i)
            sum[i] += b[i];
    };
}

} // namespace

VectorAdd::VectorAdd(const Chapter& chapter, Offset offset)
    : VectorAdd(chapter, chapter.n(), offset)
{}

VectorAdd::VectorAdd(const Chapter& chapter, std::size_t size, Offset offset)
    : VectorAdd(chapter, size, offset, offset)
{}

VectorAdd::VectorAdd(const Chapter& chapter, std::size_t size, Offset inputs, Offset output)
    : Problem("add"), seed_(chapter.seed()), a(nullptr), b(nullptr), c(nullptr), n(size)
{
    if (chapter.listing())
        return;
    a_ = DeviceBuffer<float>(n + inputs.elements);
    b_ = DeviceBuffer<float>(n + inputs.elements);
    c_ = GuardedOutput(Element::f32, n, OutputSpace::device, output.elements);
    CHECK_CUDA(cudaMemset(a_.data(), poison_byte, inputs.elements * sizeof(float)));
    CHECK_CUDA(cudaMemset(b_.data(), poison_byte, inputs.elements * sizeof(float)));
    upload(Element::f32, seed_, 0, n, a_.data() + inputs.elements);
    upload(Element::f32, seed_, 1, n, b_.data() + inputs.elements);
    a = a_.data() + inputs.elements;
    b = b_.data() + inputs.elements;
    c = static_cast<float*>(c_.data());
}

void VectorAdd::poison()
{
    c_.poison();
}

Verdict VectorAdd::verify()
{
    return c_.verify(expected_sum(seed_));
}

HostVectorAdd::HostVectorAdd(const Chapter& chapter, HostMemory memory)
    : HostVectorAdd(chapter, memory, chapter.n())
{}

HostVectorAdd::HostVectorAdd(const Chapter& chapter, HostMemory memory, std::size_t size)
    : Problem("add host to host"), seed_(chapter.seed()), host_a(nullptr), host_b(nullptr),
      host_c(nullptr), a(nullptr), b(nullptr), c(nullptr), n(size)
{
    if (chapter.listing())
        return;
    // Each array starts at a multiple of 256 bytes, as if it had an allocation of its own.
    const std::size_t pitch = (n + 63) / 64 * 64;
    // The device's first: what it has no room for is refused before the host's memory fills up.
    if (memory != HostMemory::managed)
        device_ = DeviceBuffer<float>(3 * pitch);
    host_a = allocate_inputs(memory, 2 * pitch);
    host_b = host_a + pitch;
    generate_parallel(Element::f32, seed_, 0, 0, n, host_a);
    generate_parallel(Element::f32, seed_, 1, 0, n, host_b);
    host_c_ = GuardedOutput(Element::f32, n, output_space(memory));
    host_c = static_cast<float*>(host_c_.data());
    a = device_.data() == nullptr ? host_a : device_.data();
    b = device_.data() == nullptr ? host_b : a + pitch;
    c = device_.data() == nullptr ? host_c : b + pitch;
}

float* HostVectorAdd::allocate_inputs(HostMemory memory, std::size_t floats)
{
    switch (memory) {
    case HostMemory::pageable:
        pageable_.resize(floats);
        return pageable_.data();
    case HostMemory::pinned:
        pinned_ = PinnedBuffer<float>(floats);
        return pinned_.data();
    case HostMemory::mapped:
        mapped_ = MappedBuffer<float>(floats);
        return mapped_.data();
    case HostMemory::managed:
        managed_ = ManagedBuffer<float>(floats);
        return managed_.data();
    }
    return nullptr;
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
    host_c_.poison();
}

Verdict HostVectorAdd::verify()
{
    return host_c_.verify(expected_sum(seed_));
}

UnaryProblem::UnaryProblem(std::string task, const Chapter& chapter, Element element,
                           std::size_t size)
    : Problem(std::move(task)), element_(element), seed_(chapter.seed()), size_(size)
{
    if (chapter.listing())
        return;
    input_ = DeviceBuffer<std::byte>(size * element_bytes(element));
    output_ = GuardedOutput(element, size);
    upload(element, seed_, 0, size, input_.data());
}

void UnaryProblem::poison()
{
    output_.poison();
}

std::uint64_t UnaryProblem::bytes() const
{
    return 2 * size_ * element_bytes(element_);
}

Verdict UnaryProblem::verify_against(const Expected& expected)
{
    return output_.verify(expected);
}

void UnaryProblem::generate_input(std::size_t first, std::size_t count, void* out) const
{
    generate(element_, seed_, 0, first, count, out);
}

std::size_t UnaryProblem::chapter_n(const Chapter& chapter)
{
    return chapter.n();
}

} // namespace common
