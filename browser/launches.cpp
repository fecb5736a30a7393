#include "launches.hpp"

// The chapters' own kernels, written out of their sources by kernels.py: pointers became
// figures::Pointer, shared arrays figures::SharedArray.
#include "kernels.inc"

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

namespace {

/// As common::blocks().
unsigned blocks(std::size_t elements, std::size_t per_block)
{
    return static_cast<unsigned>((elements + per_block - 1) / per_block);
}

template<class T>
Pointer<T> array(unsigned number)
{
    return Pointer<T>(number * array_bytes);
}

/// make.operator()<value>() for the one of `values` that a setting has; the first, if it has none.
template<unsigned first, unsigned... more, class Make>
auto choose(std::uint64_t value, Make make)
{
    if constexpr (sizeof...(more) > 0)
        if (value != first)
            return choose<more...>(value, make);
    return make.template operator()<first>();
}

using Add = void (*)(Pointer<const float>, Pointer<const float>, Pointer<float>, std::size_t);

Launch add(const Settings& settings, Add kernel, unsigned per_thread)
{
    const std::size_t n = settings.number("n", 0);
    const auto threads = static_cast<unsigned>(settings.number("threads", 256));
    return {
        .kernel = [=] { kernel(array<const float>(0), array<const float>(1), array<float>(2), n); },
        .grid = {blocks(n, std::size_t{threads} * per_thread)},
        .block = {threads},
        .bytes = 12.0 * static_cast<double>(n)};
}

Launch coarsened(const Settings& settings, const std::string& name)
{
    return choose<1, 2, 3, 4, 5, 6, 7, 8>(settings.number("per_thread", 4), [&]<unsigned k>() {
        const std::map<std::string, Add> kernels = {
            {"neighbours", chapter_03::add_neighbours<k>},
            {"strided", chapter_03::add_strided<k>},
            {"neighbours_loads_first", chapter_03::add_neighbours_loads_first<k>},
            {"strided_loads_first", chapter_03::add_strided_loads_first<k>}};
        return add(settings, kernels.at(name), k);
    });
}

/// The arrays begin `offset` floats past a boundary of 256 bytes; the kernels get the boundaries.
Launch aligned(const Settings& settings, bool reads, bool unrolled)
{
    const std::size_t n = settings.number("n", 0);
    const std::size_t offset = settings.number("offset", 0);
    const auto kernel = unrolled ? chapter_15::add_unrolled
                        : reads  ? chapter_15::add_read
                                 : chapter_15::add_write;
    const auto threads = static_cast<unsigned>(settings.number("threads", 512));
    return {.kernel =
                [=] {
                    kernel(array<const float>(0), array<const float>(1), array<float>(2),
                           n + offset, offset);
                },
            .grid = {blocks(n, threads * (unrolled ? 4 : 1))},
            .block = {threads},
            .bytes = 12.0 * static_cast<double>(n)};
}

template<class Unit, class Word>
Launch copy(const Settings& settings)
{
    const std::size_t n = settings.number("n", 0);
    const auto threads = static_cast<unsigned>(settings.number("threads", 256));
    return {
        .kernel =
            [=] { chapter_06::copy_words<Unit, Word>(array<const Unit>(0), array<Unit>(1), n); },
        .grid = {blocks(n / (sizeof(Word) / sizeof(Unit)) + 1, threads)},
        .block = {threads},
        .bytes = 2.0 * sizeof(Unit) * static_cast<double>(n)};
}

/// Of bytes, so that each width is one of whole units.
Launch copy_words(const Settings& settings)
{
    switch (settings.number("word", 4)) {
    case 1:
        return copy<unsigned char, unsigned char>(settings);
    case 2:
        return copy<unsigned short, unsigned short>(settings);
    case 8:
        return copy<unsigned char, uint2>(settings);
    case 16:
        return copy<unsigned char, uint4>(settings);
    default:
        return copy<unsigned char, unsigned>(settings);
    }
}

Launch reordered(const Settings& settings, bool shared)
{
    const std::size_t n = settings.number("n", 0);
    const auto launch = [&](auto kernel, std::size_t shared_bytes) {
        return Launch{.kernel = [=] { kernel(array<const float>(0), array<float>(1), n); },
                      .grid = {blocks(n, 1024)},
                      .block = {1024},
                      .shared_bytes = shared_bytes,
                      .bytes = 8.0 * static_cast<double>(n)};
    };
    if (!shared)
        return launch(chapter_07::reorder_direct, 0);
    return choose<33, 32, 34, 35, 36, 37, 38, 39, 40, 48, 64>(
        settings.number("pitch", 33), [&]<unsigned pitch>() {
            return launch(chapter_07::reorder_shared<pitch>,
                          sizeof(float) * chapter_07::side * pitch);
        });
}

Launch records(const Settings& settings, const std::string& layout)
{
    const std::size_t n = settings.number("n", 0);
    const auto launch = [&]<class T>(void (*kernel)(Pointer<const T>, Pointer<T>, std::size_t),
                                     unsigned used) {
        return Launch{.kernel = [=] { kernel(array<const T>(0), array<T>(1), n); },
                      .grid = {blocks(n, 256)},
                      .block = {256},
                      .bytes = 8.0 * used * static_cast<double>(n)};
    };
    return choose<4, 2, 8>(settings.number("fields", 4), [&]<unsigned fields>() {
        const auto used = [&]<unsigned some>() {
            using Record = chapter_16::Record<fields>;
            if (layout == "aos")
                return launch(chapter_16::add_aos<Record, some>, some);
            return launch(layout == "soa" ? chapter_16::add_soa<fields, some>
                                          : chapter_16::add_aosoa<fields, some>,
                          some);
        };
        return choose<1, fields>(settings.number("used", 1), used);
    });
}

using Transpose = void (*)(Pointer<const float>, Pointer<float>, std::size_t, std::size_t);

/// Of a square matrix. `down` says which way blockIdx.x runs, and in which way a block lies.
Launch transposed(const Settings& settings, Transpose kernel, bool down, Dimensions block,
                  Dimensions covers, std::size_t shared_bytes)
{
    const std::size_t rows = settings.number("rows", 0);
    const std::size_t columns = settings.number("columns", rows);
    const unsigned along = blocks(down ? rows : columns, covers.x);
    const unsigned across = blocks(down ? columns : rows, covers.y);
    return {.kernel = [=] { kernel(array<const float>(0), array<float>(1), rows, columns); },
            .grid = {along, across},
            .block = block,
            .shared_bytes = shared_bytes,
            .bytes = 8.0 * static_cast<double>(rows) * static_cast<double>(columns)};
}

Launch naive(const Settings& settings, bool down)
{
    const Dimensions block{static_cast<unsigned>(settings.number("block_x", 32)),
                           static_cast<unsigned>(settings.number("block_y", 8))};
    return transposed(settings, down ? chapter_19::naive<true> : chapter_19::naive<false>, down,
                      block, block, 0);
}

template<chapter_20::Layout layout>
Launch tile(const Settings& settings)
{
    using chapter_20::side;
    const bool down = settings.number("down", 0) != 0;
    const std::size_t floats = side * (side + (layout == chapter_20::Layout::padded ? 1 : 0));
    return transposed(settings,
                      down ? chapter_20::tile<layout, true> : chapter_20::tile<layout, false>, down,
                      {side, 8}, {side, side}, sizeof(float) * floats);
}

} // namespace

