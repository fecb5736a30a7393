/// \file
/// What is wrong with the configuration of a launch.
#include "core/immortal.hpp"
#include "core/kernels.hpp"
#include "core/program_image.hpp"
#include "cpu_device/device_limits.hpp"
#include "cpu_device/settings.hpp"

#include <algorithm>
#include <map>
#include <mutex>

namespace cpu_device {
namespace {

/// What set_dynamic_shared_limit() said of each kernel.
struct SharedLimits
{
    std::mutex mutex;
    std::map<const void*, std::size_t> bytes;
    std::size_t most = device_limits.shared_bytes_per_block;
};

} // namespace

ConfigurationError configuration_error(const LaunchConfiguration& configuration)
{
    const Dimensions& block = configuration.block;
    const Dimensions& grid = configuration.grid;
    const auto too_many = [](std::uint64_t value, const std::string& what, std::uint64_t limit,
                             const std::string& remedy) {
        return ConfigurationError{"requests " + std::to_string(value) + " " + what +
                                  "; the limit is " + std::to_string(limit) + ". " + remedy};
    };
    const auto limit_of = [](const int(&limits)[3], int axis) {
        return static_cast<std::uint64_t>(limits[axis]);
    };
    const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
    const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
    const auto most_threads = static_cast<std::uint64_t>(device_limits.max_threads_per_block);
    if (grid.x == 0 || grid.y == 0 || grid.z == 0)
        return {"has a grid without blocks; every dimension must be at least 1."};
    if (block.x == 0 || block.y == 0 || block.z == 0)
        return {"has blocks without threads; every dimension must be at least 1."};
    const unsigned sizes[2][3] = {{block.x, block.y, block.z}, {grid.x, grid.y, grid.z}};
    const char* const names[2] = {"threads per block in ", "blocks in "};
    const char* const remedies[2][3] = {{"Launch more and smaller blocks.",
                                         "Launch more and smaller blocks.",
                                         "Put those threads into x and y."},
                                        {"Process more elements per thread, in a grid-stride loop.",
                                         "Put those blocks into x.", "Put those blocks into x."}};
    if (block.z <= limit_of(device_limits.max_block_dimensions, 2) && threads > most_threads)
        return too_many(threads, "threads per block", most_threads, remedies[0][0]);
    for (int axis = 0; axis < 3; ++axis) {
        const std::uint64_t limits[2] = {limit_of(device_limits.max_block_dimensions, axis),
                                         limit_of(device_limits.max_grid_dimensions, axis)};
        for (int part = 0; part < 2; ++part)
            if (sizes[part][axis] > limits[part])
                return too_many(sizes[part][axis], std::string(names[part]) + "xyz"[axis],
                                limits[part], remedies[part][axis]);
    }
    const auto too_much_shared = [&](std::size_t bytes, const char* what, std::size_t limit) {
        const std::size_t most = device_limits.shared_bytes_per_block_optin;
        return too_many(bytes, what, limit,
                        limit < most && bytes <= most
                            ? "cudaFuncSetAttribute raises it to " + std::to_string(most) +
                                  " bytes."
                            : "Have each block work on fewer elements at a time.");
    };
    const std::size_t shared_limit = dynamic_shared_limit(configuration.function);
    if (configuration.dynamic_shared_bytes > shared_limit)
        return too_much_shared(configuration.dynamic_shared_bytes, "bytes of dynamic shared memory",
                               shared_limit);
    const std::size_t shared = immortal<ProgramImage>().static_shared_bytes(configuration.kernel);
    if (shared > device_limits.shared_bytes_per_block)
        return {"has " + std::to_string(shared) + " bytes of static shared memory; the limit is " +
                std::to_string(device_limits.shared_bytes_per_block) +
                ", and nvcc does not compile more. Use dynamic shared memory."};
    const std::size_t shared_with_dynamic = shared + configuration.dynamic_shared_bytes;
    const std::size_t limit_of_both = shared_limit > device_limits.shared_bytes_per_block
                                          ? device_limits.shared_bytes_per_block_optin
                                          : device_limits.shared_bytes_per_block;
    if (shared_with_dynamic > limit_of_both)
        return too_much_shared(shared_with_dynamic,
                               "bytes of static and dynamic shared memory together", limit_of_both);
    constexpr std::uint64_t fine_with_any_registers = 256; // threads
    if (const auto& registers_of = settings().registers_of;
        registers_of && threads > fine_with_any_registers)
        if (const int registers = registers_of(configuration.kernel);
            registers > 0 && resident_blocks(device_limits, static_cast<int>(threads), registers,
                                             shared_with_dynamic) == 0)
            return {"requests " + std::to_string(threads) + " threads per block with " +
                        std::to_string(registers) +
                        " registers each, according to nvcc; a block may have " +
                        std::to_string(device_limits.registers_per_block) +
                        " in all. Launch smaller blocks, or write __launch_bounds__(" +
                        std::to_string(threads) + ") before the kernel.",
                    LaunchStatus::out_of_resources};
    const auto resident =
        static_cast<std::uint64_t>(device_limits.multiprocessors) *
        static_cast<std::uint64_t>(resident_blocks(device_limits, static_cast<int>(threads),
                                                   assumed_registers, shared_with_dynamic));
    if (!configuration.cooperative || blocks <= resident)
        return {};
    ConfigurationError too_large =
        too_many(blocks, "blocks in a cooperative launch", resident,
                 "All must be resident at once; "
                 "cudaOccupancyMaxActiveBlocksPerMultiprocessor() returns how many fit on an SM.");
    too_large.status = LaunchStatus::too_large_cooperative_grid;
    return too_large;
}

std::size_t dynamic_shared_limit(const void* function)
{
    auto& [mutex, bytes, most] = immortal<SharedLimits>();
    const std::lock_guard lock(mutex);
    const auto found = bytes.find(function);
    return function == nullptr    ? most
           : found == bytes.end() ? device_limits.shared_bytes_per_block
                                  : found->second;
}

void set_dynamic_shared_limit(const void* function, std::size_t bytes)
{
    auto& limits = immortal<SharedLimits>();
    const std::lock_guard lock(limits.mutex);
    limits.bytes[function] = bytes;
    limits.most = std::max(limits.most, bytes);
}

} // namespace cpu_device
