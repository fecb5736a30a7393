#include "common/problem/row_problem.hpp"

#include "common/device/check.hpp"
#include "common/problem/parallel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace common {

namespace {

constexpr unsigned codes = 257;   // elements are one of so many
constexpr unsigned outlier = 255; // the one of 100
constexpr unsigned deep = 256;    // those of -100, in a row of nothing else
constexpr std::size_t grain = 1 << 14;

float of_code(unsigned code)
{
    if (code == outlier || code == deep)
        return code == outlier ? 100 : -100;
    return (static_cast<float>(code) - 128) / 16;
}

// e^x of each code, of which a row has far fewer than elements.
const std::array<double, codes>& exponentials()
{
    static const auto table = [] {
        std::array<double, codes> made{};
        for (unsigned code = 0; code < codes; ++code)
            made[code] = std::exp(double{of_code(code)});
        return made;
    }();
    return table;
}

// A bfloat is the upper half of a float.
std::uint16_t upper_half(float x)
{
    std::uint32_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    return static_cast<std::uint16_t>(bits >> 16U);
}

// The number of a format whose bits without the sign are these; those past the last are no number.
double magnitude(std::uint16_t bits)
{
    const std::uint32_t wide = std::uint32_t{bits} << 16U;
    float x = 0;
    std::memcpy(&x, &wide, sizeof x);
    return x;
}
double magnitude(std::uint8_t bits)
{
    const int exponent = bits >> 3;
    const int mantissa = bits & 7;
    return exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10);
}
template<class Bits>
constexpr unsigned last_number = sizeof(Bits) == 1 ? 0x7E : 0x7F7F;
template<class Bits>
constexpr unsigned sign = sizeof(Bits) == 1 ? 0x80 : 0x8000;

// Which numbers are rounded to that of these bits: half way to its neighbours, and beyond the last;
// none where they are no number.
using Range = std::pair<double, double>;

template<class Bits>
Range make_range(unsigned bits)
{
    const auto at = [](unsigned number) { return magnitude(static_cast<Bits>(number)); };
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (bits > last_number<Bits>)
        return {infinity, -infinity};
    const double above = bits == last_number<Bits> ? infinity : (at(bits) + at(bits + 1)) / 2;
    return {bits == 0 ? -above : (at(bits) + at(bits - 1)) / 2, above};
}

template<class Bits>
const Range& rounded_from(unsigned bits)
{
    static const auto table = [] {
        std::vector<Range> ranges;
        for (unsigned number = 0; number < sign<Bits>; ++number)
            ranges.push_back(make_range<Bits>(number));
        return ranges;
    }();
    return table[bits];
}

template<class Bits>
Bits rounded(double x)
{
    unsigned low = 0;
    for (unsigned step = sign<Bits> / 2; step > 0; step /= 2)
        if (low + step <= last_number<Bits> && rounded_from<Bits>(low + step).first <= std::abs(x))
            low += step;
    return static_cast<Bits>(low | (x < 0 ? sign<Bits> : 0));
}

} // namespace

RowProblem::RowProblem(const Setting& setting, RowResult result, const Extent& extent)
    : Problem(result == RowResult::softmax ? "softmax"
              : result == RowResult::norm  ? "norm"
                                           : "norm to fp8"),
      shape{static_cast<unsigned>(extent.rows), static_cast<unsigned>(extent.columns),
            static_cast<unsigned>((extent.columns + 7) / 8 * 8)},
      result_(result), key_(random_bits::input_key(setting.seed, 0))
{}

unsigned RowProblem::code(std::size_t row, std::size_t column) const
{
    const std::uint64_t bits = random_bits::bits_at(key_, row * shape.columns + column);
    switch (row % 8) {
    case 5:
        return deep;
    case 6:
        return static_cast<unsigned>(column * outlier / shape.columns);
    case 7:
        if (column == row % shape.columns)
            return outlier;
        [[fallthrough]];
    default:
        return static_cast<unsigned>(bits >> 32U) % outlier;
    }
}

float RowProblem::element(std::size_t row, std::size_t column) const
{
    return of_code(code(row, column));
}

float RowProblem::weight(std::size_t column) const
{
    return static_cast<float>(8 + column * 7 % 16) / 16;
}

void RowProblem::expect(unsigned additions, bool through_bfloats)
{
    additions_ = additions;
    through_bfloats_ = through_bfloats;
}

void RowProblem::find_out()
{
    rows_.resize(shape.rows);
    parallel_for(shape.rows, std::max<std::size_t>(grain / shape.columns, 1),
                 [this](std::size_t begin, std::size_t end) {
                     for (std::size_t row = begin; row < end; ++row) {
                         double sum = 0;
                         double squares = 0;
                         double largest = 0; // |x weight|
                         double high = element(row, 0);
                         double low = high;
                         for (std::size_t column = 0; column < shape.columns; ++column) {
                             const unsigned is = code(row, column);
                             const double x = of_code(is);
                             sum += exponentials()[is];
                             squares += x * x;
                             largest = std::max(largest, std::abs(x * weight(column)));
                             high = std::max(high, x);
                             low = std::min(low, x);
                         }
                         const double root =
                             1 / std::sqrt(squares / shape.columns + double{norm_epsilon});
                         Row& known = rows_[row];
                         known.reach = result_ == RowResult::softmax ? high - low : 0;
                         known.largest = largest;
                         known.scale = root * largest / double{largest_fp8};
                         known.factor = result_ == RowResult::softmax ? 1 / sum
                                        : result_ == RowResult::norm  ? root
                                        : largest > 0 ? double{largest_fp8} / largest
                                                      : 0;
                     }
                 });
}