Launch make_launch(const Settings& settings)
{
    const std::string name = settings.word("kernel", "");
    if (name == "basic")
        return add(settings, chapter_01::add, 1);
    if (name.starts_with("neighbours") || name.starts_with("strided"))
        return coarsened(settings, name);
    if (name == "copy")
        return copy_words(settings);
    if (name == "reorder_direct" || name == "reorder_shared")
        return reordered(settings, name == "reorder_shared");
    if (name == "read" || name == "write" || name == "unrolled")
        return aligned(settings, name != "write", name == "unrolled");
    if (name == "aos" || name == "soa" || name == "aosoa")
        return records(settings, name);
    if (name == "naive_row" || name == "naive_column")
        return naive(settings, name == "naive_column");
    if (name == "tile_plain")
        return tile<chapter_20::Layout::plain>(settings);
    if (name == "tile_padded")
        return tile<chapter_20::Layout::padded>(settings);
    if (name == "tile_swizzled")
        return tile<chapter_20::Layout::swizzled>(settings);
    return {.kernel = [] {}, .grid = {0}};
}

std::vector<cpu_device::Operation> pipeline_operations(std::uint64_t n, std::uint64_t chunks,
                                                       std::uint64_t streams, bool pinned)
{
    using cpu_device::Operation;
    using Kind = Operation::Kind;
    std::vector<Operation> operations;
    const auto pages = pinned ? Operation::Pages::pinned : Operation::Pages::pageable;
    const std::uint64_t chunk = (n + chunks - 1) / chunks;
    unsigned turn = 0;
    for (std::uint64_t first = 0; first < n; first += chunk) {
        const std::uint64_t bytes = 4 * std::min(chunk, n - first);
        const unsigned stream = 1 + turn++ % static_cast<unsigned>(streams);
        for (const Kind kind : {Kind::copy_in, Kind::copy_in, Kind::device_work, Kind::copy_out})
            operations.push_back({.kind = kind,
                                  .stream = stream,
                                  .bytes = kind == Kind::device_work ? 3 * bytes : bytes,
                                  .pages = pages});
    }
    for (unsigned stream = 1; stream <= streams; ++stream)
        operations.push_back({.kind = Kind::host_waits_for, .stream = stream});
    operations.push_back({.kind = Kind::host_waits_all}); // as whoever times it does
    return operations;
}

} // namespace figures
