// The kernel with which a GPU compares an output to what is expected, on the CPU device.
#include "common/device/gpu/same_bits.cuh"
#include "tests/catch.hpp"

#include <vector>

using common::same_bits_by_kernel;

TEST_CASE("the same bits are the same, and one wrong bit anywhere is seen, at any alignment")
{
    constexpr std::size_t room = 4096;
    std::vector<unsigned char> bytes_of_one(room);
    for (std::size_t i = 0; i < room; ++i)
        bytes_of_one[i] = static_cast<unsigned char>(i * 37 % 251);
    const common::Buffer<unsigned char> one(room);
    const common::Buffer<unsigned char> other(room);
    const auto write = [&](const common::Buffer<unsigned char>& to) {
        CHECK_CUDA(cudaMemcpy(to.data(), bytes_of_one.data(), room, cudaMemcpyHostToDevice));
    };
    write(one);
    for (const std::size_t lead : {0u, 1u, 4u, 8u, 12u})
        for (const std::size_t bytes : {1u, 3u, 4u, 8u, 1024u, 1028u, 1031u, 2048u}) {
            const auto same = [&] {
                return same_bits_by_kernel(one.data() + lead, other.data() + lead, bytes);
            };
            write(other);
            CHECK(same());
            for (const std::size_t wrong : {std::size_t{0}, bytes / 2, bytes - 1}) {
                write(other);
                CHECK_CUDA(cudaMemset(other.data() + lead + wrong, 0xFF, 1));
                CHECK_FALSE(same());
            }
            write(other);
            CHECK_CUDA(cudaMemset(other.data() + lead + bytes, 0xFF, 1)); // nobody's
            CHECK(same());
        }
}
