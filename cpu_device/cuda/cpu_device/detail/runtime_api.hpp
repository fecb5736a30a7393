/// \file
/// The CUDA runtime API of the CPU device. Signatures, error codes and their order are the API's;
/// what differs is said here once:
///
/// - **Stream order.** Work runs in the thread that queues it, before the call returns. That is one
///   of the orders that streams and events allow, so a correct program gets the result it would get
///   on a GPU; the overlap of a GPU does not happen, and a missing synchronisation does not show.
/// - **Time.** cudaEventElapsedTime() is host wall time between the two records.
/// - **Hints** (access policy windows) are checked, accepted and without effect. Prefetch and
///   advice move nothing, because there is one memory; they are kept for the modelled timeline.
/// - **Occupancy** follows from threads, blocks and shared memory; the registers of a kernel are
///   not known and limit nothing.
#pragma once
#pragma GCC system_header

#include "cpu_device/detail/function.hpp"
#include "cpu_device/detail/kernel_arguments.hpp"
#include "cpu_device/detail/runtime_types.hpp"
#include "cpu_device/detail/source_line.hpp"

#include <cstddef>
#include <cstdio>
#include <type_traits>
#include <utility>

#define __CUDA_RUNTIME_API_H__ // what helpers of samples request

// --- errors ---------------------------------------------------------------------------------

cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);

// --- device ---------------------------------------------------------------------------------

cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
CPU_DEVICE_FUNCTION(cudaError_t, cudaSetDeviceFlags, (unsigned int), cudaSuccess)
CPU_DEVICE_FUNCTION(cudaError_t, cudaProfilerStart, (), cudaSuccess)
CPU_DEVICE_FUNCTION(cudaError_t, cudaProfilerStop, (), cudaSuccess)
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceGetPCIBusId(char* bus_id, int length, int device);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value);
cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit);
cudaError_t cudaDeviceCanAccessPeer(int* can_access, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int from, int to);
cudaError_t cudaRuntimeGetVersion(int* version);
CPU_DEVICE_FUNCTION(cudaError_t, cudaDriverGetVersion, (int* version),
                    cudaRuntimeGetVersion(version))
CPU_DEVICE_FUNCTION(cudaError_t, cudaCtxResetPersistingL2Cache, (), cudaSuccess)

// --- memory ---------------------------------------------------------------------------------

namespace cpu_device {
/// Where a pointer is to be written, whatever it points to.
struct PointerPlace
{
    void** place;
    template<class T>
    PointerPlace(T** pointer) : place(reinterpret_cast<void**>(pointer))
    {}
    PointerPlace(std::nullptr_t) : place(nullptr) {}
};
} // namespace cpu_device

cudaError_t cudaMalloc(cpu_device::PointerPlace pointer, std::size_t bytes);
cudaError_t cudaFree(void* pointer);
cudaError_t cudaHostAlloc(cpu_device::PointerPlace pointer, std::size_t bytes, unsigned int flags);
CPU_DEVICE_FUNCTION(cudaError_t, cudaMallocHost,
                    (cpu_device::PointerPlace pointer, std::size_t bytes, unsigned int flags = 0),
                    cudaHostAlloc(pointer, bytes, flags))
cudaError_t cudaFreeHost(void* pointer);
cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned int flags);
cudaError_t cudaHostUnregister(void* pointer);
cudaError_t cudaHostGetDevicePointer(cpu_device::PointerPlace device_pointer, void* host_pointer,
                                     unsigned int flags);
cudaError_t cudaMallocManaged(cpu_device::PointerPlace pointer, std::size_t bytes,
                              unsigned int flags = cudaMemAttachGlobal);
cudaError_t cudaMallocAsync(cpu_device::PointerPlace pointer, std::size_t bytes,
                            cudaStream_t stream);
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream);
cudaError_t cudaMallocPitch(cpu_device::PointerPlace pointer, std::size_t* pitch, std::size_t width,
                            std::size_t height);
cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent);
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer);
cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int device,
                                 cudaStream_t stream = nullptr);
cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream = nullptr);
cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                          int device);
cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                          cudaMemLocation location);

