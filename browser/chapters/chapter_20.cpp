#include "browser/launches.hpp"

#include "kernels_20.inc"

namespace figures {

Launch chapter_20::launch(const Settings& settings)
{
    const std::string name = settings.word("kernel", "");
    const bool down = settings.number("down", 0) != 0;
    if (name.starts_with("tile_float4")) {
        const bool turned = name != "tile_float4";
        return of_matrix(settings,
                         !turned                           ? tile_float4<false, false, false>
                         : name == "tile_float4_down_stcs" ? tile_float4<true, false, true>
                         : name == "tile_float4_down_ldcg" ? tile_float4<true, true, false>
                                                           : tile_float4<true, false, false>,
                         turned, {quads, quads}, {wide, wide}, sizeof(float4) * wide * quads);
    }
    if (name == "tile_tall")
        return of_matrix(settings, tile_tall<false>, true, {32, 8}, {tall_rows, tall_columns},
                         sizeof(float) * tall_rows * (tall_columns + 1));
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
