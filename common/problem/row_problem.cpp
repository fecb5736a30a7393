#include "common/problem/row_problem.hpp"

#include "common/problem/parallel.hpp"
#include "common/problem/write_elements.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

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

void RowProblem::compute_reference()
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

Tolerance RowProblem::tolerance(std::size_t i) const
{
    const std::size_t row = i / shape.width;
    const double exact = expected(row, i % shape.width);
    // What is less than the least normal float may become 0.
    return {exact, std::abs(exact) * bound(rows_[row]) + 0x1p-126};
}

void RowProblem::poison()
{
    output_.poison();
    scales_.poison();
}

Verdict RowProblem::verify()
{
    if (skips_initialization())
        return {};
    if (rows_.empty())
        compute_reference();
    Verdict verdict = output_.verify([this](std::size_t i) { return tolerance(i); });
    if (!verdict.ok || result_ != RowResult::norm_to_fp8)
        return verdict;
    Verdict of_scales = scales_.verify([this](std::size_t row) {
        const double scale = rows_[row].scale;
        return Tolerance{scale, scale * bound(rows_[row])};
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
    const float behind =
        result_ == RowResult::softmax ? -std::numeric_limits<float>::infinity() : 0;
    input_ = buffer_of<std::uint16_t>(elements, [this, behind](std::size_t i) {
        const std::size_t column = i % shape.width;
        return to_bf16(column < shape.columns ? element(i / shape.width, column) : behind);
    });
    weights_ = buffer_of<std::uint16_t>(shape.width, [this](std::size_t column) {
        return column < shape.columns ? to_bf16(weight(column)) : std::uint16_t{0};
    });
    output_ = Array(fp8 ? Element::fp8 : Element::bf16, elements);
    if (fp8) {
        scales_ = Array(Element::f32, shape.rows);
        between_ = Buffer<std::uint16_t>(elements);
    }
    a = reinterpret_cast<const __nv_bfloat16*>(input_.data());
    w = reinterpret_cast<const __nv_bfloat16*>(weights_.data());
    c = static_cast<__nv_bfloat16*>(fp8 ? static_cast<void*>(between_.data()) : output_.data());
    c8 = fp8 ? static_cast<__nv_fp8_e4m3*>(output_.data()) : nullptr;
    scales = static_cast<float*>(scales_.data());
}

} // namespace common