// --- copies ---------------------------------------------------------------------------------

/// cudaErrorInvalidValue where the kind contradicts a pointer, or a range leaves its allocation.
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
/// Of objects with virtual functions.
template<class To, class From, std::size_t = sizeof(From),
         std::enable_if_t<std::is_polymorphic_v<From>, int> = 0>
[[gnu::always_inline]] inline cudaError_t cudaMemcpy(To* to, const From* from, std::size_t bytes,
                                                     cudaMemcpyKind kind, CPU_DEVICE_WHERE)
{
    if (kind == cudaMemcpyHostToDevice)
        std::fprintf(stderr,
                     "%s:%d: an object with virtual functions comes from the host, where their "
                     "table is: on a GPU, a kernel that calls one faults. Construct the object "
                     "in a kernel.\n",
                     where.file, where.line);
    return cudaMemcpy(static_cast<void*>(to), static_cast<const void*>(from), bytes, kind);
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters);
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t bytes, cudaStream_t stream = nullptr);
CPU_DEVICE_FUNCTION(cudaError_t, cudaMemcpyPeer,
                    (void* to, int to_device, const void* from, int from_device, std::size_t bytes),
                    cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes))
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream = nullptr);
CPU_DEVICE_FUNCTION(cudaError_t, cudaMemset, (void* to, int value, std::size_t bytes),
                    cudaMemsetAsync(to, value, bytes))

cudaError_t cudaStreamSynchronize(cudaStream_t stream);

namespace cpu_device {
/// A `__device__` or `__constant__` variable is a variable of the program here; from now on the
/// runtime takes its bytes for device memory.
void* device_symbol(const void* address, std::size_t bytes);
cudaError_t copy_to_symbol(const void* symbol, std::size_t symbol_bytes, const void* from,
                           std::size_t bytes, std::size_t offset, cudaMemcpyKind kind);
cudaError_t copy_from_symbol(void* to, const void* symbol, std::size_t symbol_bytes,
                             std::size_t bytes, std::size_t offset, cudaMemcpyKind kind);
} // namespace cpu_device

template<class T>
cudaError_t cudaGetSymbolAddress(void** pointer, const T& symbol)
{
    *pointer = cpu_device::device_symbol(&symbol, sizeof(T));
    return cudaSuccess;
}
template<class T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, std::size_t bytes,
                               std::size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cpu_device::copy_to_symbol(&symbol, sizeof(T), from, bytes, offset, kind);
}
template<class T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, std::size_t bytes,
                                 std::size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return cpu_device::copy_from_symbol(to, &symbol, sizeof(T), bytes, offset, kind);
}

// --- streams and events ---------------------------------------------------------------------

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags);
CPU_DEVICE_FUNCTION(cudaError_t, cudaStreamCreate, (cudaStream_t * stream),
                    cudaStreamCreateWithFlags(stream, cudaStreamDefault))
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags = 0);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data);
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue* value);
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   cudaStreamAttrValue* value);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags);
CPU_DEVICE_FUNCTION(cudaError_t, cudaEventCreate,
                    (cudaEvent_t * event, unsigned int flags = cudaEventDefault),
                    cudaEventCreateWithFlags(event, flags))
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop);

// --- graphs ---------------------------------------------------------------------------------
// The nodes of a graph run one after another, each after those that it depends on.

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attribute,
                                            const cudaKernelNodeAttrValue* value);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, std::size_t* count);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags = 0);
/// CUDA 11's signature, with space for a message.
CPU_DEVICE_FUNCTION(cudaError_t, cudaGraphInstantiate,
                    (cudaGraphExec_t * executable, cudaGraph_t graph, cudaGraphNode_t*, char*,
                     std::size_t),
                    cudaGraphInstantiate(executable, graph))
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);

// --- kernels as values ----------------------------------------------------------------------

