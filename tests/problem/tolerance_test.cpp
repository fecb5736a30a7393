// Which numbers a tolerance accepts in each floating-point format, and what rounds to them.
#include "common/problem/tolerance.hpp"
#include "common/problem/verify.hpp"

#include "tests/catch.hpp"

#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

using namespace common;

namespace {

// Whether a tolerance accepts x, which the format has.
bool accepted(const Tolerance& tolerance, Element format, double x)
{
    std::array<std::byte, sizeof(double)> bytes{};
    store_number(format, x, bytes.data());
    const double stored = load_number(format, bytes.data());
    REQUIRE((stored == x || std::isnan(x)));
    return accepts(tolerance, format, bytes.data());
}

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

} // namespace

TEST_CASE("numbers are rounded to 16 and to 8 bits as CUDA rounds them")
{
    CHECK(rounded_to(Element::fp8, 17) == 16); // ties to even
    CHECK(rounded_to(Element::fp8, 19) == 20);
    CHECK(rounded_to(Element::fp8, -500) == -448);
    CHECK(rounded_to(Element::fp8, 0x1p-10) == 0); // half of the least subnormal
    CHECK(rounded_to(Element::fp8, 0x1.8p-9) == 0x1p-8);
    for (unsigned k = 0; k < 100'000; ++k) {
        // All exponents that matter, with mantissas of all bits.
        const std::uint64_t bits = random_bits::bits_at(1, k);
        const double magnitude =
            std::ldexp(static_cast<double>(bits >> 40U), static_cast<int>(k % 40) - 44);
        const auto x = static_cast<float>(k % 2 == 0 ? magnitude : -magnitude);
        CAPTURE(x);
        REQUIRE(rounded_to(Element::bf16, x) == static_cast<float>(__nv_bfloat16(x)));
        REQUIRE(rounded_to(Element::fp8, x) == static_cast<float>(__nv_fp8_e4m3(x)));
    }
}

TEST_CASE("every number of 16 and of 8 bits is stored as it was loaded, and rounds to itself")
{
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        const auto stored = static_cast<std::uint16_t>(bits);
        const double x = load_number(Element::bf16, &stored);
        CHECK(std::isnan(x) == is_nan(Element::bf16, &stored));
        if (!std::isnan(x))
            REQUIRE(to_bf16(x) == stored);
    }
    for (unsigned bits = 0; bits < 0x100; ++bits) {
        const auto stored = static_cast<std::uint8_t>(bits);
        const double x = load_number(Element::fp8, &stored);
        CHECK(std::isnan(x) == is_nan(Element::fp8, &stored));
        std::uint8_t again = 0;
        store_number(Element::fp8, x, &again);
        if (!std::isnan(x))
            REQUIRE(again == stored);
    }
}

TEST_CASE("a tolerance accepts what rounding makes of a number within it, and nothing else")
{
    const auto format = GENERATE(Element::f32, Element::bf16, Element::fp8);
    const double unit = format == Element::f32    ? 0x1p-23
                        : format == Element::bf16 ? 0x1p-7
                                                  : 0x1p-3;
    CAPTURE(unit);
    const double value = 1 + 0.6 * unit; // between two numbers of the format
    CHECK(accepted({value, 0}, format, 1 + unit));
    CHECK_FALSE(accepted({value, 0}, format, 1));
    CHECK_FALSE(accepted({value, 0.05 * unit}, format, 1));
    CHECK(accepted({value, 0.15 * unit}, format, 1));
    CHECK(accepted({-value, 0.15 * unit}, format, -1));
    CHECK_FALSE(accepted({value, 0.8 * unit}, format, 1 + 2 * unit));
    CHECK(accepted({value, 0.95 * unit}, format, 1 + 2 * unit));
    CHECK_FALSE(accepted({value, 0.15 * unit}, format, -1));
}

TEST_CASE("a number that is none is accepted nowhere, and none is where the tolerance is none")
{
    for (const Element format : {Element::f32, Element::bf16, Element::fp8}) {
        std::array<unsigned char, 4> poison{};
        poison.fill(poison_byte);
        CHECK_FALSE(accepts({0, 1}, format, poison.data()));
        CHECK_FALSE(accepted({no_number, 1}, format, 0));
        CHECK_FALSE(accepted({0, no_number}, format, 1));
    }
}

TEST_CASE("an output is verified within tolerances, and its canaries to the bit")
{
    constexpr std::size_t size = 100'003;
    Array output(Element::bf16, size, {MemoryKind::pageable});
    output.poison();
    auto* const bits = static_cast<std::uint16_t*>(output.data());
    const auto third = [](std::size_t i) { return Tolerance{static_cast<double>(i) / 3, 1e-6}; };
    CHECK(output.verify(third).mismatches == size);
    for (std::size_t i = 0; i < size; ++i)
        bits[i] = to_bf16(static_cast<double>(i) / 3);
    CHECK(output.verify(third).ok);
    bits[3] = to_bf16(1.0078125);
    CHECK(output.verify(third).message() ==
          "1 of 100,003 elements is wrong. [3] is 1.0078125, expected 1.");
    bits[3] = to_bf16(1);
    bits[size] = 0;
    CHECK(output.verify(third).damage_after == 0);
}
