/// \file
/// Copies and fills, one row at a time, after a check that every byte lies where the call says.
#include "core/arena.hpp"
#include "core/devices.hpp"
#include "core/host.hpp"
#include "core/immortal.hpp"
#include "core/memory.hpp"
#include "core/recorder.hpp"
#include "core/repetition.hpp"
#include "cpu_device/device_limits.hpp"
#include "cpu_device/launches.hpp"
#include "cpu_device/settings.hpp"
#include "runtime/runtime.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

using cpu_device::DeviceMemoryAccess;
using cpu_device::has_access;
using cpu_device::Operation;
using cpu_device::set_error;

namespace {

/// Variables of the program that the runtime was told are `__device__` or `__constant__`.
struct Symbols
{
    std::mutex mutex;
    std::map<std::uintptr_t, std::size_t> bytes;
    std::map<std::uintptr_t, int> set_by; ///< the last device
};

bool is_in_symbol(std::uintptr_t address, std::size_t bytes)
{
    auto& symbols = cpu_device::immortal<Symbols>();
    const std::lock_guard lock(symbols.mutex);
    const auto after = symbols.bytes.upper_bound(address);
    if (after == symbols.bytes.begin())
        return false;
    const auto& [begin, size] = *std::prev(after);
    return cpu_device::Region{begin, size}.contains(address, bytes);
}

/// Which side of a copy may have this memory.
struct Sides
{
    bool host = false;
    bool device = false;
    std::optional<int> owner = {}; ///< the device that alone has it
};

/// The sides that [address, address + bytes) may be on: none if it leaves its allocation.
Sides sides_of(const void* pointer, std::size_t bytes)
{
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    if (address == 0)
        return {};
    if (is_in_symbol(address, bytes))
        return {.host = false, .device = true};
    if (const auto found = cpu_device::nearest_allocation(pointer)) {
        if (found->contains(address)) {
            if (found->freed || !found->contains(address, bytes))
                return {};
            if (found->kind == cudaMemoryTypeDevice)
                return {.host = false, .device = true, .owner = found->device};
            return {.host = true, .device = true};
        }
        // One past the end of device memory is nobody's, least of all the host's.
        if (found->kind == cudaMemoryTypeDevice && address - found->begin == found->bytes)
            return {};
    }
    return {.host = true, .device = false};
}

/// A box of bytes: `height * depth` rows of `width` bytes.
struct Box
{
    std::byte* start = nullptr;
    std::size_t pitch = 0; ///< from row to row
    std::size_t slice = 0; ///< from slice to slice

