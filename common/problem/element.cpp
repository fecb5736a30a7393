#include "common/problem/element.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace common {

using namespace random_bits;

namespace {

template<class T>
T load(const void* value)
{
    T result;
    std::memcpy(&result, value, sizeof(T));
    return result;
}

/// Two neighbours share the bits of one mix(), because arrays of gigabytes are generated again for
/// every verification.
template<class T>
void generate_numbers(std::uint64_t key, unsigned array, std::size_t first, std::size_t count,
                      void* out)
{
    auto* values = static_cast<T*>(out);
    for (std::uint64_t i = first / 2 * 2; i < first + count; i += 2) {
        const std::uint64_t bits = bits_at(key, i);
        if (i >= first)
            values[i - first] = number<T>(bits, array, i);
        if (i + 1 < first + count)
            values[i + 1 - first] = number<T>(bits, array, i + 1);
    }
}

template<class Bits>
constexpr Bits without_sign(Bits bits)
{
    return static_cast<Bits>(static_cast<Bits>(bits << 1U) >> 1U);
}

/// A floating-point format of `mantissa` bits besides the leading one, whose numbers from
/// 2^exponent on are normal.
struct Format
{
    int mantissa;
    int exponent;
};
constexpr Format fp8_format{3, -6};
constexpr double largest_fp8 = 448;

/// Rounds x to a multiple of its unit in the last place: adding 1.5 * 2^52 units leaves a double no
/// bits for less.
double rounded_to(Format format, double x)
{
    if (!std::isfinite(x))
        return x;
    constexpr int bias = 1023;
    const auto exponent = static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52U & 0x7ffU) - bias;
    const int unit = std::max(exponent, format.exponent) - format.mantissa;
    const auto scale = std::bit_cast<double>(static_cast<std::uint64_t>(unit + bias) << 52U);
    return std::copysign(x + 0x1.8p52 * scale - 0x1.8p52 * scale, x);
}

double load_fp8(std::uint8_t bits)
{
    constexpr std::uint64_t bias = 1023 - 7; // of a double's exponent, less that of the format
    const std::uint64_t magnitude_bits = bits & 0x7fU;
    const double magnitude = magnitude_bits == 0x7f ? std::numeric_limits<double>::quiet_NaN()
                             : magnitude_bits < 8
                                 ? static_cast<double>(magnitude_bits) * 0x1p-9 // no leading one
                                 : std::bit_cast<double>((magnitude_bits + (bias << 3U)) << 49U);
    return bits >= 0x80 ? -magnitude : magnitude;
}

std::uint8_t fp8_bits(double x)
{
    // Numbers of 8 bits that are not negative ascend with their bits.
    unsigned bits = 0;
    for (unsigned step = 0x40; step > 0; step /= 2)
        if (load_fp8(static_cast<std::uint8_t>(bits + step)) <= std::abs(x))
            bits += step;
    return static_cast<std::uint8_t>(bits | (std::signbit(x) ? 0x80U : 0U));
}

/// True if one of `count` numbers is not one: its bits, without the sign, are beyond infinity's.
/// There is no early end, so that the loop vectorises.
template<class Bits>
bool has_nan(const void* values, std::size_t count, Bits infinity)
{
    const auto* from = static_cast<const std::byte*>(values);
    Bits found = 0;
    for (std::size_t i = 0; i < count; ++i)
        found |= static_cast<Bits>(without_sign(load<Bits>(from + i * sizeof(Bits))) > infinity);
    return found != 0;
}

/// Random bits, eight bytes at a time, but for the first byte of a unit: its lowest two bits count
/// with the index, and it is never the poison.
void generate_units(std::uint64_t key, std::size_t unit_bytes, std::size_t first, std::size_t count,
                    void* out)
{
    constexpr std::size_t word_bytes = sizeof(std::uint64_t);
    auto* bytes = static_cast<unsigned char*>(out);
    std::size_t at = first * unit_bytes; // counted from the start of the array
    const std::size_t end = at + count * unit_bytes;
    for (auto* to = bytes; at < end;) {
        const std::uint64_t bits = bits_at(key, at / word_bytes);
        const std::size_t skipped = at % word_bytes;
        if (skipped == 0 && end - at >= word_bytes) { // nearly always, and worth a fixed size
            std::memcpy(to, &bits, word_bytes);
            at += word_bytes;
            to += word_bytes;
            continue;
        }
        const std::size_t taken = std::min(word_bytes - skipped, end - at);
        const std::uint64_t rest = bits >> (8 * skipped);
        std::memcpy(to, &rest, taken);
        at += taken;
        to += taken;
    }
    for (std::size_t k = 0; k < count; ++k, bytes += unit_bytes) {
        const std::uint64_t i = first + k;
        bytes[0] = static_cast<unsigned char>((bytes[0] & 0xFCU) | (i & 3U));
        if (bytes[0] == poison_byte)
            bytes[0] = 0x03;
    }
}

} // namespace

