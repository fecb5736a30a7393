#include "browser/launches.hpp"

#include "kernels_14.inc"

#include <algorithm>

namespace figures {

Launch chapter_14::launch(const Settings& settings)
{
    const std::string name = settings.word("kernel", "");
    const std::size_t rows = settings.number("rows", 0);
    const std::size_t columns = settings.number("columns", rows);
    const std::size_t width = sizeof(float) * columns;
    const std::size_t pitch = name == "pitched" ? (width + 511) / 512 * 512 : width;
    Launch launch{
        .kernel =
            [=] { copy_matrix(array<const float>(0), array<float>(1), columns, rows, pitch); },
        .grid = {blocks(columns, 32), std::min(blocks(rows, 8), 65535u)},
        .block = {32, 8},
        .bytes = 2.0 * static_cast<double>(rows) * static_cast<double>(width),
        .arrays = {rows * pitch, rows * pitch}};
    if (name == "linear") {
        launch.kernel = [n = rows * columns] {
            copy_linear(array<const float>(0), array<float>(1), n);
        };
        launch.grid = {blocks(rows * columns, 256)};
        launch.block = {256};
    }
    return launch;
}

} // namespace figures
