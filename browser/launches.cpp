#include "browser/launches.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace figures {

Settings::Settings(std::string_view words)
{
    while (!words.empty()) {
        const std::string_view word = words.substr(0, words.find(' '));
        words.remove_prefix(std::min(word.size() + 1, words.size()));
        const std::size_t equals = word.find('=');
        if (equals == std::string_view::npos)
            question_ = word;
        else
            values_[std::string(word.substr(0, equals))] = word.substr(equals + 1);
    }
}

std::uint64_t Settings::number(const std::string& name, std::uint64_t otherwise) const
{
    const auto found = values_.find(name);
    return found == values_.end() ? otherwise : std::strtoull(found->second.c_str(), nullptr, 10);
}

std::string Settings::word(const std::string& name, const std::string& otherwise) const
{
    const auto found = values_.find(name);
    return found == values_.end() ? otherwise : found->second;
}

Launch add(const Settings& settings,
           void (*kernel)(Pointer<const float>, Pointer<const float>, Pointer<float>, std::size_t),
           unsigned per_thread)
{
    const std::size_t n = settings.number("n", 0);
    const unsigned threads = settings.small("threads", 256);
    return {
        .kernel = [=] { kernel(array<const float>(0), array<const float>(1), array<float>(2), n); },
        .grid = {blocks(n, std::size_t{threads} * per_thread)},
        .block = {threads},
        .bytes = 12.0 * static_cast<double>(n),
        .arrays = {4 * n, 4 * n, 4 * n}};
}

Launch of_matrix(const Settings& settings,
                 void (*kernel)(Pointer<const float>, Pointer<float>, std::size_t, std::size_t),
                 bool down, Dimensions block, Dimensions covers, std::size_t shared_bytes)
{
    const std::size_t rows = settings.number("rows", 0);
    const std::size_t columns = settings.number("columns", rows);
    return {
        .kernel = [=] { kernel(array<const float>(0), array<float>(1), rows, columns); },
        .grid = {blocks(down ? rows : columns, covers.x), blocks(down ? columns : rows, covers.y)},
        .block = block,
        .shared_bytes = shared_bytes,
        .bytes = 8.0 * static_cast<double>(rows) * static_cast<double>(columns),
        .arrays = {4 * rows * columns, 4 * rows * columns}};
}

Launch make_launch(const Settings& settings)
{
    using Make = Launch (*)(const Settings&);
    static constexpr std::pair<std::string_view, Make> kernels[] = {
        {"basic", chapter_01::launch},
        {"neighbours", chapter_03::launch},
        {"strided", chapter_03::launch},
        {"neighbours_loads_first", chapter_03::launch},
        {"strided_loads_first", chapter_03::launch},
        {"float4", chapter_05::launch},
        {"float4_float2_tail", chapter_05::launch},
        {"float4_parameters", chapter_05::launch},
        {"guarded", chapter_05::launch},
        {"guarded_off_by_one", chapter_05::launch},
        {"copy", chapter_06::launch},
        {"reorder_direct", chapter_07::launch},
        {"reorder_shared", chapter_07::launch},
        {"copy_direct", chapter_07::launch},
        {"stencil_direct", chapter_07::launch},
        {"stencil_shared", chapter_07::launch},
        {"linear", chapter_14::launch},
        {"dense", chapter_14::launch},
        {"pitched", chapter_14::launch},
        {"read", chapter_15::launch},
        {"write", chapter_15::launch},
        {"unrolled", chapter_15::launch},
        {"read_cg", chapter_15::launch},
        {"read_ldg", chapter_15::launch},
        {"aos", chapter_16::launch},
        {"soa", chapter_16::launch},
        {"aosoa", chapter_16::launch},
        {"aligned", chapter_16::launch},
        {"naive_row", chapter_19::launch},
        {"naive_column", chapter_19::launch},
        {"copy_row", chapter_19::launch},
        {"copy_column", chapter_19::launch},
        {"unroll4_row", chapter_19::launch},
        {"unroll4_column", chapter_19::launch},
        {"diagonal_row", chapter_19::launch},
        {"diagonal_column", chapter_19::launch},
        {"tile_plain", chapter_20::launch},
        {"tile_padded", chapter_20::launch},
        {"tile_swizzled", chapter_20::launch},
        {"tile_float4", chapter_20::launch},
        {"tile_float4_down", chapter_20::launch},
        {"tile_float4_down_stcs", chapter_20::launch},
        {"tile_float4_down_ldcg", chapter_20::launch},
        {"tile_tall", chapter_20::launch}};
    const std::string name = settings.word("kernel", "");
    for (const auto& [known, make] : kernels)
        if (known == name)
            return make(settings);
    return {.kernel = [] {}, .grid = {0}};
}

} // namespace figures
