/// \file
/// CUDA, as the kernels of the figures see it: the threads of a block run one after the other, and
/// each access is told. An array has addresses alone, and what a thread loads is zero, unless the
/// kernel is verified (values.hpp). Few headers, for a reader's browser compiles this page too.
#pragma once

#include <cpu_device/detail/vector_types.hpp>

#include <cstddef>
#include <type_traits>

// Told of each access: where it stands in the source, its bytes, whether it is one of shared
// memory, the address, and where the value goes or comes from. Defined in values.cpp; to an edited
// kernel they come from outside.
extern "C" {
void figures_load(unsigned site, unsigned bytes, unsigned shared, std::size_t address, void* to);
void figures_store(unsigned site, unsigned bytes, unsigned shared, std::size_t address,
                   const void* from);
void figures_barrier();
}

namespace figures {

constexpr unsigned site_of(unsigned line, unsigned column)
{
    return line << 8 | column;
}
constexpr unsigned line_of(unsigned site)
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
    unsigned site;
};

template<class T>
class Pointer;

/// `a[i]`: an access, as soon as it is read or written to.
template<class T, bool shared = false>
class Element
{
    using Value = std::remove_const_t<T>;
    std::size_t address_;
    unsigned site_;

  public:
    Element(std::size_t address, unsigned site) : address_(address), site_(site) {}
    Element(const Element&) = default;

    operator Value() const
    {
        Value value{};
        figures_load(site_, sizeof(T), shared, address_, &value);
        return value;
    }
    const Element& operator=(const T& value) const
    {
        figures_store(site_, sizeof(T), shared, address_, &value);
        return *this;
    }
    const Element& operator=(const Element& value) const { return *this = static_cast<T>(value); }
    Pointer<T> operator&() const;
    template<class Other>
    const Element& operator+=(const Other& more) const
    {
        return *this = static_cast<T>(static_cast<T>(*this) + more);
    }

    /// Of an element that is a record of floats: `a[i].field[k]`.
    struct Fields
    {
        std::size_t address;
        auto operator[](Index k) const
        {
            return Element<float>(address + k.value * sizeof(float), k.site);
        }
    } field{address_};
};

/// A pointer into device memory. What `*p` does is noted where p was made.
template<class T>
class Pointer
{
  public:
    using Type = T;

    explicit Pointer(std::size_t address, unsigned site = 0) : address_(address), site_(site) {}
    template<class Other>
    explicit(!std::is_same_v<const Other, T>) Pointer(Pointer<Other> other)
        : address_(other.address()), site_(other.site())
    {}
    explicit operator std::size_t() const { return address_; }

    auto operator[](Index i) const { return Element<T>(address_ + i.value * sizeof(T), i.site); }
    auto operator+(Index i) const { return Pointer(address_ + i.value * sizeof(T), i.site); }
    auto operator*() const { return Element<T>(address_, site_); }
    [[nodiscard]] std::size_t address() const { return address_; }
    [[nodiscard]] unsigned site() const { return site_; }

  private:
    std::size_t address_;
    unsigned site_;
};

template<class T, bool shared>
Pointer<T> Element<T, shared>::operator&() const
{
    static_assert(!shared, "what takes a pointer takes one into device memory");
    return Pointer<T>(address_, site_);
}

/// Shared memory of a kernel, which has one array at most: it begins at bank 0. `columns` of one
/// with two dimensions.
template<class T, std::size_t size, std::size_t columns = 0>
struct SharedArray
{
    std::size_t first = 0; ///< element of the row

    auto operator[](Index i) const
    {
        if constexpr (columns == 0)
            return Element<T, true>((first + i.value) * sizeof(T), i.site);
        else
            return SharedArray<T, columns>{i.value * columns};
    }
};

// Accesses with a hint for the caches: requests and sectors are those without it.
#define FIGURES_LOAD(name)                                                                         \
    template<class T>                                                                              \
    std::remove_const_t<T> name(Pointer<T> from, unsigned line = __builtin_LINE(),                 \
                                unsigned column = __builtin_COLUMN())                              \
    {                                                                                              \
        return Element<T>(from.address(), site_of(line, column));                                  \
    }
FIGURES_LOAD(__ldg)
FIGURES_LOAD(__ldca)
FIGURES_LOAD(__ldcg)
FIGURES_LOAD(__ldcs)
#undef FIGURES_LOAD

#define FIGURES_STORE(name)                                                                        \
    template<class T>                                                                              \
    void name(Pointer<T> to, const std::type_identity_t<T>& value,                                 \
              unsigned line = __builtin_LINE(), unsigned column = __builtin_COLUMN())              \
    {                                                                                              \
        Element<T>(to.address(), site_of(line, column)) = value;                                   \
    }
FIGURES_STORE(__stwb)
FIGURES_STORE(__stcg)
FIGURES_STORE(__stcs)
FIGURES_STORE(__stwt)
#undef FIGURES_STORE

/// Each array of a launch begins at a multiple of it: three have room in the 32 bits of an address.
constexpr std::size_t array_bytes = std::size_t{5} << 28;

template<class T>
Pointer<T> array(unsigned number)
{
    return Pointer<T>(number * array_bytes);
}

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
    figures_barrier();
}
