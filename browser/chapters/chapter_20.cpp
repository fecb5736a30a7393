#include "browser/launches.hpp"

#include "kernels_20.inc"

namespace figures {

Launch chapter_20::launch(const Settings& settings)
{
    const std::string name = settings.word("kernel", "");
    const bool down = settings.number("down", 0) != 0;
    const auto launch = [&]<Layout layout>() {
        const std::size_t pitch = side + (layout == Layout::padded ? 1 : 0);
        return of_matrix(settings, down ? tile<layout, true> : tile<layout, false>, down, {side, 8},
                         {side, side}, sizeof(float) * side * pitch);
    };
    return name == "tile_plain"    ? launch.operator()<Layout::plain>()
           : name == "tile_padded" ? launch.operator()<Layout::padded>()
                                   : launch.operator()<Layout::swizzled>();
}

} // namespace figures
