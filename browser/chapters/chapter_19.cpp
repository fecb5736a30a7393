#include "browser/launches.hpp"

#include "kernels_19.inc"

namespace figures {

Launch chapter_19::launch(const Settings& settings)
{
    const bool down = settings.word("kernel", "") == "naive_column";
    const Dimensions block{settings.small("block_x", 32), settings.small("block_y", 8)};
    return of_matrix(settings, down ? naive<true> : naive<false>, down, block, block, 0);
}

} // namespace figures
