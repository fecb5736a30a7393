#include "browser/launches.hpp"

#include "kernels_01.inc"

namespace figures {

Launch chapter_01::launch(const Settings& settings)
{
    return figures::add(settings, chapter_01::add, 1);
}

} // namespace figures