double RowProblem::expected(std::size_t row, std::size_t column) const
{
    if (column >= shape.columns)
        return 0;
    const unsigned is = code(row, column);
    const double factor = rows_[row].factor;
    return result_ == RowResult::softmax ? exponentials()[is] * factor
                                         : double{of_code(is)} * weight(column) * factor;
}

double RowProblem::bound(const Row& row) const
{
    // A bfloat has eight digits: rounded to it, a number and the largest are off by 2^-8 at most.
    return row_error_bound(additions_, row.reach) + (through_bfloats_ ? 2 * 0x1p-8 : 0);
}

template<class Bits>
void RowProblem::judge(std::size_t first, std::size_t count, const void* all, void* out) const
{
    const auto* found = static_cast<const Bits*>(all) + first;
    auto* wanted = static_cast<Bits*>(out);
    for (std::size_t k = 0; k < count;) {
        const std::size_t row = (first + k) / shape.width;
        const double of_it = bound(rows_[row]);
        for (std::size_t column = (first + k) % shape.width; k < count && column < shape.width;
             ++k, ++column) {
            const double exact = expected(row, column);
            // What is less than the least normal float may become 0.
            const double off = std::abs(exact) * of_it + 0x1p-126;
            const unsigned bits = found[k] & (sign<Bits> - 1U);
            const double turned = found[k] >= sign<Bits> ? -exact : exact;
            const auto [least, most] = rounded_from<Bits>(bits);
            const bool right = turned + off >= least && turned - off <= most;
            wanted[k] = right ? found[k] : rounded<Bits>(exact);
        }
    }
}

void RowProblem::poison()
{
    output_.poison();
    scales_.poison();
}

Verdict RowProblem::verify()
{
    if (holds_nothing())
        return {};
    if (rows_.empty())
        find_out();
    // What is right depends on what was found: all of it has to be here.
    const bool fp8 = result_ == RowResult::norm_to_fp8;
    const auto all = [this, fp8](const Array& array) {
        const std::size_t bytes = array.size() * (&array == &scales_ ? sizeof(float) : fp8 ? 1 : 2);
        if (found_.size() == 0)
            found_ = Buffer<std::byte>(bytes, Space::pinned);
        CHECK_CUDA(cudaMemcpy(found_.data(), array.data(), bytes, cudaMemcpyDeviceToHost));
        return static_cast<const void*>(found_.data());
    };
    const void* found = all(output_);
    Verdict verdict = output_.verify([&](std::size_t first, std::size_t count, void* out) {
        fp8 ? judge<std::uint8_t>(first, count, found, out)
            : judge<std::uint16_t>(first, count, found, out);
    });
    if (!fp8)
        verdict.output = "In the bits of bfloats, where 0x3f80 is 1 and 0x7fff no number: ";
    if (!verdict.ok || !fp8)
        return verdict;
    const auto* scale = static_cast<const float*>(all(scales_));
    Verdict of_scales = scales_.verify([&](std::size_t first, std::size_t count, void* out) {
        for (std::size_t row = first; row < first + count; ++row) {
            const Row& known = rows_[row];
            const bool right =
                std::abs(double{scale[row]} - known.scale) <= known.scale * bound(known);
            static_cast<float*>(out)[row - first] =
                right ? scale[row] : static_cast<float>(known.scale);
        }
    });
    of_scales.output = "Of the scales: ";
    return of_scales.ok ? verdict : of_scales;
}

std::uint64_t RowProblem::bytes() const
{
    const bool fp8 = result_ == RowResult::norm_to_fp8;
    return std::uint64_t{shape.rows} * shape.width * (fp8 ? 3 : 4) +
           (fp8 ? std::uint64_t{shape.rows} * sizeof(float) : 0);
}

void RowProblem::make_arrays()
{
    const std::size_t elements = std::size_t{shape.rows} * shape.width;
    const bool fp8 = result_ == RowResult::norm_to_fp8;
    input_ = Buffer<std::uint16_t>(elements);
    weights_ = Buffer<std::uint16_t>(shape.width);
    output_ = Array(fp8 ? Element::u8 : Element::u16, elements);
    if (fp8) {
        scales_ = Array(Element::f32, shape.rows);
        between_ = Buffer<std::uint16_t>(elements);
    }
    a = reinterpret_cast<const __nv_bfloat16*>(input_.data());
    w = reinterpret_cast<const __nv_bfloat16*>(weights_.data());
    c = static_cast<__nv_bfloat16*>(fp8 ? static_cast<void*>(between_.data()) : output_.data());
    c8 = fp8 ? static_cast<__nv_fp8_e4m3*>(output_.data()) : nullptr;
    scales = static_cast<float*>(scales_.data());
    if (holds_nothing())
        return;
    std::vector<std::uint16_t> weights(shape.width);
    for (unsigned column = 0; column < shape.columns; ++column)
        weights[column] = upper_half(weight(column));
    CHECK_CUDA(
        cudaMemcpy(weights_.data(), weights.data(), weights_.bytes(), cudaMemcpyHostToDevice));
    const float behind =
        result_ == RowResult::softmax ? -std::numeric_limits<float>::infinity() : 0;
    const Buffer<std::uint16_t> staging(std::min(elements, std::size_t{1} << 24U), Space::pinned);
    for (std::size_t first = 0; first < elements; first += staging.size()) {
        const std::size_t count = std::min(staging.size(), elements - first);
        parallel_for(count, grain, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) {
                const std::size_t column = (first + k) % shape.width;
                staging.data()[k] = upper_half(
                    column < shape.columns ? element((first + k) / shape.width, column) : behind);
            }
        });
        CHECK_CUDA(cudaMemcpy(input_.data() + first, staging.data(), count * sizeof(std::uint16_t),
                              cudaMemcpyHostToDevice));
    }
}

} // namespace common
