#include "browser/launches.hpp"

#include "kernels_06.inc"

namespace figures {

/// Of single bytes, but for words of two: there are none of two single bytes in the chapter.
Launch chapter_06::launch(const Settings& settings)
{
    const std::size_t n = settings.number("n", 0);
    const unsigned threads = settings.small("threads", 256);
    const auto copy = [&]<class Element, class Access>(Element, Access) {
        return Launch{
            .kernel =
                [=] { copy_words<Element, Access>(array<const Element>(0), array<Element>(1), n); },
            .grid = {blocks(n / (sizeof(Access) / sizeof(Element)) + 1, threads)},
            .block = {threads},
            .bytes = 2.0 * sizeof(Element) * static_cast<double>(n),
            .arrays = {sizeof(Element) * n, sizeof(Element) * n}};
    };
    using Byte = unsigned char;
    switch (settings.number("word", 4)) {
    case 1:
        return copy(Byte{}, Byte{});
    case 2:
        return copy(static_cast<unsigned short>(0), static_cast<unsigned short>(0));
    case 8:
        return copy(Byte{}, uint2{});
    case 16:
        return copy(Byte{}, uint4{});
    default:
        return copy(Byte{}, unsigned{});
    }
}

} // namespace figures
