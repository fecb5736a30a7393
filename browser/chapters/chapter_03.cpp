#include "browser/launches.hpp"

#include "kernels_03.inc"

namespace figures {

Launch chapter_03::launch(const Settings& settings)
{
    const std::string name = settings.word("kernel", "");
    return choose<4, 1, 2, 3, 5, 6, 7, 8>(settings.number("per_thread", 4), [&]<unsigned k>() {
        return add(settings,
                   name == "neighbours"               ? add_blocked<k>
                   : name == "strided"                ? add_striped<k>
                   : name == "neighbours_loads_first" ? add_blocked_loads_first<k>
                                                      : add_striped_loads_first<k>,
                   k);
    });
}

} // namespace figures
