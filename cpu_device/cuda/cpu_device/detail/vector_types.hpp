/// \file
/// CUDA's vector types (`float4`, `uchar2`, ...), their `make_` functions and `dim3`.
///
/// A GPU moves an aligned vector of 2, 4, 8 or 16 bytes with one instruction, and the transactions
/// of a warp are counted by instruction. A compiler for the host would split a member-wise copy
/// into one access a member, so the copy operations here move each vector as one value.
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/function.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

#define __VECTOR_TYPES_H__ // what helpers of samples request
#define __VECTOR_FUNCTIONS_H__

namespace cpu_device {

// A double for 8 bytes, because 8-byte vectors of integers are split into their elements.
using Unit2 = std::uint16_t __attribute__((may_alias));
using Unit4 = std::uint32_t __attribute__((may_alias));
using Unit8 = double __attribute__((may_alias));
using Unit16 = float __attribute__((vector_size(16), may_alias));

/// A value that was loaded in one access: the empty statement hides its origin, without which a
/// compiler that needs only some elements would load these alone.
template<class Unit>
[[gnu::always_inline]] inline Unit whole(Unit value)
{
#if defined(__x86_64__)
    if constexpr (sizeof(Unit) == 16 || std::is_same_v<Unit, Unit8>)
        __asm__("" : "+x"(value));
    else
        __asm__("" : "+r"(value));
#elif defined(__aarch64__)
    if constexpr (sizeof(Unit) == 16 || std::is_same_v<Unit, Unit8>)
        __asm__("" : "+w"(value));
    else
        __asm__("" : "+r"(value));
#elif defined(__wasm_simd128__)
    __asm__("" : "+r"(value));
#endif
    return value;
}

/// Copies a vector as a GPU does: in one access up to 16 bytes, in two of 16 bytes beyond. The
/// units are named, because an argument of a template and `auto` lose `may_alias`: then the
/// compiler overlooks what a kernel has stored to an element.
template<class T>
[[gnu::always_inline]] inline void move_vector(T& to, const T& from)
{
    if constexpr (sizeof(T) == 2) {
        reinterpret_cast<Unit2&>(to) = whole(reinterpret_cast<const Unit2&>(from));
    } else if constexpr (sizeof(T) == 4) {
        reinterpret_cast<Unit4&>(to) = whole(reinterpret_cast<const Unit4&>(from));
    } else if constexpr (sizeof(T) == 8) {
        reinterpret_cast<Unit8&>(to) = whole(reinterpret_cast<const Unit8&>(from));
    } else if constexpr (sizeof(T) == 16) {
        reinterpret_cast<Unit16&>(to) = whole(reinterpret_cast<const Unit16&>(from));
    } else {
        static_assert(sizeof(T) == 32);
        const Unit16* source = reinterpret_cast<const Unit16*>(&from);
        Unit16* target = reinterpret_cast<Unit16*>(&to);
        const Unit16 low = whole(source[0]);
        const Unit16 high = whole(source[1]);
        target[1] = high;
        target[0] = low;
    }
}

/// Copies a vector of three, which has no alignment of its own: in one access an element.
template<class T>
[[gnu::always_inline]] inline void move_members(T& to, const T& from)
{
    const auto x = whole(from.x);
    const auto y = whole(from.y);
    const auto z = whole(from.z);
    to.x = x;
    to.y = y;
    to.z = z;
}

/// CUDA aligns vectors of two and four elements to their size, but to no more than 16 bytes.
constexpr std::size_t vector_alignment(std::size_t bytes)
{
    return bytes < 16 ? bytes : 16;
}

} // namespace cpu_device

#define CPU_DEVICE_COPY_BY(move, Vector)                                                           \
    [[gnu::always_inline]] Vector(const Vector& other)                                             \
    {                                                                                              \
        cpu_device::move(*this, other);                                                            \
    }                                                                                              \
    [[gnu::always_inline]] Vector& operator=(const Vector& other)                                  \
    {                                                                                              \
        cpu_device::move(*this, other);                                                            \
        return *this;                                                                              \
    }

