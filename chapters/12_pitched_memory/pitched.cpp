#include "pitched.hpp"

#include "common/chapter.hpp"
#include "common/device/check.hpp"
#include "common/problem/parallel.hpp"

#include <algorithm>
#include <stdexcept>

namespace common {

namespace {

/// Elements that one thread makes at a time.
constexpr std::size_t generate_grain = std::size_t{1} << 14U;
/// Bytes made on the host before they go to the device.
constexpr std::size_t staging_bytes = std::size_t{32} << 20U;
/// Every byte of the input's padding: as floats 3.4e38, which no input holds; and not the output's
/// poison, or a copy of padding onto padding would not show.
constexpr unsigned char padding_byte = 0x7F;

/// Elements `first` to `first + count` of the input, made on all cores.
void generate_input(std::uint64_t seed, std::size_t first, std::size_t count, float* out)
{
    parallel_for(count, generate_grain, [&](std::size_t begin, std::size_t end) {
        generate(Element::f32, seed, 0, first + begin, end - begin, out + begin);
    });
}

Expected expected_input(std::uint64_t seed)
{
    return [seed](std::size_t first, std::size_t count, void* out) {
        generate(Element::f32, seed, 0, first, count, out);
    };
}

/// Fills the rows of a matrix in device memory with the input.
void upload_rows(std::uint64_t seed, const Rows& rows, std::byte* device)
{
    const std::size_t width = rows.columns * sizeof(float);
    const std::size_t chunk = std::clamp(staging_bytes / width, std::size_t{1}, rows.count);
    const PinnedBuffer<float> staging(chunk * rows.columns);
    for (std::size_t start = 0; start < rows.count; start += chunk) {
        const std::size_t count = std::min(chunk, rows.count - start);
        generate_input(seed, start * rows.columns, count * rows.columns, staging.data());
        CHECK_CUDA(cudaMemcpy2D(device + start * rows.pitch, rows.pitch, staging.data(), width,
                                width, count, cudaMemcpyHostToDevice));
    }
}

} // namespace

Extent box_of(std::size_t n, std::size_t columns, std::size_t rows)
{
    if (n == 0 || columns == 0 || rows == 0)
        throw std::invalid_argument(
            "A box has at least one element, one column and one row; 0 was asked for.");
    Extent extent;
    extent.columns = std::min(columns, n);
    extent.rows = std::min(rows, n / extent.columns);
    extent.slices = n / (extent.columns * extent.rows);
    return extent;
}

Extent matrix_of(std::size_t n, std::size_t columns)
{
    return box_of(n, columns, std::max(n, std::size_t{1}));
}

BoxCopy::BoxCopy(const Chapter& chapter, const Extent& extent, RowLayout layout)
    : Problem("copy"), seed_(chapter.seed()), a(nullptr), c(nullptr), columns(extent.columns),
      rows(extent.rows), slices(extent.slices), pitch(0), n(extent.size())
{
    const std::size_t width = columns * sizeof(float);
    if (layout == RowLayout::dense)
        pitch = width;
    if (chapter.listing())
        return;
    if (layout == RowLayout::dense) {
        a_.reset(static_cast<std::byte*>(allocate(MemorySpace::device, n * sizeof(float))));
    } else {
        cudaPitchedPtr box{};
        CHECK_CUDA(cudaMalloc3D(&box, make_cudaExtent(width, rows, slices)));
        a_.reset(static_cast<std::byte*>(box.ptr));
        pitch = box.pitch;
    }
    const Rows matrix{columns, rows * slices, pitch};
    c_ = GuardedOutput(Element::f32, matrix);
    CHECK_CUDA(cudaMemset(a_.get(), padding_byte, matrix.count * pitch));
    upload_rows(seed_, matrix, a_.get());
    a = reinterpret_cast<const float*>(a_.get());
    c = static_cast<float*>(c_.data());
}

void BoxCopy::poison()
{
    c_.poison();
}

Verdict BoxCopy::verify()
{
    return c_.verify(expected_input(seed_));
}

HostBoxCopy::HostBoxCopy(const Chapter& chapter, const Extent& extent)
    : Problem("copy host to host"), seed_(chapter.seed()), host_a(nullptr), host_c(nullptr),
      columns(extent.columns), rows(extent.rows), slices(extent.slices), n(extent.size())
{
    if (chapter.listing())
        return;
    a_ = PinnedBuffer<float>(n);
    generate_input(seed_, 0, n, a_.data());
    c_ = GuardedOutput(Element::f32, n, OutputSpace::pinned_host);
    host_a = a_.data();
    host_c = static_cast<float*>(c_.data());
}

Verdict HostBoxCopy::verify()
{
    return c_.verify(expected_input(seed_));
}

} // namespace common
