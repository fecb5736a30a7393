#include "common/run/sizes.hpp"

#include "common/device/check.hpp"
#include "common/device/device.hpp"
#include "common/run/options.hpp"
#include "common/text/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace common {

namespace {

/// Arrays well past any L2 cache on a GPU, the same as those of the reference results; on one with
/// less memory so few that nine of them, of several problems, fit the smallest in use. On the CPU
/// device counts for each request do not depend on the size.
constexpr std::size_t gpu_elements = std::size_t{1} << 28U;
constexpr std::size_t small_gpu_elements = std::size_t{1} << 26U;
constexpr std::uint64_t small_gpu_bytes = std::uint64_t{24} << 30U;
constexpr std::size_t gpu_quick_elements = std::size_t{1} << 22U;
constexpr std::size_t cpu_elements = std::size_t{1} << 20U;
constexpr std::size_t cpu_quick_elements = std::size_t{1} << 16U;

bool counted(const Options& options)
{
    return backend() == Backend::cpu || options.launch_once;
}

/// True when `bytes` of device memory are free; otherwise says that `n` is left out.
bool fits(std::size_t n, std::size_t bytes)
{
    std::size_t available = 0;
    std::size_t total = 0;
    CHECK_CUDA(cudaMemGetInfo(&available, &total));
    if (bytes <= available)
        return true;
    std::fputs(fmt::format("n = {} is skipped: its arrays need {}; {} of {} are free.\n",
                           format_count(n), format_bytes(bytes), format_bytes(available),
                           format_bytes(total))
                   .c_str(),
               stderr);
    return false;
}

} // namespace

bool wants_everything(const Options& options)
{
    return counted(options) || options.full || (!options.variants.empty() && !options.usual);
}

std::size_t usual_elements(const Options& options)
{
    if (counted(options))
        return options.quick ? cpu_quick_elements : cpu_elements;
    return options.quick ? gpu_quick_elements : gpu_elements;
}

std::size_t elements_for_memory(const Options& options)
{
    const std::size_t usual = usual_elements(options);
    if (usual <= small_gpu_elements)
        return usual;
    std::size_t available = 0;
    std::size_t total = 0;
    CHECK_CUDA(cudaMemGetInfo(&available, &total));
    // A GPU of 24 GiB tells a little less.
    return total >= small_gpu_bytes / 10 * 9 ? usual : small_gpu_elements;
}

std::vector<std::size_t> chosen_sizes(const Options& options, const Sizes& all)
{
    const std::vector<std::size_t>& known = counted(options) ? all.cpu : all.gpu;
    if (options.quick)
        return {*std::min_element(known.begin(), known.end())};
    if (options.launch_once) // counts for each request do not depend on the size
        return {*std::max_element(known.begin(), known.end())};
    std::vector<std::size_t> sizes =
        wants_everything(options) || all.default_sizes.empty() ? known : all.default_sizes;
    // Sizes computed from bytes may meet: once is enough.
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

std::vector<std::size_t> fitting_sizes(const Options& options, const Sizes& all)
{
    std::vector<std::size_t> sizes = chosen_sizes(options, all);
    std::erase_if(sizes,
                  [&](std::size_t size) { return !fits(size, size * all.bytes_per_element); });
    return sizes;
}

std::vector<std::size_t> reference_sizes(const Sizes& all)
{
    constexpr std::uint64_t huge = std::uint64_t{4} << 30U; // bytes
    const std::size_t count = all.cpu.size();
    std::vector<std::size_t> sizes = all.gpu;
    std::sort(sizes.begin(), sizes.end());
    while (sizes.size() > count && sizes.back() * all.bytes_per_element > huge)
        sizes.pop_back();
    sizes.erase(sizes.begin(),
                sizes.end() - static_cast<std::ptrdiff_t>(std::min(count, sizes.size())));
    sizes.resize(count, sizes.back());
    return sizes;
}

} // namespace common
