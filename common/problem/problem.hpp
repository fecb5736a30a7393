/// \file
/// What a kernel has to compute, with everything needed to check it.
#pragma once

#include "common/device/memory.hpp"
#include "common/problem/parallel.hpp"
#include "common/problem/verify.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace common {

class Chapter;

/// Inputs in device memory, an output behind canaries, and the expected result on the host.
///
/// Chapter::run() calls poison() before and verify() after a variant; a kernel that leaves an
/// element unwritten, writes a wrong one or writes past either end fails. Under `--list` the
/// pointers of a problem are null and nothing is allocated.
class Problem
{
  public:
    virtual ~Problem() = default;
    /// What is asked of each element, in a word or two: "add". What solves one problem of a task
    /// can be set against what solves another.
    [[nodiscard]] const std::string& task() const { return task_; }
    /// Fills the output and its canaries with a pattern that no correct result contains.
    virtual void poison() = 0;
    /// Compares every element of the output, bit for bit, and the canaries.
    [[nodiscard]] virtual Verdict verify() = 0;
    /// Bytes that any solution must move: each input read once, each output written once.
    [[nodiscard]] virtual std::uint64_t bytes() const = 0;
    /// Elements of the output.
    [[nodiscard]] virtual std::size_t size() const = 0;

  protected:
    /// A problem of that task.
    explicit Problem(std::string task) : task_(std::move(task)) {}

  private:
    std::string task_;
};

/// Elements by which the arrays of a problem start past a multiple of 256 bytes: 1 for arrays of
/// floats that no wider access may touch.
struct Offset
{
    std::size_t elements = 0; ///< past the boundary
};

// In the problems below, public data members stand last: members are initialised in the order of
// their declarations, and the pointers are those of the private buffers.

/// c[i] = a[i] + b[i] on `n` floats in device memory.
class VectorAdd : public Problem
{
  public:
    /// `n` is the chapter's. Throws CudaError when memory is exhausted.
    explicit VectorAdd(const Chapter& chapter, Offset offset = {});
    /// As above, with an `n` of its own.
    VectorAdd(const Chapter& chapter, std::size_t n, Offset offset = {});
    /// As above, with one offset for `a` and `b` and another for `c`. What lies between a boundary
    /// and the first element of an input is NaN; what lies there before the output must not be
    /// written.
    VectorAdd(const Chapter& chapter, std::size_t n, Offset inputs, Offset output);

    void poison() override;
    [[nodiscard]] Verdict verify() override;
    [[nodiscard]] std::uint64_t bytes() const override { return 3 * n * sizeof(float); }
    [[nodiscard]] std::size_t size() const override { return n; }

  private:
    std::uint64_t seed_;
    DeviceBuffer<float> a_;
    DeviceBuffer<float> b_;
    GuardedOutput c_;

  public:
    const float* a; ///< first input, device memory
    const float* b; ///< second input, device memory
    float* c;       ///< output, device memory
    std::size_t n;  ///< elements of each
};

/// How the host arrays of a problem are allocated.
enum class HostMemory
{
    pageable, ///< as `new` does
    pinned,   ///< page-locked
    mapped,   ///< page-locked, for kernels to use in place
    managed   ///< moves to whoever touches it
};

/// The same sum, from host arrays to a host array, with device buffers between: a variant moves
/// `host_a` and `host_b` in, adds, and moves `c` out to `host_c`. bytes() counts what crosses the
/// link: 3 n floats. The device buffers are poisoned too, so that a forgotten copy shows. Managed
/// arrays are their own device buffers.
class HostVectorAdd : public Problem
{
  public:
    /// `n` is the chapter's. Throws CudaError or std::bad_alloc when memory is exhausted.
    HostVectorAdd(const Chapter& chapter, HostMemory memory);
    /// As above, with an `n` of its own.
    HostVectorAdd(const Chapter& chapter, HostMemory memory, std::size_t n);

    /// Fills the host's arrays with zeros, the inputs too, for a variant that writes them itself.
    void clear_host_arrays();
    void poison() override;
    [[nodiscard]] Verdict verify() override;
    [[nodiscard]] std::uint64_t bytes() const override { return 3 * n * sizeof(float); }
    [[nodiscard]] std::size_t size() const override { return n; }

  private:
    std::uint64_t seed_;
    /// `floats` in that memory, from one of the buffers below.
    float* allocate_inputs(HostMemory memory, std::size_t floats);

    std::vector<float> pageable_; ///< each of these: a and b, one after another, or nothing
    PinnedBuffer<float> pinned_;
    MappedBuffer<float> mapped_;
    ManagedBuffer<float> managed_;
    GuardedOutput host_c_;
    DeviceBuffer<float> device_; ///< a, b and c, one after another

