/// \file
/// The libraries that a chapter is set against, as rows of it.
#pragma once

#include "common/device/check.hpp"
#include "common/device/libraries.hpp"
#include "common/device/memory.hpp"
#include "common/problem/arrays.hpp"
#include "common/run/chapter.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace common {

/// Runs work(scratch, bytes, stream), a function of a library that says how many bytes of scratch
/// memory it needs where that is null.
template<class Work>
void run_with_scratch(Chapter& chapter, Problem& problem, Variant row, Work work)
{
    std::size_t bytes = 0;
    Buffer<std::byte> scratch;
    row.setup = [&, expect = row.setup] {
        if (expect)
            expect();
        work(nullptr, bytes, nullptr);
        scratch = Buffer<std::byte>(std::max(bytes, std::size_t{1}));
    };
    chapter.run_library(row, problem,
                        [&](cudaStream_t stream) { work(scratch.data(), bytes, stream); });
}

/// The variant cub::DeviceTransform, which needs CUDA 12.8.
[[nodiscard]] Variant device_transform(const std::vector<Column>& columns = {}, bool full = false);

/// A vector add: cub::DeviceTransform and thrust::transform.
void run_add_libraries(Chapter& chapter, VectorAdd& problem);

/// A copy: cudaMemcpyAsync, and cub::DeviceTransform for units of up to 8 bytes; rows with these
/// columns, and Variant::full.
template<class T>
void run_copy_libraries(Chapter& chapter, Copy<T>& problem, const std::vector<Column>& columns = {},
                        bool full = false)
{
    const Variant copy{.name = "cudaMemcpyAsync", .columns = columns, .full_only = full};
    chapter.run_library(copy, problem, [&](cudaStream_t stream) {
        CHECK_CUDA(cudaMemcpyAsync(problem.c, problem.a, problem.n * sizeof(T),
                                   cudaMemcpyDeviceToDevice, stream));
    });
    if constexpr (sizeof(T) <= sizeof(std::uint64_t)) {
        using Unit = std::conditional_t<
            sizeof(T) == 1, std::uint8_t,
            std::conditional_t<sizeof(T) == 2, std::uint16_t,
                               std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
        chapter.run_library(device_transform(columns, full), problem, [&](cudaStream_t stream) {
            device_transform_copy(reinterpret_cast<const Unit*>(problem.a),
                                  reinterpret_cast<Unit*>(problem.c), problem.n, stream);
        });
    }
}

} // namespace common
