#include "browser/launches.hpp"

#include "kernels_05.inc"

namespace figures {

Launch chapter_05::launch(const Settings& settings)
{
    const std::string name = settings.word("kernel", "");
    if (name == "float4_parameters") {
        Launch launch = figures::add(settings, add_float4, 4);
        const std::size_t n = settings.number("n", 0);
        launch.kernel = [=] {
            add_float4_parameters(array<const float4>(0), array<const float4>(1), array<float4>(2),
                                  n);
        };
        return launch;
    }
    if (name == "guarded_off_by_one") {
        Launch launch = figures::add(settings, add_float4_guarded, 4);
        const std::size_t n = settings.number("n", 0);
        launch.kernel = [=] {
            add_float4_guarded(array<const float>(0) + 1, array<const float>(1) + 1,
                               array<float>(2) + 1, n);
        };
        for (std::size_t& bytes : launch.arrays)
            bytes += sizeof(float);
        return launch;
    }
    return figures::add(settings,
                        name == "float4"               ? add_float4
                        : name == "float4_float2_tail" ? add_float4_float2
                                                       : add_float4_guarded,
                        4);
}

} // namespace figures
