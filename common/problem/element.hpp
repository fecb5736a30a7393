/// \file
/// The element types of arrays, and values for them that make a check mean something.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

// Of CUDA's headers, which take long to compile: sources with kernels of them include those.
struct __nv_bfloat16;
struct __nv_fp8_e4m3;

namespace common {

/// What an array is made of: floating-point numbers, or units of so many bits.
enum class Element
{
    f32,
    f64,
    bf16, ///< the upper half of an f32
    fp8,  ///< E4M3: one sign bit, four bits of exponent, three of mantissa, no infinity
    u8,
    u16,
    u32,
    u64,
    u128
};

/// Bytes of one element.
[[nodiscard]] constexpr std::size_t element_bytes(Element element)
{
    switch (element) {
    case Element::u8:
    case Element::fp8:
        return 1;
    case Element::u16:
    case Element::bf16:
        return 2;
    case Element::f32:
    case Element::u32:
        return 4;
    case Element::f64:
    case Element::u64:
        return 8;
    case Element::u128:
        return 16;
    }
    return 0;
}

/// The Element of a C++ type: a floating-point type of C++ or CUDA, or anything of 1, 2, 4, 8 or 16
/// bytes that can be copied byte by byte.
template<class T>
[[nodiscard]] constexpr Element element_of()
{
    // Not is_trivially_copyable: the CPU device's vector types have a copy of their own, in one
    // access.
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 ||
                      sizeof(T) == 16,
                  "a unit has 1, 2, 4, 8 or 16 bytes");
    if constexpr (std::is_same_v<T, float>)
        return Element::f32;
    else if constexpr (std::is_same_v<T, double>)
        return Element::f64;
    else if constexpr (std::is_same_v<T, __nv_bfloat16>)
        return Element::bf16;
    else if constexpr (std::is_same_v<T, __nv_fp8_e4m3>)
        return Element::fp8;
    else
        return sizeof(T) == 1   ? Element::u8
               : sizeof(T) == 2 ? Element::u16
               : sizeof(T) == 4 ? Element::u32
               : sizeof(T) == 8 ? Element::u64
                                : Element::u128;
}

/// Every byte of an output before a kernel runs. As a float it is a NaN; generate() never makes an
/// element of these bytes alone.
inline constexpr unsigned char poison_byte = 0xFF;

/// Writes elements `first` to `first + count` of input array number `array` to `out`.
///
/// Element i depends on the seed, the array and i alone, so any part of an array can be made again
/// at any time. Elements less than four apart always differ, so that an output shifted by one to
/// three is wrong everywhere. Floats are integers from -32768 to 32767: sums of up to 512 of them
/// are exact in any order. In array 1 none of them is zero. Elements of all other formats, bf16 and
/// fp8 among them, are random bits.
void generate(Element element, std::uint64_t seed, unsigned array, std::size_t first,
              std::size_t count, void* out);

/// How generate() makes a number.
namespace random_bits {

/// 2^64 over the golden ratio: what SplitMix64 adds from one number to the next.
inline constexpr std::uint64_t golden_gamma = 0x9e3779b97f4a7c15;

/// The output function of SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number
/// generators", 2014): each input bit flips every output bit with probability close to one half.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t x)
{
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111eb;
    return x ^ (x >> 31U);
}

/// Number i of the sequence that SplitMix64 makes of a key.
[[nodiscard]] constexpr std::uint64_t bits_at(std::uint64_t key, std::uint64_t i)
{
    return mix(key + i * golden_gamma);
}

/// What the elements of an array have in common.
[[nodiscard]] constexpr std::uint64_t input_key(std::uint64_t seed, unsigned array)
{
    return mix(mix(seed + golden_gamma) + array);
}

/// Element i from the bits that it shares with a neighbour: -32768 to 32767. The lowest two bits
/// count with the index in array 0 and are 2 in every other: neighbours differ, and so do their
/// sums with another array.
template<class T>
[[nodiscard]] constexpr T number(std::uint64_t bits, unsigned array, std::uint64_t i)
{
    const int high = static_cast<int>(bits >> (i % 2 == 0 ? 50U : 36U) & 0x3fffU) - 8192;
    const int low = array == 0 ? static_cast<int>(i % 4) : 2;
    return static_cast<T>(high * 4 + low);
}

} // namespace random_bits

/// Input array number `array` of a problem, any element of it whenever it is wanted: nothing is
/// stored. T is float or double; the values are those of generate().
template<class T>
class Input
{
    static_assert(std::is_floating_point_v<T>);

  public:
    /// The array of that number that generate() makes of `seed`.
    Input(std::uint64_t seed, unsigned array)
        : key_(random_bits::input_key(seed, array)), array_(array)
    {}
    /// Element i.
    [[nodiscard]] T operator[](std::uint64_t i) const
    {
        const std::uint64_t even = i / 2 * 2;
        return random_bits::number<T>(random_bits::bits_at(key_, even), array_, i);
    }

  private:
    std::uint64_t key_;
    unsigned array_;
};

/// Rounds x to the nearest number of a floating-point format, ties to even. Magnitudes above 448
/// become 448 in fp8, as they do in a conversion to __nv_fp8_e4m3.
[[nodiscard]] double rounded_to(Element format, double x);
/// Reads the number of that floating-point format at `value`.
[[nodiscard]] double load_number(Element format, const void* value);
/// Writes x, rounded to that floating-point format, to `value`.
void store_number(Element format, double x, void* value);

/// The number whose bits as a bf16 these are.
[[nodiscard]] constexpr float from_bf16(std::uint16_t bits)
{
    return std::bit_cast<float>(std::uint32_t{bits} << 16U);
}
/// The bits of the bf16 nearest to x.
[[nodiscard]] inline std::uint16_t to_bf16(double x)
{
    const double rounded = rounded_to(Element::bf16, x);
    return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(rounded)) >>
                                      16U);
}

/// An element's value for a message: `-12`, `nan (0xffffffff)`, `0x3f`.
[[nodiscard]] std::string format_element(Element element, const void* value);

/// True for a floating-point element that is not a number.
[[nodiscard]] bool is_nan(Element element, const void* value);
/// True if one of `count` elements is_nan().
[[nodiscard]] bool has_nan(Element element, const void* values, std::size_t count);

/// True for an element that still holds the poison.
[[nodiscard]] bool is_poison(Element element, const void* value);

} // namespace common
