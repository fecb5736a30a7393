/// \file
/// Kernels launched by address: cudaLaunchKernel and its kind. `<<<...>>>` is the Launcher's.
#include "core/immortal.hpp"
#include "runtime/runtime.hpp"

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace cpu_device {
namespace {

/// How a kernel known by its address is called.
struct Kernel
{
    KernelInvoker invoke = nullptr;
    std::vector<std::size_t> argument_bytes;
};

struct KernelsByAddress
{
    std::mutex mutex;
    std::map<const void*, Kernel> kernels;
};

std::optional<Kernel> find_kernel(const void* address)
{
    auto& [mutex, kernels] = immortal<KernelsByAddress>();
    const std::lock_guard lock(mutex);
    const auto found = kernels.find(address);
    return found == kernels.end() ? std::nullopt : std::optional(found->second);
}

/// The arguments of one launch, copied as bytes: parameters of kernels are trivially copyable.
struct Call
{
    const void* kernel;
    KernelInvoker invoke;
    std::vector<std::unique_ptr<std::byte[]>> copies = {}; ///< aligned for any parameter
    std::vector<void*> addresses = {};
};

} // namespace

cudaError_t launch_by_address(const void* kernel, dim3 grid, dim3 block, void** arguments,
                              std::size_t shared_bytes, cudaStream_t stream, bool cooperative,
                              SourceLine where)
{
    const std::optional<Kernel> known = find_kernel(kernel);
    if (!known) {
        std::fputs(
            "The CPU device cannot launch a kernel whose type was cast away: pass it without "
            "(void*).\n",
            stderr);
        return set_error(cudaErrorInvalidDeviceFunction);
    }
    LaunchConfiguration configuration;
    configuration.kernel = kernel_name(kernel, "a kernel without a name");
    configuration.function = kernel;
    configuration.signature = kernel_signature(kernel);
    configuration.file = where.file;
    configuration.line = where.line;
    configuration.grid = {grid.x, grid.y, grid.z};
    configuration.block = {block.x, block.y, block.z};
    configuration.dynamic_shared_bytes = shared_bytes;
    configuration.cooperative = cooperative;
    configuration.by_address = true;
    const auto call = std::make_shared<Call>(Call{kernel, known->invoke});
    for (const std::size_t bytes : known->argument_bytes) {
        call->copies.push_back(std::make_unique<std::byte[]>(bytes));
        call->addresses.push_back(call->copies.back().get());
        std::memcpy(call->addresses.back(), *arguments++, bytes);
    }
    const cudaError_t before = take_last_error();
    const cudaError_t queued = in_stream(stream, cudaGraphNodeTypeKernel, [configuration, call] {
        set_launch_error(launch(
            configuration,
            [](void* context) {
                auto& one = *static_cast<Call*>(context);
                one.invoke(one.kernel, one.addresses.data());
            },
            call.get()));
    });
    const cudaError_t own = take_last_error();
    const cudaError_t launched = queued != cudaSuccess ? queued : own;
    set_error(launched != cudaSuccess ? launched : before);
    return launched;
}

void* register_kernel(const void* kernel, KernelInvoker invoker, std::size_t arguments,
                      const std::size_t* argument_bytes)
{
    auto& all = immortal<KernelsByAddress>();
    const std::lock_guard lock(all.mutex);
    all.kernels[kernel] = {invoker, {argument_bytes, argument_bytes + arguments}};
    return const_cast<void*>(kernel);
}

} // namespace cpu_device

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* configuration, const void* kernel,
                                void** arguments, cpu_device::SourceLine where)
{
    if (configuration == nullptr)
        return cpu_device::set_error(cudaErrorInvalidValue);
    bool cooperative = false;
    for (const cudaLaunchAttribute& attribute :
         std::span(configuration->attrs, configuration->numAttrs)) {
        if (attribute.id == cudaLaunchAttributeCooperative)
            cooperative = attribute.val.cooperative != 0;
        if (attribute.id == cudaLaunchAttributeClusterDimension) {
            const auto& cluster = attribute.val.clusterDim;
            if (cluster.x * cluster.y * cluster.z > 1) {
                std::fputs("Thread block clusters run on a GPU only.\n", stderr);
                return cpu_device::set_error(cudaErrorNotSupported);
            }
        }
    }
    return cpu_device::launch_by_address(kernel, configuration->gridDim, configuration->blockDim,
                                         arguments, configuration->dynamicSmemBytes,
                                         configuration->stream, cooperative, where);
}
