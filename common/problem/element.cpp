#include "common/problem/element.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

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

/// True if one of `count` numbers is not one: its bits, without the sign, are beyond infinity's.
/// There is no early end, so that the loop vectorises.
template<class Bits>
bool has_nan(const void* values, std::size_t count, Bits infinity)
{
    const auto* from = static_cast<const std::byte*>(values);
    Bits found = 0;
    for (std::size_t i = 0; i < count; ++i)
        found |= static_cast<Bits>((load<Bits>(from + i * sizeof(Bits)) << 1U >> 1U) > infinity);
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
    return (element == Element::f32 && std::isnan(load<float>(value))) ||
           (element == Element::f64 && std::isnan(load<double>(value)));
}

bool has_nan(Element element, const void* values, std::size_t count)
{
    switch (element) {
    case Element::f32:
        return has_nan<std::uint32_t>(values, count, 0x7f80'0000);
    case Element::f64:
        return has_nan<std::uint64_t>(values, count, 0x7ff0'0000'0000'0000);
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
