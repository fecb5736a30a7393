// Arithmetic and conversions of the 16-bit formats, and the formats of 8 bits.
#include "tests/catch.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr int most = std::numeric_limits<int>::max();
constexpr int least = std::numeric_limits<int>::min();

float bfloat_fma(float a, float b, float c)
{
    return __hfma(__nv_bfloat16(a), __nv_bfloat16(b), __nv_bfloat16(c));
}

float half_fma(float a, float b, float c)
{
    return __hfma(__half(a), __half(b), __half(c));
}

} // namespace

TEST_CASE("every 16-bit value survives the way through a float")
{
    int changed = 0;
    for (unsigned pattern = 0; pattern < 0x10000; ++pattern) {
        const auto bits = static_cast<unsigned short>(pattern);
        const __half fp16 = __ushort_as_half(bits);
        const __nv_bfloat16 bf16 = __ushort_as_bfloat16(bits);
        changed += !__hisnan(fp16) && __half_as_ushort(__half(float(fp16))) != bits;
        changed += !__hisnan(bf16) && __bfloat16_as_ushort(__nv_bfloat16(float(bf16))) != bits;
    }
    CHECK(changed == 0);
    CHECK(float(__half(0.0f)) == 0);
    CHECK(float(__nv_bfloat16(1) - __nv_bfloat16(1)) == 0);
}

TEST_CASE("a fused multiply-add is rounded once, however far apart its terms are")
{
    const float tiny = std::ldexp(1.0f, -100);
    // 131/128 * 3/2 = 196.5/128 is a tie of two bfloat16; a double has no space for it and 2^-100.
    CHECK(bfloat_fma(131.0f / 128, 1.5f, 0) == 196.0f / 128);
    CHECK(bfloat_fma(131.0f / 128, 1.5f, tiny) == 197.0f / 128);
    CHECK(bfloat_fma(131.0f / 128, 1.5f, -tiny) == 196.0f / 128);
    CHECK(bfloat_fma(-131.0f / 128, 1.5f, -tiny) == -197.0f / 128);
    CHECK(bfloat_fma(129.0f / 128, 1.5f, 0) == 194.0f / 128); // a tie whose even neighbour is above
    CHECK(bfloat_fma(129.0f / 128, 1.5f, -tiny) == 193.0f / 128);
    CHECK(bfloat_fma(1, 1, tiny) == 1);
    CHECK(bfloat_fma(3, 5, -15) == 0);
    CHECK(bfloat_fma(1e30f, 1e30f, -1) == infinity);
    CHECK(bfloat_fma(infinity, 1, 1) == infinity);
    CHECK(std::isnan(bfloat_fma(infinity, 1, -infinity)));
    CHECK(half_fma(1025.0f / 1024, 1.5f, 0) == 1538.0f / 1024);
    CHECK(half_fma(1025.0f / 1024, 1.5f, -std::ldexp(1.0f, -24)) == 1537.0f / 1024);
}

TEST_CASE("a 16-bit value that no integer holds becomes the nearest one, and no number zero")
{
    CHECK(__half2int_rn(__half(2.5f)) == 2);
    CHECK(__half2int_rn(__half(infinity)) == most);
    CHECK(__half2int_rn(__half(-infinity)) == least);
    CHECK(__half2int_rn(__half(not_a_number)) == 0);
    CHECK(__bfloat162int_rn(__nv_bfloat16(1e30f)) == most);
    CHECK(__bfloat162int_rn(__nv_bfloat16(-1e30f)) == least);
    CHECK(__bfloat162int_rn(__nv_bfloat16(not_a_number)) == 0);
}

TEST_CASE("rounding to 16 bits is the nearest multiple of the last place")
{
    // By its definition: in units of the last place that a bfloat16 has at this size.
    const auto rounded = [](double value) {
        int exponent = 0;
        std::frexp(value, &exponent);
        const int last = std::max(exponent - 1, -126) - 7;
        return std::ldexp(std::nearbyint(std::ldexp(value, -last)), last);
    };
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> exponents(-140, 127), mantissas(-2, 2);
    for (int i = 0; i < 100'000; ++i) {
        double value = mantissas(random) * std::exp2(std::floor(exponents(random)));
        if (i % 2 == 0) { // ties, and what a bfloat16 holds
            int exponent = 0;
            value = std::ldexp(std::nearbyint(std::frexp(value, &exponent) * 512), exponent - 9);
        }
        const double expected = rounded(value);
        if (std::fabs(expected) >= std::exp2(128.0))
            continue;
        REQUIRE(double{cpu_device::from_bfloat16_bits(cpu_device::to_bfloat16_bits(value))} ==
                expected);
        if (double{static_cast<float>(value)} == value)
            REQUIRE(double{cpu_device::from_bfloat16_bits(
                        cpu_device::to_bfloat16_bits(static_cast<float>(value)))} == expected);
    }
}

TEST_CASE("every number of 8 bits survives the way through a float, and NaNs stay NaNs")
{
    for (unsigned pattern = 0; pattern < 0x100; ++pattern) {
        __nv_fp8_e4m3 e4m3;
        e4m3.__x = static_cast<unsigned char>(pattern);
        CAPTURE(pattern);
        CHECK(std::isnan(float(e4m3)) == ((pattern & 0x7F) == 0x7F)); // there is no infinity
        if (!std::isnan(float(e4m3)))
            CHECK(__nv_fp8_e4m3(float(e4m3)).__x == pattern);
    }
    CHECK(float(__nv_fp8_e4m3(448.0f)) == 448);
}

TEST_CASE(
    "a conversion to 8 bits rounds ties to even, and what is too large to the largest or none")
{
    CHECK(float(__nv_fp8_e4m3(17.0f)) == 16);         // between 16 and 18
    CHECK(float(__nv_fp8_e4m3(19.0f)) == 20);         // between 18 and 20
    CHECK(float(__nv_fp8_e4m3(0x1p-10f)) == 0);       // half of the least
    CHECK(float(__nv_fp8_e4m3(0x1.8p-9f)) == 0x1p-8); // between the least two
    CHECK(float(__nv_fp8_e4m3(0x1.Fp-7f)) == 0x1p-6); // the least normal one
    CHECK(__nv_fp8_e4m3(465.0f).__x == 0x7E);         // beyond the largest
    CHECK(__nv_fp8_e4m3(-1e30f).__x == 0xFE);
    CHECK(__nv_fp8_e4m3(infinity).__x == 0x7E);
    CHECK(std::isnan(float(__nv_fp8_e4m3(not_a_number))));
    const float4 four(__nv_fp8x4_e4m3(float4{1, -2, 0.5f, 448}));
    CHECK(four.x == 1);
    CHECK(four.y == -2);
    CHECK(four.z == 0.5f);
    CHECK(four.w == 448);
}