    [[nodiscard]] std::byte* row(std::size_t y, std::size_t z) const
    {
        return start + z * slice + y * pitch;
    }
};

/// Bytes from the first to behind the last of a box.
std::size_t span(const Box& box, cudaExtent extent)
{
    return (extent.depth - 1) * box.slice + (extent.height - 1) * box.pitch + extent.width;
}

/// Why memory cannot be on the sides of a copy of which `device` should be the device's.
const char* misfit(Sides to, Sides from, const std::byte* device)
{
    const auto [begin, bytes] = cpu_device::host::program_data();
    if (to.host && from.host && reinterpret_cast<std::uintptr_t>(device) - begin < bytes)
        return "a __device__ or __constant__ variable by its name is none of the device's memory: "
               "use cudaMemcpyToSymbol() or cudaMemcpyFromSymbol()";
    if (!to.host && !to.device)
        return "the copy's destination is null, freed or smaller than the copy";
    if (!from.host && !from.device)
        return "the copy's source is null, freed or smaller than the copy";
    return "the copy's direction does not match its source and destination";
}

/// Tells, once, of what a copy to the host holds that nobody has written.
void look_for_unwritten(const Box& from, cudaExtent extent)
{
    static std::atomic<bool> said = false;
    if (!cpu_device::settings().watchful || said)
        return;
    constexpr std::size_t word = sizeof cpu_device::poison;
    std::size_t unwritten = 0; // bytes
    const std::byte* first = nullptr;
    for (std::size_t z = 0; z < extent.depth; ++z)
        for (std::size_t y = 0; y < extent.height; ++y) {
            const std::byte* const row = from.row(y, z);
            std::size_t words = 0;
            for (std::size_t i = 0; i + word <= extent.width; i += word) {
                std::uint32_t value = 0;
                std::memcpy(&value, row + i, word);
                words += value == cpu_device::poison;
            }
            for (std::size_t i = 0; first == nullptr && words != 0; i += word)
                if (std::memcmp(row + i, &cpu_device::poison, word) == 0)
                    first = row + i;
            unwritten += words * word;
        }
    const auto allocation = cpu_device::find_allocation(first);
    if (first == nullptr || !allocation || said.exchange(true))
        return;
    const std::string line =
        allocation->call == 0 ? "" : cpu_device::host::source_line({allocation->call});
    const bool computed = std::ranges::any_of( // of what was not written, as a warning says
        cpu_device::launches(), [](const auto& record) { return !record.unwritten.empty(); });
    std::fflush(stdout);
    std::fprintf(
        stderr,
        "A copy to the host has %zu bytes that were never written, or were copied from "
        "such: the first is byte %zu of allocation %llu (%zu bytes%s%s). On a GPU they are "
        "whatever was there before, often 0; here they are 0x%08X, NaN as floats.%s\n",
        unwritten, reinterpret_cast<std::uintptr_t>(first) - allocation->begin,
        static_cast<unsigned long long>(allocation->serial), allocation->bytes,
        line.empty() ? "" : ", made at ", line.c_str(), cpu_device::poison,
        unwritten == extent.width * extent.height * extent.depth || computed
            ? ""
            : " If a kernel should write them: does its grid cover them, and does each thread's "
              "index use blockIdx, and multiply the row by the width?");
}

/// Of a copy from or to memory that cudaMallocHost() has given, which goes on while the host does.
void note_pinned(const std::byte* start, std::size_t bytes, bool writes)
{
    const auto found = cpu_device::find_allocation(start);
    if (cpu_device::arena().contains(reinterpret_cast<std::uintptr_t>(start)) && found &&
        found->kind == cudaMemoryTypeHost)
        cpu_device::note_unfinished(reinterpret_cast<std::uintptr_t>(start), bytes, writes);
}

cudaError_t copy(Box to, Box from, cudaExtent extent, cudaMemcpyKind kind, cudaStream_t stream)
{
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return set_error(cudaErrorInvalidMemcpyDirection);
    if (extent.width == 0 || extent.height == 0 || extent.depth == 0)
        return cudaSuccess;
    const Sides to_sides = sides_of(to.start, span(to, extent));
    const Sides from_sides = sides_of(from.start, span(from, extent));
    // Without a direction of its own, it follows from the memory: what the host may touch is on the
    // host's side.
    const bool by_memory = kind == cudaMemcpyDefault;
    const bool to_host =
        by_memory ? to_sides.host : kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost;
    const bool from_host = by_memory
                               ? from_sides.host
                               : kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice;
    if (!(to_host ? to_sides.host : to_sides.device) ||
        !(from_host ? from_sides.host : from_sides.device))
        return set_error(cudaErrorInvalidValue,
                         misfit(to_sides, from_sides, to_host ? from.start : to.start));
    const cudaMemcpyKind direction =
        from_host ? (to_host ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice)
                  : (to_host ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice);
    const std::size_t bytes = extent.width * extent.height * extent.depth;
    const bool crosses = to_sides.owner && from_sides.owner && *to_sides.owner != *from_sides.owner;
    return cpu_device::in_stream(stream, cudaGraphNodeTypeMemcpy, [=] {
        const bool out = direction == cudaMemcpyDeviceToHost;
        cpu_device::run_deferred();
        const DeviceMemoryAccess access(!out || to_sides.device, {{to.start, from.start}});
        const cpu_device::UnfinishedIsOpen open;
        if (out)
            look_for_unwritten(from, extent);
        cpu_device::note_use_of_device(to.start, span(to, extent));
        for (std::size_t z = 0; z < extent.depth; ++z)
            for (std::size_t y = 0; y < extent.height; ++y)
                std::memmove(to.row(y, z), from.row(y, z), extent.width);
        if (crosses) {
            const int source = *from_sides.owner, target = *to_sides.owner;
            // The engine of either device can do it, if it has access to the other.
            return cpu_device::record_queued(
                {.kind = Operation::Kind::copy_peer,
                 .bytes = bytes,
                 .from = source,
                 .to = target,
                 .through_host = !has_access(source, target) && !has_access(target, source),
                 .label = "copy"});
        }
        const bool in = direction == cudaMemcpyHostToDevice;
        if (extent.height * extent.depth == 1 && (in || out))
            note_pinned(in ? from.start : to.start, bytes, out);
        cpu_device::record_copy(direction, in ? from.start : to.start, bytes);
    });
}

bool holds(const std::byte* bytes, int value, std::size_t size)
{
    // Each byte is the one before it.
    return bytes[0] == static_cast<std::byte>(value) &&
           std::memcmp(bytes, bytes + 1, size - 1) == 0;
}

/// Unless that would change nothing: benchmarks overwrite the L2 before each launch.
void fill_now(std::byte* to, int value, std::size_t bytes)
{
    using cpu_device::Repetition;
    const auto allocation = cpu_device::find_allocation(to);
    // What the host can write may have changed unnoticed.
    const bool out_of_reach = allocation && allocation->kind == cudaMemoryTypeDevice;
    Repetition again(out_of_reach ? Repetition::identity(to, value, bytes) : std::string());
    if (again.changes_nothing())
        return;
    const DeviceMemoryAccess access(false, {{to, nullptr}}); // Repetition tells
    const cpu_device::UnfinishedIsOpen open;
    cpu_device::note_use_of_device(to, bytes);
    const bool same = again.known() && holds(to, value, bytes);
    if (!same)
        std::memset(to, value, bytes);
    again.end_settled(!same);
}

Box box(const void* pointer, std::size_t pitch = 0, std::size_t rows = 0)
{
    return {static_cast<std::byte*>(const_cast<void*>(pointer)), pitch, pitch * rows};
}

Box box(const cudaPitchedPtr& pointer, cudaPos position)
{
    Box result = box(pointer.ptr, pointer.pitch, pointer.ysize);
    if (result.start != nullptr)
        result.start = result.row(position.y, position.z) + position.x;
    return result;
}

constexpr auto misfit_of_pitch =
    "rows do not fit the pitch: width and pitches are in bytes, not in elements";

/// True when rows of `width` bytes fit their pitch, and the pitch what a device can have.
bool fits(std::size_t width, std::size_t pitch)
{
    return width <= pitch && pitch <= cpu_device::device_limits.max_pitch;
}

/// What is wrong with a box of that extent at a position of pitched memory: rows that reach into
/// the next row, or slices that reach into the next slice.
cudaError_t check_box(const cudaPitchedPtr& pointer, cudaPos position, cudaExtent extent)
{
    if (!fits(position.x + extent.width, pointer.pitch))
        return cudaErrorInvalidPitchValue;
    if (extent.depth > 1 && position.y + extent.height > pointer.ysize)
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

/// The end of a call that returns when its copy is done.
cudaError_t wait_for(cudaError_t copied)
{
    if (copied == cudaSuccess)
        cpu_device::record_wait({.kind = Operation::Kind::host_waits_for});
    return copied;
}

} // namespace

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return copy(box(to), box(from), {bytes, 1, 1}, kind, stream);
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind)
{
    const cudaError_t status = wait_for(cudaMemcpyAsync(to, from, bytes, kind));
    if (kind == cudaMemcpyHostToDevice && status == cudaSuccess)
        cpu_device::arena().note_copied(to, bytes, __builtin_return_address(0));
    return status;
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream)
{
    if (!fits(width, to_pitch) || !fits(width, from_pitch))
        return set_error(cudaErrorInvalidPitchValue, misfit_of_pitch);
    return copy(box(to, to_pitch), box(from, from_pitch), {width, height, 1}, kind, stream);
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind)
{
    return wait_for(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind));
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters)
{
    if (parameters == nullptr)
        return set_error(cudaErrorInvalidValue);
    for (const cudaError_t wrong :
         {check_box(parameters->dstPtr, parameters->dstPos, parameters->extent),
          check_box(parameters->srcPtr, parameters->srcPos, parameters->extent)})
        if (wrong != cudaSuccess)
            return set_error(wrong);
    return wait_for(copy(box(parameters->dstPtr, parameters->dstPos),
                         box(parameters->srcPtr, parameters->srcPos), parameters->extent,
                         parameters->kind, nullptr));
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t bytes, cudaStream_t stream)
{
    if (!cpu_device::is_device(to_device) || !cpu_device::is_device(from_device))
        return set_error(cudaErrorInvalidDevice);
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream)
{
    if (bytes == 0)
        return cudaSuccess;
    if (!sides_of(to, bytes).device)
        return set_error(cudaErrorInvalidValue,
                         "the destination is not device memory, or is too small");
    return cpu_device::in_stream(stream, cudaGraphNodeTypeMemset, [=] {
        const auto work = [=] { fill_now(static_cast<std::byte*>(to), value, bytes); };
        if (!cpu_device::deferred_behind_others(work))
            work();
        cpu_device::record_queued(
            {.kind = Operation::Kind::device_work, .bytes = bytes, .label = "fill"});
    });
}

