/// \file
/// What the lanes of a warp exchange: shuffles, votes and reductions.
///
/// All of it is an exchange of a 64-bit value a lane, so it costs one meeting of the warp; larger
/// values cost one for every 64 bits. A lane that names a lane outside the mask gets 0, and a
/// sentence says so: on a GPU it is undefined.
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/engine.hpp"
#include "cpu_device/detail/function.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace cpu_device {

// These run outside the kernels' instrumented objects: an exchange is not a memory access.

/// The bits that lane `source` passes; the caller's own where `source` is no lane of a
/// warp, and 0, with advice, where it is none that takes part. No advice for the `tail` of a tree:
/// what these lanes read reaches no result.
[[nodiscard]] std::uint64_t lane_bits(unsigned mask, std::uint64_t own, int source,
                                      SourceLine where, bool tail);
/// Writes the bits of every lane to `bits[0]` to `bits[31]` and returns the lanes that took part.
unsigned all_lane_bits(unsigned mask, std::uint64_t own, std::uint64_t* bits, SourceLine where);
/// Lanes of `mask` that pass the wanted bits.
[[nodiscard]] unsigned lanes_with(std::uint64_t wanted, unsigned mask, std::uint64_t own,
                                  SourceLine where);

/// A value as the units that lanes exchange, one after the other: CUDA's groups exchange up to 32
/// bytes.
template<class T>
struct ExchangedWords
{
    static constexpr std::size_t count =
        (sizeof(T) + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
    static_assert(std::is_trivially_destructible<T>::value && count <= 4,
                  "lanes exchange values of up to 32 bytes that are copied as bytes");
    std::uint64_t word[count] = {};

    explicit ExchangedWords(const T& value)
    {
        std::memcpy(word, static_cast<const void*>(&value), sizeof(T));
    }
    T value() const
    {
        alignas(T) unsigned char bytes[sizeof(T)];
        std::memcpy(bytes, word, sizeof(T));
        return *reinterpret_cast<const T*>(bytes);
    }
};

template<class T>
T value_of_lane(unsigned mask, const T& own, int source, SourceLine where, bool tail = false)
{
    ExchangedWords<T> words(own);
    for (std::uint64_t& word : words.word)
        word = lane_bits(mask, word, source, where, tail);
    return words.value();
}

/// `combine` over the values of all lanes of `mask`, in the order of the lanes.
template<class T, class Combine>
T reduce_lanes(unsigned mask, const T& own, Combine combine, SourceLine where)
{
    ExchangedWords<T> words(own);
    std::uint64_t bits[ExchangedWords<T>::count][warp_lanes];
    unsigned left = 0;
    for (std::size_t i = 0; i < words.count; ++i)
        left = all_lane_bits(mask, words.word[i], bits[i], where);
    const auto value_of = [&](int lane) {
        for (std::size_t i = 0; i < words.count; ++i)
            words.word[i] = bits[i][lane];
        return words.value();
    };
    T result = value_of(__builtin_ctz(left));
    for (left &= left - 1; left != 0; left &= left - 1)
        result = combine(result, value_of(__builtin_ctz(left)));
    return result;
}

} // namespace cpu_device

/// The value that lane `source` of the caller's segment of `width` lanes passes.
template<class T>
T __shfl_sync(unsigned mask, T value, int source, int width = cpu_device::warp_lanes,
              CPU_DEVICE_WHERE)
{
    const int segment = static_cast<int>(cpu_device::lane()) & ~(width - 1);
    return cpu_device::value_of_lane(mask, value, segment | (source & (width - 1)), where);
}

/// The value of the lane `delta` below; the lowest lanes of a segment keep their own.
template<class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = cpu_device::warp_lanes,
                 CPU_DEVICE_WHERE)
{
    const int own = static_cast<int>(cpu_device::lane());
    const int source = own - static_cast<int>(delta);
    return cpu_device::value_of_lane(mask, value, source >= (own & ~(width - 1)) ? source : own,
                                     where);
}

/// The value of the lane `delta` above; the highest lanes of a segment keep their own.
template<class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = cpu_device::warp_lanes,
                   CPU_DEVICE_WHERE)
{
    const int own = static_cast<int>(cpu_device::lane());
    const int source = own + static_cast<int>(delta);
    // Of the lanes from `delta` on a sum by halves takes nothing any more.
    return cpu_device::value_of_lane(mask, value, source <= (own | (width - 1)) ? source : own,
                                     where, own >= static_cast<int>(delta));
}

/// The value of the lane whose number differs in the bits of `lane_mask`; a lane of a later
/// segment cannot be read.
template<class T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = cpu_device::warp_lanes,
                  CPU_DEVICE_WHERE)
{
    const int own = static_cast<int>(cpu_device::lane());
    const int source = own ^ lane_mask;
    return cpu_device::value_of_lane(mask, value, source <= (own | (width - 1)) ? source : own,
                                     where);
}

CPU_DEVICE_FUNCTION(unsigned, __ballot_sync, (unsigned mask, int predicate, CPU_DEVICE_WHERE),
                    cpu_device::lanes_with(1, mask, predicate != 0, where))
CPU_DEVICE_FUNCTION(int, __any_sync, (unsigned mask, int predicate, CPU_DEVICE_WHERE),
                    cpu_device::lanes_with(1, mask, predicate != 0, where) != 0)
CPU_DEVICE_FUNCTION(int, __all_sync, (unsigned mask, int predicate, CPU_DEVICE_WHERE),
                    cpu_device::lanes_with(0, mask, predicate != 0, where) == 0)
CPU_DEVICE_FUNCTION(unsigned, __activemask, (CPU_DEVICE_WHERE), cpu_device::active_mask(where))

/// The lanes of the mask that pass the same value.
template<class T>
unsigned __match_any_sync(unsigned mask, T value, CPU_DEVICE_WHERE)
{
    static_assert(sizeof(T) <= sizeof(std::uint64_t));
    const std::uint64_t own = cpu_device::ExchangedWords<T>(value).word[0];
    return cpu_device::lanes_with(own, mask, own, where);
}

/// The mask, if all its lanes pass the same value, which `same` says; else 0.
template<class T>
unsigned __match_all_sync(unsigned mask, T value, int* same, CPU_DEVICE_WHERE)
{
    *same = __match_any_sync(mask, value, where) == mask;
    return *same != 0 ? mask : 0;
}

int __reduce_add_sync(unsigned mask, int value, CPU_DEVICE_WHERE);
unsigned __reduce_add_sync(unsigned mask, unsigned value, CPU_DEVICE_WHERE);
