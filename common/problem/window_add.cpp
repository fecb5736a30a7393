#include "common/problem/window_add.hpp"

namespace common {

WindowAdd::WindowAdd(const Setting& setting, std::size_t size)
    : Arrays(setting, {.task = "window add", .n = size})
{}

void WindowAdd::set_window(std::size_t floats)
{
    window = floats;
    expect([floats](const Inputs<float>& in, std::size_t i) { return in.a[i] + in.a[i % floats]; });
}

} // namespace common