namespace cpu_device {

void* device_symbol(const void* address, std::size_t bytes)
{
    auto& symbols = immortal<Symbols>();
    const std::lock_guard lock(symbols.mutex);
    symbols.bytes[reinterpret_cast<std::uintptr_t>(address)] = bytes;
    return const_cast<void*>(address);
}

cudaError_t copy_to_symbol(const void* symbol, std::size_t symbol_bytes, const void* from,
                           std::size_t bytes, std::size_t offset, cudaMemcpyKind kind)
{
    if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost)
        return set_error(cudaErrorInvalidMemcpyDirection);
    if (offset > symbol_bytes || bytes > symbol_bytes - offset)
        return set_error(cudaErrorInvalidValue);
    auto* const to = static_cast<std::byte*>(device_symbol(symbol, symbol_bytes));
    const int before = [&, &symbols = immortal<Symbols>()] {
        const std::lock_guard lock(symbols.mutex);
        const auto key = reinterpret_cast<std::uintptr_t>(symbol);
        return std::exchange(symbols.set_by.emplace(key, current_device()).first->second,
                             current_device());
    }();
    static std::atomic_flag said;
    if (before != current_device() && !said.test_and_set())
        std::fprintf(
            stderr,
            "cudaMemcpyToSymbol() on device %d overwrites the value for device %d: the CPU "
            "device has one such variable for all devices, each GPU its own. If they "
            "differ, use memory from cudaMalloc().\n",
            current_device(), before);
    return cudaMemcpy(to + offset, from, bytes, kind);
}

cudaError_t copy_from_symbol(void* to, const void* symbol, std::size_t symbol_bytes,
                             std::size_t bytes, std::size_t offset, cudaMemcpyKind kind)
{
    if (kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice)
        return set_error(cudaErrorInvalidMemcpyDirection);
    if (offset > symbol_bytes || bytes > symbol_bytes - offset)
        return set_error(cudaErrorInvalidValue);
    const auto* const from = static_cast<const std::byte*>(device_symbol(symbol, symbol_bytes));
    return cudaMemcpy(to, from + offset, bytes, kind);
}

} // namespace cpu_device
