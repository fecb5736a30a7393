/// \file
/// An array of which one value has to be made: a sum, or the place of the largest element.
#pragma once

#include "common/device/check.hpp"
#include "common/device/memory.hpp"
#include "common/problem/element.hpp"
#include "common/problem/parallel.hpp"
#include "common/problem/problem.hpp"
#include "common/problem/tolerance.hpp"
#include "common/problem/write_elements.hpp"

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

namespace common {

//! [operations]
/// What a reduction makes of elements: their sum. 0 changes nothing, whatever it is joined with.
template<class T, class T4>
struct Sum
{
    using Element = T; ///< of the array
    using Four = T4;   ///< of them, in one load
    using Value = T;   ///< what is made of elements
    /// What an element is worth, wherever it is.
    static __device__ Value of(T x, std::size_t) { return x; }
    /// One value of two, in either order.
    static __device__ Value join(Value x, Value y) { return x + y; }
    /// The same with what is at `c`, while other threads do so, too.
    static __device__ void join_at(Value* c, Value x) { atomicAdd(c, x); }
};

/// The largest word and where it is, in one word of 64 bits: the index's complement in the lower
/// half, so that of equal elements the first is the largest.
struct Largest
{
    using Element = unsigned;         ///< of the array
    using Four = uint4;               ///< of them, in one load
    using Value = unsigned long long; ///< an element, and where it is
    /// What element i is worth.
    static __device__ Value of(unsigned x, std::size_t i)
    {
        return Value{x} << 32U | ~static_cast<unsigned>(i);
    }
    /// One value of two, in either order.
    static __device__ Value join(Value x, Value y) { return x > y ? x : y; }
    /// The same with what is at `c`, a Value, while other threads do so, too.
    template<class Word> // atomicMax of 64 bits is looked up where a kernel is compiled
    static __device__ void join_at(Word* c, Word x)
    {
        atomicMax(c, x);
    }
};

/// What four elements are worth together, the first of them being element i.
template<class Op>
__device__ typename Op::Value join_four(typename Op::Four v, std::size_t i)
{
    return Op::join(Op::join(Op::of(v.x, i), Op::of(v.y, i + 1)),
                    Op::join(Op::of(v.z, i + 2), Op::of(v.w, i + 3)));
}
//! [operations]

/// What the elements of a Reduction are.
enum class Values
{
    random, ///< as if by lot: floats from 0 to 1, in steps of 2^-24; words of any bits
    equal   ///< all 1
};

/// c[0] from the n elements of `a`, which are floats or unsigned words: their sum, or, where
/// `Op::Value` has 64 bits, the largest word in its upper half and in its lower the complement of
/// its index, of equal ones the first. `Op` is Sum or Largest.
template<class Op>
class Reduction : public Problem
{
  public:
    using Element = typename Op::Element;                ///< float or unsigned
    using Value = typename Op::Value;                    ///< of the result, and of each partial
    static constexpr std::size_t max_partials = 1 << 14; ///< elements of `partials`
    /// Whether sums depend on their order, so that one is right within a bound.
    static constexpr bool of_floats = std::is_same_v<Element, float>;
    static constexpr bool largest = sizeof(Value) == 8; ///< and not a sum

    /// A problem of that task, of so many elements. What is expected is still to be said.
    Reduction(const Setting& setting, std::string task, std::size_t size, Values values)
        : Problem(std::move(task)), n(size), key_(random_bits::input_key(setting.seed, 0)),
          values_(values)
    {}

    /// What the elements are.
    [[nodiscard]] Values values() const { return values_; }
    /// Element i.
    [[nodiscard]] Element element(std::size_t i) const
    {
        if (values_ == Values::equal)
            return Element{1};
        const std::uint64_t bits = random_bits::bits_at(key_, i);
        if constexpr (of_floats)
            return static_cast<float>(bits >> 40U) * 0x1p-24F;
        else
            return static_cast<unsigned>(bits >> 32U);
    }

