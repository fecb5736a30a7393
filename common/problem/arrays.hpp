/// \file
/// The problem of every chapter: an output of which each element is a function of the inputs.
#pragma once

#include "common/problem/element.hpp"
#include "common/problem/parallel.hpp"
#include "common/problem/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace common {

/// What is expected of `n` elements that cannot be computed one by one: `write(c)` writes all of
/// them to host memory when the first is requested.
template<class T, class Function>
[[nodiscard]] Expected computed_once(std::size_t n, Function write)
{
    struct Reference
    {
        std::once_flag once;
        std::vector<T> c;
    };
    return [n, write, reference = std::make_shared<Reference>()](std::size_t first,
                                                                 std::size_t count, void* out) {
        std::call_once(reference->once, [&] {
            reference->c.resize(n);
            write(reference->c.data());
        });
        std::memcpy(out, &reference->c[first], count * sizeof(T));
    };
}

/// What the arrays of a problem are, and where. Each field has a default that suits most.
struct ArrayOptions
{
    std::string task = {};                 ///< Problem::task()
    std::size_t n = 0;                     ///< elements of each array; 0 stands for the chapter's n
    unsigned inputs = 1;                   ///< how many there are
    MemoryKind input = MemoryKind::device; ///< where they lie
    MemoryKind output = MemoryKind::device; ///< where the output lies
    std::size_t input_offset = 0;           ///< elements by which the inputs start past 256 bytes
    std::size_t output_offset = 0;          ///< and the output
    std::size_t columns = 0; ///< of a matrix, whose rows divide n; 0 where there are no rows
    bool pitched = false;    ///< its rows lie apart as cudaMallocPitch lays them
    std::size_t size = 0;    ///< Problem::size(), where that is not n
    std::uint64_t bytes = 0; ///< Problem::bytes(), where that is not every array once
    unsigned char background = poison_byte; ///< what the output holds before a kernel runs
};

/// Arrays without their type: the base of Arrays and HostVectorAdd, not used by itself.
class ArrayProblem : public Problem
{
  public:
    void poison() override { output_.poison(options_.background); }
    [[nodiscard]] Verdict verify() override { return output_.verify_again(expected_); }
    [[nodiscard]] std::uint64_t bytes() const override;
    [[nodiscard]] std::size_t size() const override;
    /// Bytes from row to row, once there is memory.
    [[nodiscard]] std::size_t pitch() const { return rows_.pitch; }

  protected:
    /// Arrays of that element; what is expected of them is said by expect_elements().
    ArrayProblem(const Setting& setting, Element element, const ArrayOptions& options);
    void make_arrays() override;
    /// What the output must be, from here on.
    void expect_elements(Expected expected);
    /// The output must be the first input.
    void expect_input();
    [[nodiscard]] std::uint64_t seed() const { return seed_; }             ///< of the inputs
    [[nodiscard]] const ArrayOptions& options() const { return options_; } ///< with n filled in
    [[nodiscard]] void* input(unsigned number) const;             ///< null where there is none
    [[nodiscard]] void* output() const { return output_.data(); } ///< null before make_arrays()

  private:
    Element element_;
    std::uint64_t seed_;
    ArrayOptions options_;
    Rows rows_;
    std::vector<Array> inputs_;
    Array output_;
    Expected expected_;
};

/// The inputs as the host sees them; nothing of them is stored.
template<class T>
struct Inputs
{
    Input<T> a; ///< the first
    Input<T> b; ///< the second
};

/// c[i] = element(in, i) for `n` elements, where `in.a` and `in.b` are the inputs, of which any
/// element may be requested:
///
///     common::Arrays<float> problem(chapter, {.task = "reverse"}, [n](auto& in, std::size_t i) {
///         return in.a[n - 1 - i];
///     });
///
/// Float inputs are integers from -32768 to 32767, so sums of up to 512 are exact in any order.
template<class T>
class Arrays : public ArrayProblem
{
  public:
    /// `element` is called from several threads.
    template<class Function>
    Arrays(const Setting& setting, const ArrayOptions& array_options, Function element)
        : Arrays(setting, array_options)
    {
        expect(std::move(element));
    }

