/// \file
/// Arrays of a gather or a scatter through an array of indices.
#pragma once

#include "common/problem/arrays.hpp"
#include "shuffle.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

/// Number of elements that 32-bit indices can address.
constexpr std::uint64_t max_indices = std::uint64_t{1} << 32U;

/// c[i] = a[index[i]] or c[index[i]] = a[i], for elements of type T. bytes() counts each index and
/// each element once on either side.
template<class T>
class Indexed : public common::Arrays<T>
{
  public:
    /// A problem of `size` elements, max_indices at most; call expect_moved() before a variant
    /// runs.
    Indexed(const common::Setting& setting, std::size_t size)
        : common::Arrays<T>(
              setting,
              {.task = "gather", .n = size, .bytes = size * (2 * sizeof(T) + sizeof(unsigned))})
    {}

    /// Sets the reference for the variants that follow: a gather by indices in that order, or a
    /// scatter. A cached reference stays valid if the output is the same: sequential indices move
    /// nothing in either direction.
    void expect_moved(const Shuffle& order, bool scatters)
    {
        const std::pair moved(order.window(), scatters && order.window() > 1);
        if (std::exchange(moved_, moved) == moved)
            return;
        this->expect_elements([order, scatters, seed = this->seed()](std::size_t first,
                                                                     std::size_t count, void* out) {
            const common::Input<float> floats(seed, 0);
            for (std::size_t i = first; i < first + count; ++i) {
                const std::size_t from = scatters ? order.inverse(i) : order(i);
                T* to = static_cast<T*>(out) + (i - first);
                if constexpr (std::is_same_v<T, float>)
                    *to = floats[from];
                else
                    common::generate(common::element_of<T>(), seed, 0, from, 1, to);
            }
        });
    }

    unsigned* index = nullptr; ///< n indices, which the variant fills

  private:
    void make_arrays() override
    {
        common::Arrays<T>::make_arrays();
        indices_ = common::Buffer<unsigned>(this->n);
        index = indices_.data();
    }

    common::Buffer<unsigned> indices_;
    std::pair<std::size_t, bool>
        moved_; ///< window and direction of the reference; no window at first
};