#define CPU_DEVICE_VECTOR2(Vector, T)                                                              \
    struct alignas(cpu_device::vector_alignment(2 * sizeof(T))) Vector                             \
    {                                                                                              \
        T x, y;                                                                                    \
        Vector() = default;                                                                        \
        [[gnu::always_inline]] constexpr Vector(T x_, T y_ = 0) : x(x_), y(y_) {}                  \
        CPU_DEVICE_COPY_BY(move_vector, Vector)                                                    \
    };                                                                                             \
    CPU_DEVICE_FUNCTION(constexpr Vector, make_##Vector, (T x, T y), Vector(x, y))

#define CPU_DEVICE_VECTOR3(Vector, T)                                                              \
    struct Vector                                                                                  \
    {                                                                                              \
        T x, y, z;                                                                                 \
        Vector() = default;                                                                        \
        [[gnu::always_inline]] constexpr Vector(T x_, T y_ = 0, T z_ = 0) : x(x_), y(y_), z(z_) {} \
        CPU_DEVICE_COPY_BY(move_members, Vector)                                                   \
    };                                                                                             \
    CPU_DEVICE_FUNCTION(constexpr Vector, make_##Vector, (T x, T y, T z), Vector(x, y, z))

#define CPU_DEVICE_VECTOR4(Vector, T, alignment)                                                   \
    struct alignas(alignment) Vector                                                               \
    {                                                                                              \
        T x, y, z, w;                                                                              \
        Vector() = default;                                                                        \
        [[gnu::always_inline]] constexpr Vector(T x_, T y_ = 0, T z_ = 0, T w_ = 0)                \
            : x(x_), y(y_), z(z_), w(w_)                                                           \
        {}                                                                                         \
        CPU_DEVICE_COPY_BY(move_vector, Vector)                                                    \
    };                                                                                             \
    CPU_DEVICE_FUNCTION(constexpr Vector, make_##Vector, (T x, T y, T z, T w), Vector(x, y, z, w))

#define CPU_DEVICE_VECTORS(name, T)                                                                \
    CPU_DEVICE_VECTOR2(name##2, T)                                                                 \
    CPU_DEVICE_VECTOR3(name##3, T)                                                                 \
    CPU_DEVICE_VECTOR4(name##4, T, cpu_device::vector_alignment(4 * sizeof(T)))

CPU_DEVICE_VECTORS(char, signed char)
CPU_DEVICE_VECTORS(uchar, unsigned char)
CPU_DEVICE_VECTORS(short, short)
CPU_DEVICE_VECTORS(ushort, unsigned short)
CPU_DEVICE_VECTORS(int, int)
CPU_DEVICE_VECTORS(uint, unsigned int)
CPU_DEVICE_VECTORS(long, long)
CPU_DEVICE_VECTORS(ulong, unsigned long)
CPU_DEVICE_VECTORS(longlong, long long)
CPU_DEVICE_VECTORS(ulonglong, unsigned long long)
CPU_DEVICE_VECTORS(float, float)
CPU_DEVICE_VECTORS(double, double)

// CUDA 13 names the alignment of its 32-byte vectors.
CPU_DEVICE_VECTOR4(ulonglong4_16a, unsigned long long, 16)
CPU_DEVICE_VECTOR4(double4_16a, double, 16)
CPU_DEVICE_VECTOR4(double4_32a, double, 32)

/// Sizes of a grid or a block; dimensions that are not given are 1.
struct dim3
{
    unsigned x, y, z;
    [[gnu::always_inline]] constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1)
        : x(x_), y(y_), z(z_)
    {}
    [[gnu::always_inline]] constexpr dim3(uint3 size) : x(size.x), y(size.y), z(size.z) {}
    [[gnu::always_inline]] constexpr operator uint3() const { return uint3{x, y, z}; }
};