    /// What the variants from here on have to compute.
    template<class Function>
    void expect(Function element)
    {
        const Inputs<T> in{{seed(), 0}, {seed(), 1}};
        expect_elements([in, element](std::size_t first, std::size_t count, void* out) {
            auto* values = static_cast<T*>(out);
            for (std::size_t k = 0; k < count; ++k)
                values[k] = element(in, first + k);
        });
    }

    /// The same, for elements that cannot be computed one by one: `compute(a, c)` computes all of
    /// them from the first input, both in host memory.
    template<class Function>
    void expect_all(Function compute)
    {
        expect_elements(computed_once<T>(n, [n = n, seed = seed(), compute](T* out) {
            std::vector<T> in(n);
            parallel_for(n, std::size_t{1} << 16U, [&](std::size_t first, std::size_t last) {
                generate(element_of<T>(), seed, 0, first, last - first, &in[first]);
            });
            compute(in.data(), out);
        }));
    }

    /// The same, with what is expected still to be said, by expect().
    Arrays(const Setting& setting, const ArrayOptions& array_options)
        : ArrayProblem(setting, element_of<T>(), array_options), n(options().n)
    {}

  protected:
    /// Makes the arrays and lets the pointers point to them.
    void make_arrays() override
    {
        ArrayProblem::make_arrays();
        a = static_cast<T*>(input(0));
        b = static_cast<T*>(input(1));
        c = static_cast<T*>(output());
    }

  public:
    const T* a = nullptr; ///< first input
    const T* b = nullptr; ///< second input, if there is one
    T* c = nullptr;       ///< output
    std::size_t n;        ///< elements of each
};

/// c[i] = a[i] + b[i] on floats: "add". One IEEE addition has one right answer, to the bit.
class VectorAdd : public Arrays<float>
{
  public:
    /// Throws nothing; memory is allocated when it is needed.
    explicit VectorAdd(const Setting& setting, ArrayOptions array_options = {});
};

/// c[i] = a[i] on units of type T: 1, 2, 4, 8 or 16 bytes, of any bits; "copy", unless the options
/// name another task.
template<class T>
class Copy : public Arrays<T>
{
  public:
    /// Throws nothing; memory is allocated when it is needed.
    explicit Copy(const Setting& setting, ArrayOptions array_options = {})
        : Arrays<T>(setting, named(std::move(array_options)))
    {
        this->expect_input();
    }

  private:
    static ArrayOptions named(ArrayOptions array_options)
    {
        if (array_options.task.empty())
            array_options.task = "copy";
        return array_options;
    }
};

/// The same sum, from host arrays to a host array, with device buffers between: a variant moves
/// `host_a` and `host_b` in, adds, and moves `c` out to `host_c`. bytes() counts what crosses the
/// link: 3 n floats. The device buffers are poisoned too, so that a forgotten copy shows. Managed
/// arrays are their own device buffers.
class HostVectorAdd : public ArrayProblem
{
  public:
    /// Arrays in that memory, of `elements`, or of the chapter's n where that is 0.
    HostVectorAdd(const Setting& setting, MemoryKind memory, std::size_t elements = 0);

    /// Fills the host's arrays with zeros, the inputs too, for a variant that writes them itself.
    void clear_host_arrays();
    void poison() override;
    [[nodiscard]] std::uint64_t bytes() const override { return 3 * n * sizeof(float); }
    [[nodiscard]] bool crosses_link() const override;

  private:
    void make_arrays() override;

    Buffer<float> inputs_; ///< host_a and host_b, one after another
    Buffer<float> device_; ///< a, b and c, likewise

  public:
    float* host_a = nullptr; ///< first input, host memory
    float* host_b = nullptr; ///< second input, host memory
    float* host_c = nullptr; ///< output, host memory
    float* a = nullptr;      ///< device buffer for host_a
    float* b = nullptr;      ///< device buffer for host_b
    float* c = nullptr;      ///< device buffer for the sum
    std::size_t n;           ///< elements of each
};

} // namespace common