namespace cpu_device {

/// Calls a kernel of one signature with arguments that are known by their addresses alone.
using KernelInvoker = void (*)(const void* kernel, void** arguments);

/// Tells the runtime how the kernel at `kernel` is called; needed by every call that takes a
/// kernel as `const void*`. Returns `kernel`.
void* register_kernel(const void* kernel, KernelInvoker invoker, std::size_t arguments,
                      const std::size_t* argument_bytes);

template<class... Parameters, std::size_t... i>
__attribute__((no_sanitize("thread"))) inline void
invoke_kernel(void (*kernel)(Parameters...), void** arguments, std::index_sequence<i...>)
{
    call_kernel(kernel,
                *static_cast<std::remove_reference_t<KeptArgument<Parameters>>*>(arguments[i])...);
}

/// A KernelInvoker. Not instrumented: the arguments of a kernel are in constant memory on a GPU. No
/// lambda, because its conversion to a pointer is a function that would be instrumented, and into
/// which g++ moves loads of what it calls.
template<class... Parameters>
__attribute__((no_sanitize("thread"))) void invoke_kernel_at(const void* address, void** arguments)
{
    invoke_kernel(reinterpret_cast<void (*)(Parameters...)>(const_cast<void*>(address)), arguments,
                  std::index_sequence_for<Parameters...>{});
}

/// The address of a kernel as `void*`, for `cudaLaunchKernel` and its kind.
template<class... Parameters>
void* kernel_address(void (*kernel)(Parameters...))
{
    const std::size_t bytes[] = {sizeof(std::remove_reference_t<Parameters>)..., 0};
    return register_kernel(reinterpret_cast<const void*>(kernel), invoke_kernel_at<Parameters...>,
                           sizeof...(Parameters), bytes);
}

/// The kernel must have gone through kernel_address(): else it is cudaErrorInvalidDeviceFunction,
/// with a sentence.
cudaError_t launch_by_address(const void* kernel, dim3 grid, dim3 block, void** arguments,
                              std::size_t shared_bytes, cudaStream_t stream, bool cooperative,
                              SourceLine where);

/// A kernel, or its address.
struct KernelAddress
{
    const void* address;
    KernelAddress(const void* kernel) : address(kernel) {}
    template<class... Parameters>
    KernelAddress(void (*kernel)(Parameters...)) : address(kernel_address(kernel))
    {}
};

} // namespace cpu_device

CPU_DEVICE_FUNCTION(cudaError_t, cudaLaunchKernel,
                    (cpu_device::KernelAddress kernel, dim3 grid, dim3 block, void** arguments,
                     std::size_t shared = 0, cudaStream_t stream = nullptr, CPU_DEVICE_WHERE),
                    cpu_device::launch_by_address(kernel.address, grid, block, arguments, shared,
                                                  stream, false, where))
CPU_DEVICE_FUNCTION(cudaError_t, cudaLaunchCooperativeKernel,
                    (cpu_device::KernelAddress kernel, dim3 grid, dim3 block, void** arguments,
                     std::size_t shared = 0, cudaStream_t stream = nullptr, CPU_DEVICE_WHERE),
                    cpu_device::launch_by_address(kernel.address, grid, block, arguments, shared,
                                                  stream, true, where))
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* configuration, const void* kernel,
                                void** arguments, CPU_DEVICE_WHERE);
cudaError_t cudaFuncSetAttribute(cpu_device::KernelAddress kernel, cudaFuncAttribute attribute,
                                 int value);
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, cpu_device::KernelAddress kernel);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks,
                                                          cpu_device::KernelAddress kernel,
                                                          int threads, std::size_t shared_bytes);

template<class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* configuration,
                               void (*kernel)(Parameters...), Arguments&&... arguments)
{
    return [&](Parameters... converted) {
        void* addresses[] = {const_cast<void*>(static_cast<const void*>(&converted))..., nullptr};
        return cudaLaunchKernelExC(configuration, cpu_device::kernel_address(kernel), addresses,
                                   {"cudaLaunchKernelEx", 0});
    }(std::forward<Arguments>(arguments)...);
}
/// The block size with the most resident threads, the largest if several have it.
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* least_grid, int* threads,
                                               cpu_device::KernelAddress kernel,
                                               std::size_t shared_bytes = 0, int threads_limit = 0);
