/// \file
/// A problem whose outputs each need one input: nothing has to be stored to check it.
#pragma once

#include "common/problem/problem.hpp"

#include <cstddef>
#include <functional>
#include <utility>

namespace common {

/// c[i] = element(a[i], i) on `n` elements. What is expected is computed while it is compared, and
/// may change from one variant to the next:
///
///     common::Elementwise<float> problem(chapter, "add constant");
///     problem.expect([](float a, std::size_t) { return a + 3; });
///
/// Float inputs are integers from -32768 to 32767.
template<class T>
class Elementwise : public UnaryProblem
{
  public:
    /// Output element i, given input element i. Called from several threads.
    using Function = std::function<T(T a, std::size_t i)>;

    /// `n` is the chapter's; a copy is expected until expect() says otherwise. Throws CudaError
    /// when memory is exhausted.
    Elementwise(const Chapter& chapter, const char* task)
        : UnaryProblem(task, chapter, element_of<T>(), chapter_n(chapter)),
          element_([](T x, std::size_t) { return x; }), a(static_cast<const T*>(input())),
          c(static_cast<T*>(output())), n(size())
    {}

    /// What the variants that follow have to compute.
    void expect(Function element) { element_ = std::move(element); }

    [[nodiscard]] Verdict verify() override
    {
        return verify_against([this](std::size_t first, std::size_t count, void* out) {
            generate_input(first, count, out);
            auto* values = static_cast<T*>(out);
            for (std::size_t k = 0; k < count; ++k)
                values[k] = element_(values[k], first + k);
        });
    }

  private:
    Function element_;

  public:
    const T* a;    ///< input, device memory
    T* c;          ///< output, device memory
    std::size_t n; ///< elements of each
};

} // namespace common