void generate(Element element, std::uint64_t seed, unsigned array, std::size_t first,
              std::size_t count, void* out)
{
    const std::uint64_t key = input_key(seed, array);
    switch (element) {
    case Element::f32:
        return generate_numbers<float>(key, array, first, count, out);
    case Element::f64:
        return generate_numbers<double>(key, array, first, count, out);
    default:
        return generate_units(key, element_bytes(element), first, count, out);
    }
}

double rounded_to(Element format, double x)
{
    switch (format) {
    case Element::f32:
        return static_cast<float>(x);
    case Element::bf16:
        return rounded_to(Format{7, -126}, x);
    case Element::fp8:
        return std::abs(x) > largest_fp8 ? std::copysign(largest_fp8, x)
                                         : rounded_to(fp8_format, x);
    default:
        return x;
    }
}

double load_number(Element format, const void* value)
{
    switch (format) {
    case Element::f32:
        return load<float>(value);
    case Element::bf16:
        return from_bf16(load<std::uint16_t>(value));
    case Element::fp8:
        return load_fp8(load<std::uint8_t>(value));
    case Element::f64:
        return load<double>(value);
    default: // bits without a number: no tolerance accepts them
        return std::numeric_limits<double>::quiet_NaN();
    }
}

void store_number(Element format, double x, void* value)
{
    const double number = rounded_to(format, x);
    const auto store = [value](auto bits) { std::memcpy(value, &bits, sizeof bits); };
    switch (format) {
    case Element::f32:
        return store(static_cast<float>(number));
    case Element::bf16:
        return store(to_bf16(number));
    case Element::fp8:
        return store(fp8_bits(number));
    default:
        return store(number);
    }
}

std::string format_element(Element element, const void* value)
{
    const auto number = [](auto x, auto bits) {
        return std::isnan(x) ? fmt::format("nan (0x{:x})", bits) : fmt::format("{}", x);
    };
    switch (element) {
    case Element::f32:
        return number(load<float>(value), load<std::uint32_t>(value));
    case Element::f64:
        return number(load<double>(value), load<std::uint64_t>(value));
    case Element::bf16:
        return number(load_number(element, value), load<std::uint16_t>(value));
    case Element::fp8:
        return number(load_number(element, value), load<std::uint8_t>(value));
    case Element::u8:
        return fmt::format("0x{:02x}", load<std::uint8_t>(value));
    case Element::u16:
        return fmt::format("0x{:04x}", load<std::uint16_t>(value));
    case Element::u32:
        return fmt::format("0x{:08x}", load<std::uint32_t>(value));
    case Element::u64:
        return fmt::format("0x{:016x}", load<std::uint64_t>(value));
    case Element::u128:
        return fmt::format("0x{:016x}{:016x}",
                           load<std::uint64_t>(static_cast<const std::byte*>(value) + 8),
                           load<std::uint64_t>(value));
    }
    return "";
}

bool is_nan(Element element, const void* value)
{
    return has_nan(element, value, 1);
}

bool has_nan(Element element, const void* values, std::size_t count)
{
    switch (element) {
    case Element::f32:
        return has_nan<std::uint32_t>(values, count, 0x7f80'0000);
    case Element::f64:
        return has_nan<std::uint64_t>(values, count, 0x7ff0'0000'0000'0000);
    case Element::bf16:
        return has_nan<std::uint16_t>(values, count, 0x7f80);
    case Element::fp8:
        return has_nan<std::uint8_t>(values, count, 0x7e);
    default:
        return false;
    }
}

bool is_poison(Element element, const void* value)
{
    const auto* bytes = static_cast<const unsigned char*>(value);
    return std::all_of(bytes, bytes + element_bytes(element),
                       [](unsigned char byte) { return byte == poison_byte; });
}

} // namespace common
