#include "browser/launches.hpp"

#include "kernels_16.inc"

namespace figures {

Launch chapter_16::launch(const Settings& settings)
{
    const std::string layout = settings.word("kernel", "");
    const std::size_t n = settings.number("n", 0);
    return choose<4, 2, 8>(settings.number("fields", 4), [&]<unsigned fields>() {
        const auto launch = [&]<class T>(void (*kernel)(Pointer<const T>, Pointer<T>, std::size_t),
                                         unsigned used) {
            return Launch{.kernel = [=] { kernel(array<const T>(0), array<T>(1), n); },
                          .grid = {blocks(n, 256)},
                          .block = {256},
                          .bytes = 8.0 * used * static_cast<double>(n),
                          .arrays = {4 * fields * n, 4 * fields * n}};
        };
        if (layout == "aligned")
            return launch(add_aligned<fields>, fields);
        return choose<1, fields>(settings.number("used", 1), [&]<unsigned used>() {
            if (layout == "aos")
                return launch(add_aos<Record<fields>, used>, used);
            return launch(layout == "soa" ? add_soa<fields, used> : add_aosoa<fields, used>, used);
        });
    });
}

} // namespace figures
