#include "browser/launches.hpp"

#include "kernels_19.inc"

namespace figures {

Launch chapter_19::launch(const Settings& settings)
{
    const std::string name = settings.word("kernel", "");
    const bool down = name.ends_with("_column");
    const Dimensions block{settings.small("block_x", 32), settings.small("block_y", 8)};
    const unsigned per_thread = name.starts_with("unroll4") ? 4 : 1;
    const auto either = [&](auto along_rows, auto along_columns) {
        return of_matrix(settings, down ? along_columns : along_rows, down, block,
                         {per_thread * block.x, block.y}, 0);
    };
    return name.starts_with("copy")       ? either(copy<false>, copy<true>)
           : name.starts_with("unroll4")  ? either(unroll4<false>, unroll4<true>)
           : name.starts_with("diagonal") ? either(diagonal<false>, diagonal<true>)
                                          : either(naive<false>, naive<true>);
}

} // namespace figures