  public:
    float* host_a; ///< first input, host memory
    float* host_b; ///< second input, host memory
    float* host_c; ///< output, host memory
    float* a;      ///< device buffer for host_a
    float* b;      ///< device buffer for host_b
    float* c;      ///< device buffer for the sum
    std::size_t n; ///< elements of each
};

/// An input array and an output array of one element type in device memory; the base of Copy and
/// Reference, not used by itself.
class UnaryProblem : public Problem
{
  public:
    void poison() override;
    [[nodiscard]] std::uint64_t bytes() const override;
    [[nodiscard]] std::size_t size() const override { return size_; }

  protected:
    /// Allocates both arrays and fills the input. Throws CudaError when memory is exhausted.
    UnaryProblem(std::string task, const Chapter& chapter, Element element, std::size_t size);
    /// Checks the output against `expected`, bit for bit.
    [[nodiscard]] Verdict verify_against(const Expected& expected);
    /// Writes input elements `first` to `first + count` to `out`.
    void generate_input(std::size_t first, std::size_t count, void* out) const;
    [[nodiscard]] const void* input() const { return input_.data(); } ///< device memory
    [[nodiscard]] void* output() const { return output_.data(); }     ///< device memory
    /// True under `--list`.
    [[nodiscard]] bool empty() const { return input_.data() == nullptr; }
    /// Chapter::n(), for headers that know Chapter by name alone.
    [[nodiscard]] static std::size_t chapter_n(const Chapter& chapter);

  private:
    Element element_;
    std::uint64_t seed_;
    std::size_t size_;
    DeviceBuffer<std::byte> input_;
    GuardedOutput output_;
};

/// c[i] = a[i] on `n` units of type T: 1, 2, 4, 8 or 16 bytes, of any bits.
template<class T>
class Copy : public UnaryProblem
{
  public:
    /// `n` is the chapter's. Throws CudaError when memory is exhausted.
    explicit Copy(const Chapter& chapter) : Copy(chapter, chapter_n(chapter)) {}
    /// As above, with `size` units.
    Copy(const Chapter& chapter, std::size_t size)
        : UnaryProblem("copy", chapter, element_of<T>(), size), a(static_cast<const T*>(input())),
          c(static_cast<T*>(output())), n(size)
    {}

    [[nodiscard]] Verdict verify() override
    {
        return verify_against([this](std::size_t first, std::size_t count, void* out) {
            generate_input(first, count, out);
        });
    }

    const T* a;    ///< input, device memory
    T* c;          ///< output, device memory
    std::size_t n; ///< units of each
};

/// c[i] = element(a, n, i) on `n` elements, for any function of the whole input:
///
///     common::Reference<float> problem(
///         chapter, "reverse",
///         [](const float* a, std::size_t n, std::size_t i) { return a[n - 1 - i]; });
///
/// Float inputs are integers from -32768 to 32767, so sums of up to 512 are exact in any order.
template<class T>
class Reference : public UnaryProblem
{
  public:
    /// Output element i, given the input and its size. Called from several threads.
    using Function = std::function<T(const T* a, std::size_t n, std::size_t i)>;

    /// `n` is the chapter's. Throws CudaError or std::bad_alloc when memory is exhausted.
    Reference(const Chapter& chapter, const char* task, const Function& element)
        : Reference(chapter, task, element, chapter_n(chapter))
    {}
    /// As above, with `size` elements.
    Reference(const Chapter& chapter, const char* task, const Function& element, std::size_t size)
        : UnaryProblem(task, chapter, element_of<T>(), size), a(static_cast<const T*>(input())),
          c(static_cast<T*>(output())), n(size)
    {
        if (!empty())
            compute(element);
    }

    [[nodiscard]] Verdict verify() override
    {
        return verify_against([this](std::size_t first, std::size_t count, void* out) {
            std::copy_n(expected_.begin() + static_cast<std::ptrdiff_t>(first), count,
                        static_cast<T*>(out));
        });
    }

  private:
    void compute(const Function& element)
    {
        constexpr std::size_t grain = std::size_t{1} << 14U;
        std::vector<T> values(size());
        parallel_for(size(), grain, [&](std::size_t first, std::size_t last) {
            generate_input(first, last - first, values.data() + first);
        });
        expected_.resize(size());
        parallel_for(size(), grain, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i)
                expected_[i] = element(values.data(), values.size(), i);
        });
    }

    std::vector<T> expected_;

  public:
    const T* a;    ///< input, device memory
    T* c;          ///< output, device memory
    std::size_t n; ///< elements of each
};

} // namespace common
