#include "browser/launches.hpp"

#include "kernels_15.inc"

namespace figures {

/// The arrays begin `offset` floats past a boundary of 256 bytes; the kernels get the boundaries.
Launch chapter_15::launch(const Settings& settings)
{
    const std::string name = settings.word("kernel", "");
    const std::size_t n = settings.number("n", 0);
    const std::size_t offset = settings.number("offset", 0);
    const unsigned threads = settings.small("threads", 512);
    const bool unrolled = name == "unrolled";
    const auto kernel = name == "unrolled"   ? add_unrolled
                        : name == "read_cg"  ? add_read_cg
                        : name == "read_ldg" ? add_read_ldg
                        : name == "read"     ? add_read
                                             : add_write;
    const std::size_t read = 4 * (n + (name == "write" ? 0 : offset));
    const std::size_t written = 4 * (n + (name == "write" ? offset : 0));
    return {.kernel =
                [=] {
                    kernel(array<const float>(0), array<const float>(1), array<float>(2),
                           n + offset, offset);
                },
            .grid = {blocks(n, std::size_t{threads} * (unrolled ? 4 : 1))},
            .block = {threads},
            .bytes = 12.0 * static_cast<double>(n),
            .arrays = {read, read, written}};
}

} // namespace figures
