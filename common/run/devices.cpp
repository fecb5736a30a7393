#include "common/run/devices.hpp"

#include "common/device/check.hpp"
#include "common/device/device.hpp"
#include "common/run/chapter.hpp"
#include "common/text/terminal.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

namespace common {

namespace {

constexpr int exit_usage = 2;
constexpr int exit_no_gpu = 4;

/// How many devices there are. Ends the program where there is none.
int device_count()
{
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0)
        end_program(
            exit_no_gpu,
            fmt::format("There is no usable GPU here ({}); `./run --device cpu` needs none.",
                        status == cudaSuccess ? "the driver lists none"
                                              : cudaGetErrorString(status)));
    return count;
}

/// `count` devices, `first` before the others.
std::vector<int> numbers(int first, int count)
{
    std::vector<int> devices{first};
    for (int device = 0; static_cast<int>(devices.size()) < count; ++device)
        if (device != first)
            devices.push_back(device);
    return devices;
}

} // namespace

void offer_devices(const Options& options, int usual)
{
    if (options.devices && usual == 1)
        end_program(exit_usage,
                    fmt::format("--devices {}: {} uses one device; leave the option out.",
                                *options.devices, chapter_name));
    try {
        if (options.devices || (usual > 1 && !std::getenv("MOVING_BYTES_DEVICES")))
            set_device_count(options.devices.value_or(usual));
    } catch (const std::invalid_argument& error) {
        end_program(exit_usage, error.what());
    }
}

std::vector<int> open_devices(const Options& options, int usual)
{
    const int count = device_count();
    const char* const kind = backend() == Backend::cpu ? "CPU device" : "GPU";
    if (options.gpu >= count)
        end_program(exit_usage, count == 1
                                    ? fmt::format("--gpu {}: there is one {} here, number 0.",
                                                  options.gpu, kind)
                                    : fmt::format("--gpu {}: there are {} {}s here, 0 to {}.",
                                                  options.gpu, count, kind, count - 1));
    CHECK_CUDA(cudaSetDevice(options.gpu));
    const int wanted = options.devices.value_or(usual == 1 ? 1 : count);
    if (wanted < 1 || wanted > count)
        end_program(exit_usage,
                    fmt::format("--devices {}: there {} here; give a number from 1 to {}.", wanted,
                                count == 1 ? "is one" : fmt::format("are {}", count), count));
    return numbers(options.gpu, wanted);
}

std::vector<int> listed_devices(const Options& options, int usual)
{
    return numbers(0, options.devices.value_or(usual));
}

} // namespace common
