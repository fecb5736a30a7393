/// \file
/// CUDA, as the kernels of the figures see it: the threads of a block run one after the other, and
/// an array has addresses and nothing at them. What a thread loads is zero; where it loads from is
/// noted.
#pragma once

#include <cpu_device/access.hpp>
#include <cpu_device/detail/vector_types.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace figures {

using cpu_device::Access;

/// One access of one thread, or a barrier.
struct Noted
{
    /// Line and column in the source, which tell the instructions of a kernel apart.
    std::uint32_t site = 0;
    std::uint8_t bytes = 0; ///< 0: a barrier
    Access access = Access::load;
    bool shared = false;
    std::uintptr_t address = 0;
};

/// What the thread that runs now has done so far.
inline std::vector<Noted> noted;

constexpr std::uint32_t site_of(unsigned line, unsigned column)
{
    return line << 8 | column;
}
constexpr unsigned line_of(std::uint32_t site)
{
    return site >> 8;
}

/// An index, and where in the source it stands.
struct Index
{
    template<class Integer>
    Index(Integer i, unsigned line = __builtin_LINE(), unsigned column = __builtin_COLUMN())
        : value(static_cast<std::size_t>(i)), site(site_of(line, column))
    {}

    std::size_t value;
    std::uint32_t site;
};

/// `a[i]`: an access, as soon as it is read or written to.
template<class T, bool shared = false>
class Element
{
    std::uintptr_t address_;
    std::uint32_t site_;

  public:
    Element(std::uintptr_t address, std::uint32_t site) : address_(address), site_(site) {}
    Element(const Element&) = default;

    operator T() const
    {
        note(Access::load);
        return {};
    }
    const Element& operator=(const T&) const
    {
        note(Access::store);
        return *this;
    }
    const Element& operator=(const Element& value) const { return *this = static_cast<T>(value); }

    /// Of an element that is a record of floats: `a[i].field[k]`.
    struct Fields
    {
        std::uintptr_t address;
        auto operator[](Index k) const
        {
            return Element<float>(address + k.value * sizeof(float), k.site);
        }
    } field{address_};

  private:
    void note(Access access) const
    {
        noted.push_back({site_, sizeof(T), access, shared, address_});
    }
};

/// A pointer to an array of device memory.
template<class T>
class Pointer
{
  public:
    explicit Pointer(std::uintptr_t address) : address_(address) {}
    template<class Other>
    explicit Pointer(Pointer<Other> other) : address_(other.address())
    {}

    auto operator[](Index i) const
    {
        return Element<std::remove_const_t<T>>(address_ + i.value * sizeof(T), i.site);
    }
    [[nodiscard]] std::uintptr_t address() const { return address_; }

  private:
    std::uintptr_t address_;
};

/// Shared memory of a kernel, which has one array at most: it begins at bank 0.
template<class T, std::size_t size>
struct SharedArray
{
    auto operator[](Index i) const { return Element<T, true>(i.value * sizeof(T), i.site); }
};

} // namespace figures

// What CUDA declares of itself.
#define __global__
#define __device__

struct Dimensions
{
    unsigned x = 1, y = 1;
};
inline Dimensions gridDim, blockDim, blockIdx, threadIdx;

inline void __syncthreads()
{
    figures::noted.push_back({});
}
