#include "host_copy.hpp"

#include "common/chapter.hpp"
#include "common/device/check.hpp"
#include "common/device/device.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace common {

namespace {

/// Elements that one thread makes at a time.
constexpr std::size_t generate_grain = std::size_t{1} << 14U;

OutputSpace output_space(HostPages pages)
{
    switch (pages) {
    case HostPages::pinned:
        return OutputSpace::pinned_host;
    case HostPages::pageable:
    case HostPages::registered:
    case HostPages::to_register:
        return OutputSpace::pageable_host;
    case HostPages::portable:
    case HostPages::write_combined:
        break;
    }
    throw std::invalid_argument("A copy to the host is checked in pageable, pinned and registered "
                                "memory; portable memory is pinned memory to it, and "
                                "write-combined memory is too slow to read.");
}

} // namespace

HostArray::HostArray(HostPages pages, std::size_t size)
{
    switch (pages) {
    case HostPages::pageable:
    case HostPages::registered:
    case HostPages::to_register:
        pageable_.resize(size);
        data_ = pageable_.data();
        break;
    case HostPages::pinned:
        pinned_ = PinnedBuffer<float>(size);
        data_ = pinned_.data();
        break;
    case HostPages::portable:
        portable_ = PortableBuffer<float>(size);
        data_ = portable_.data();
        break;
    case HostPages::write_combined:
        write_combined_ = WriteCombinedBuffer<float>(size);
        data_ = write_combined_.data();
        break;
    }
}

Registration::Registration(void* address, std::size_t bytes)
{
    CHECK_CUDA(cudaHostRegister(address, bytes, cudaHostRegisterDefault));
    address_ = address;
}

Registration& Registration::operator=(Registration&& other) noexcept
{
    std::swap(address_, other.address_);
    return *this;
}

Registration::~Registration()
{
    if (address_ != nullptr)
        static_cast<void>(cudaHostUnregister(address_)); // a destructor cannot report
}

HostCopy::HostCopy(const Chapter& chapter, Direction direction, HostPages pages, std::size_t size)
    : UnaryProblem(pages == HostPages::to_register     ? "page locking"
                   : direction == Direction::to_device ? "copy to device"
                                                       : "copy to host",
                   chapter, Element::f32, size),
      direction_(direction), host(nullptr), device(nullptr), n(size)
{
    if (empty())
        return;
    if (direction == Direction::to_device) {
        input_ = HostArray(pages, n);
        host = input_.data();
        device = static_cast<float*>(output());
        parallel_for(n, generate_grain, [&](std::size_t first, std::size_t last) {
            generate_input(first, last - first, host + first);
        });
    } else {
        output_ = GuardedOutput(Element::f32, n, output_space(pages));
        host = static_cast<float*>(output_.data());
        device = static_cast<float*>(const_cast<void*>(input()));
    }
    if (pages == HostPages::registered)
        registration_ = Registration(host, n * sizeof(float));
}

void HostCopy::poison()
{
    if (direction_ == Direction::to_device)
        UnaryProblem::poison();
    else
        output_.poison();
}

Verdict HostCopy::verify()
{
    const Expected same = [this](std::size_t first, std::size_t count, void* out) {
        generate_input(first, count, out);
    };
    return direction_ == Direction::to_device ? verify_against(same) : output_.verify(same);
}

HostSum::HostSum(const Chapter& chapter, HostPages pages, std::size_t size)
    : Problem("host read"), pages_(pages), n(size)
{
    if (chapter.listing())
        return;
    host_ = HostArray(pages, n);
    // Made in cached memory: what is written to the other kind is not read back for the sum.
    std::vector<float> values(n);
    generate(Element::f32, chapter.seed(), 0, 0, n, values.data());
    for (const float value : values)
        expected_ += static_cast<double>(value);
    std::copy(values.begin(), values.end(), host_.data());
}

void HostSum::read_with(double (*add)(const float* host, std::size_t n))
{
    note_host_work("read", host_.data(), bytes(),
                   pages_ == HostPages::write_combined ? Operation::HostRate::write_combined
                                                       : Operation::HostRate::cached);
    sum_ = add(host_.data(), n);
}

void HostSum::poison()
{
    sum_ = std::numeric_limits<double>::quiet_NaN();
}

Verdict HostSum::verify()
{
    Verdict verdict;
    verdict.size = 1;
    verdict.ok = sum_ == expected_;
    if (!verdict.ok) {
        verdict.mismatches = 1;
        verdict.first.push_back({0, format_element(Element::f64, &sum_),
                                 format_element(Element::f64, &expected_), std::isnan(sum_)});
    }
    return verdict;
}

} // namespace common