    /// The variants from here on add an element up through at most so many additions: a sum of
    /// floats has to be within sum_error_bound(additions) of that in double, which is exact up to
    /// 2^29 elements. All other results are compared to the bit; sums of words are those modulo
    /// 2^32. With `index`, a largest word has its index below it, not the complement.
    void expect(std::uint64_t additions, bool index = false)
    {
        if (!std::exchange(known_, true))
            find_out();
        if constexpr (largest)
            expected_ = Value{element(at_)} << 32U | static_cast<std::uint32_t>(index ? at_ : ~at_);
        else
            expected_ = static_cast<Value>(sum_);
        tolerance_ = of_floats ? static_cast<double>(sum_) * sum_error_bound(additions) : 0;
    }
    /// Variant::unavailable for so many additions: nothing can be expected of too many.
    [[nodiscard]] std::string obstacle(std::uint64_t additions) const
    {
        return of_floats && std::isinf(sum_error_bound(additions))
                   ? "2^24 floats one after another: their sum may be anything"
                   : "";
    }

    void poison() override { output_.poison(); }
    /// A float within the tolerance is what is expected; all else is compared bit for bit.
    [[nodiscard]] Verdict verify() override
    {
        return output_.verify([this](std::size_t, std::size_t, void* out) {
            Value expected = expected_;
            if constexpr (of_floats) {
                Value got{};
                CHECK_CUDA(cudaMemcpy(&got, c, sizeof got, cudaMemcpyDeviceToHost));
                if (std::abs(double{got} - sum_) <= tolerance_)
                    expected = got;
            }
            std::memcpy(out, &expected, sizeof expected);
        });
    }
    [[nodiscard]] std::uint64_t bytes() const override
    {
        return n * sizeof(Element) + sizeof(Value);
    }
    [[nodiscard]] std::size_t size() const override { return n; }

    const Element* a = nullptr;   ///< the elements
    Value* c = nullptr;           ///< the result
    Value* partials = nullptr;    ///< room for results of blocks
    unsigned* finished = nullptr; ///< a counter, 0 at first: how many blocks have ended
    std::size_t n;                ///< elements

  private:
    static constexpr std::size_t grain = 1 << 16;

    void make_arrays() override
    {
        input_ = Buffer<Element>(n);
        output_ = Array(element_of<Value>(), 1);
        partials_ = Buffer<Value>(max_partials);
        finished_ = Buffer<unsigned>(1);
        CHECK_CUDA(cudaMemset(finished_.data(), 0, finished_.bytes()));
        a = input_.data();
        c = static_cast<Value*>(output_.data());
        partials = partials_.data();
        finished = finished_.data();
        if (skips_initialization())
            return;
        write_elements(input_.data(), n, [this](std::size_t i) { return element(i); });
    }

    /// The sum, or the index of the largest element, another way than by a kernel.
    void find_out()
    {
        if (skips_initialization())
            return;
        std::mutex mutex;
        parallel_for(n, grain, [&](std::size_t begin, std::size_t end) {
            Wide sum{};
            std::size_t at = begin;
            for (std::size_t i = begin; i < end; ++i)
                if constexpr (!largest)
                    sum += element(i);
                else if (element(i) > element(at))
                    at = i;
            const std::lock_guard lock(mutex);
            sum_ += sum;
            const Element here = element(at);
            const Element best = element(at_);
            if (here > best || (here == best && at < at_))
                at_ = at;
        });
    }

    using Wide = std::conditional_t<of_floats, double, unsigned>;

    std::uint64_t key_;
    Values values_;
    bool known_ = false; ///< what follows
    Wide sum_{};
    std::size_t at_ = 0; ///< of the largest element
    Value expected_{};
    double tolerance_ = 0;
    Buffer<Element> input_;
    Buffer<Value> partials_;
    Buffer<unsigned> finished_;
    Array output_;
};

} // namespace common
