#include "browser/launches.hpp"

#include "kernels_07.inc"

namespace figures {

Launch chapter_07::launch(const Settings& settings)
{
    const std::size_t n = settings.number("n", 0);
    const std::string name = settings.word("kernel", "");
    const auto launch = [&](auto kernel, std::size_t shared_bytes, unsigned block = side * side) {
        return Launch{.kernel = [=] { kernel(array<const float>(0), array<float>(1), n); },
                      .grid = {blocks(n, block)},
                      .block = {block},
                      .shared_bytes = shared_bytes,
                      .bytes = 8.0 * static_cast<double>(n),
                      .arrays = {4 * n, 4 * n}};
    };
    if (name == "copy_direct")
        return launch(copy_direct, 0, threads);
    if (name == "stencil_direct")
        return launch(stencil_direct, 0, threads);
    if (name == "stencil_shared")
        return launch(stencil_shared, sizeof(float) * (threads + 2 * radius), threads);
    if (name == "reorder_direct")
        return launch(reorder_direct, 0);
    return choose<33, 32, 34, 35, 36, 37, 38, 39, 40, 48, 64>(
        settings.number("pitch", 33), [&]<unsigned pitch>() {
            return launch(reorder_shared<pitch>, sizeof(float) * side * pitch);
        });
}

} // namespace figures
