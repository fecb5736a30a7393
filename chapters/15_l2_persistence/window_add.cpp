#include "window_add.hpp"

#include "common/chapter.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace common {

WindowAdd::WindowAdd(const Chapter& chapter, std::size_t size)
    : UnaryProblem("window add", chapter, Element::f32, size),
      a(static_cast<const float*>(input())), c(static_cast<float*>(output())), n(size), window(size)
{}

void WindowAdd::set_window(std::size_t floats)
{
    if (floats == 0 || floats > n)
        throw std::invalid_argument(
            fmt::format("A window of {} floats is not one of 1 to {}.", floats, n));
    window = floats;
}

Verdict WindowAdd::verify()
{
    if (start_.size() != window) {
        start_.resize(window);
        generate_input(0, window, start_.data());
    }
    return verify_against([this](std::size_t first, std::size_t count, void* out) {
        generate_input(first, count, out);
        auto* expected = static_cast<float*>(out);
        std::size_t j = first % window;
        for (std::size_t i = 0; i < count; ++i) {
            expected[i] += start_[j];
            j = j + 1 == window ? 0 : j + 1;
        }
    });
}

} // namespace common
