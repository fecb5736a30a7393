/// \file
/// What lies at an address that a kernel uses, and what is said where it must not use that.
#include "core/arena.hpp"
#include "core/devices.hpp"
#include "core/executor.hpp"
#include "core/faults.hpp"
#include "core/host.hpp"
#include "core/program_image.hpp"
#include "core/tracer.hpp"

#include <algorithm>
#include <string>

namespace cpu_device {
namespace {

/// How far past the end of the thread-local variables an address is still meant to be one of them.
constexpr std::size_t overrun_reach = 64 * 1024;

std::string describe_access(Access access, unsigned bytes, std::uintptr_t address)
{
    const char* verb = access == Access::load    ? "reads "
                       : access == Access::store ? "writes "
                                                 : "updates ";
    return verb + count(bytes, "byte") + " at " + hexadecimal(address);
}

} // namespace

Tracer::Site& Tracer::locate(Site& site, std::uintptr_t address)
{
    GlobalRegion* global = nullptr;
    const Region region = classify(address, site, global);
    const bool own = region.space == AddressSpace::uncounted || region.space == AddressSpace::local;
    if (!own && address % site.bytes != 0)
        fault_at(site, describe_access(site.access, site.bytes, address) +
                           ", a misaligned address: it must be a multiple of " +
                           std::to_string(site.bytes) + ".");
    for (Site* candidate = &site;; candidate = candidate->other) {
        const bool fresh = candidate->region.bytes == 0;
        if (fresh || candidate->region.space == region.space) {
            candidate->region = region;
            candidate->reach = region.bytes - site.bytes;
            candidate->global = global;
            candidate->shift = region.space == AddressSpace::local ? shift_of(region) : 0;
            return *candidate;
        }
        if (candidate->other == nullptr)
            candidate->other = &make_site(site.key, site.bytes, site.access);
    }
}

Region Tracer::classify(std::uintptr_t address, const Site& site, GlobalRegion*& global)
{
    if (memory_.stacks.contains(address, site.bytes))
        return classify_stack(address, site);
    for (const Region* region : {&memory_.dynamic_shared, &memory_.exchange})
        if (region->contains(address, site.bytes))
            return *region;
    if (memory_.static_shared.contains(address))
        return classify_static_shared(address, site);
    if (GlobalRegion* allocation = arena().find_region(address);
        allocation != nullptr && allocation->contains(address, site.bytes)) {
        if (!allocation->open_to(memory_.device))
            refuse(*allocation, address, site);
        global = allocation;
        return *allocation;
    }
    const std::string access = describe_access(site.access, site.bytes, address);
    if (memory_.dynamic_reserved.contains(address)) {
        const std::uintptr_t end = memory_.dynamic_shared.begin + memory_.dynamic_shared.bytes;
        fault_at(site, access + ", " + describe_distance_past(end, address, site.bytes) +
                           "the block's dynamic shared memory (" +
                           count(memory_.dynamic_shared.bytes, "byte") +
                           ", the third launch parameter).");
    }
    if (!arena().contains(address)) {
        // Behind the thread-local variables may lie anything, a library's data too: a kernel may
        // read that, but what it writes there was meant for an array of its own.
        if (site.access != Access::load || memory_.static_shared.contains(site.region.begin))
            check_overrun(address, site);
        ProgramImage& image = immortal<ProgramImage>();
        if (const Region* region = image.find(address); region != nullptr) {
            if (region->space == AddressSpace::global)
                global = &image.device_variables();
            if (region->space == AddressSpace::global && site.access != Access::load &&
                device_count() > 1)
                advise({"__device__", 0},
                       "writes a __device__ variable, of which the CPU device has one for all "
                       "devices and each GPU its own. If they differ, use memory of cudaMalloc().");
            if (region->space == AddressSpace::constant && site.access != Access::load)
                fault_at(site, access + ", in a __constant__ variable: kernels can only read "
                                        "those; set them from the host with "
                                        "cudaMemcpyToSymbol().");
            return *region;
        }
    }
    check_overrun(address, site);
    // The array that the instruction has used before is the one that is meant, however close
    // others are.
    const bool of_arena = arena().contains(address);
    auto meant = site.global != nullptr && of_arena
                     ? find_allocation(reinterpret_cast<void*>(site.region.begin))
                     : std::nullopt;
    std::string text =
        access + ", " + arena().describe(address, site.bytes, meant ? &*meant : nullptr);
    if (!meant && of_arena)
        meant = nearest_allocation(reinterpret_cast<void*>(address));
    std::string of_allocation;
    if (const std::string line = meant && meant->call != 0 ? host::source_line({meant->call}) : "";
        !line.empty())
        of_allocation = "allocation " + std::to_string(meant->serial) +
                        (meant->freed ? " was freed at " : " was made at ") + line;
    text += text.ends_with('?') ? "" : ".";
    text += meant ? current_worker->advice_on_pitch(*meant, address, site.bytes) : "";
    fault_at(site, text, of_allocation);
}

void Tracer::fault_at(const Site& site, std::string text, const std::string& more) const
{
    const std::string line = host::source_line({site.key >> site_bits});
    if (!line.empty())
        text += " The access is at " + line + (more.empty() ? "" : "; " + more) + ".";
    else if (!more.empty())
        text += " " + more + ".";
    fault(text);
}

void Tracer::refuse(const GlobalRegion& allocation, std::uintptr_t address, const Site& site) const
{
    const std::string owner = std::to_string(allocation.owner());
    const std::string own = std::to_string(memory_.device);
    fault_at(site, describe_access(site.access, site.bytes, address) + ", " +
                       arena().describe(address, site.bytes) + " of device " + owner +
                       ". The kernel runs on device " + own +
                       ", which has no access to that memory: call "
                       "cudaDeviceEnablePeerAccess(" +
                       owner + ", 0) while device " + own + " is current.");
}

Region Tracer::classify_stack(std::uintptr_t address, const Site& site) const
{
    for (const ArrayOfThread& array : arrays_[thread_])
        if (array.region.contains(address, site.bytes))
            return array.region;
    // Next to an array, the same instruction may use that one the next time.
    return declared_.empty() ? memory_.stacks
                             : Region{address, site.bytes, AddressSpace::uncounted};
}

std::uintptr_t Tracer::shift_of(const Region& array) const
{
    const auto& arrays = arrays_[thread_];
    const auto found = std::ranges::find(arrays, array.begin,
                                         [](const ArrayOfThread& of) { return of.region.begin; });
    return (static_cast<std::uintptr_t>(found->number) << array_offset_bits) - array.begin;
}

Region Tracer::classify_static_shared(std::uintptr_t address, const Site& site)
{
    const auto& variables = immortal<ProgramImage>().each_thread_variable();
    if (variables.empty())
        return memory_.static_shared; // a stripped executable: what lies where is not known
    for (const ThreadVariable& variable : variables) {
        const Region region{memory_.static_shared.begin + variable.offset, variable.bytes,
                            variable.built_in ? AddressSpace::uncounted : AddressSpace::shared};
        if (!region.contains(address, site.bytes))
            continue;
        if (variable.engine && !(variable.built_in && site.access == Access::load))
            break;
        if (!variable.engine)
            poison_first_use(region);
        return region;
    }
    check_overrun(address, site);
    fault_at(site,
             describe_access(site.access, site.bytes, address) + ", no variable of the kernel.");
}

void Tracer::check_overrun(std::uintptr_t address, const Site& site) const
{
    const std::uintptr_t origin = memory_.static_shared.begin;
    if (address - origin >= memory_.static_shared.bytes + overrun_reach)
        return;
    // The variable that this instruction used before, or else the kernel's closest one below.
    const ThreadVariable* meant = nullptr;
    for (const ThreadVariable& variable : immortal<ProgramImage>().each_thread_variable()) {
        if (variable.engine)
            continue;
        if (origin + variable.offset == site.region.begin) {
            meant = &variable;
            break;
        }
        if (origin + variable.offset <= address && variable.declared_in(memory_.kernel))
            meant = &variable;
    }
    if (meant == nullptr)
        return;
    const std::uintptr_t begin = origin + meant->offset;
    fault_at(site, describe_access(site.access, site.bytes, address) + ", " +
                       (address < begin
                            ? count(begin - address, "byte") + " before the start of "
                            : describe_distance_past(begin + meant->bytes, address, site.bytes)) +
                       "__shared__ " + meant->name + " (" + count(meant->bytes, "byte") + ").");
}

void Tracer::poison_first_use(const Region& variable)
{
    if (std::ranges::find(shared_in_use_, variable.begin) != shared_in_use_.end())
        return;
    shared_in_use_.push_back(variable.begin);
    // What is not zero is left alone: it is poisoned already, or a barrier that the runtime
    // initialised, whose accesses come without a call of the tracer.
    const auto* bytes = reinterpret_cast<const std::byte*>(variable.begin);
    if (std::all_of(bytes, bytes + variable.bytes, [](std::byte b) { return b == std::byte{0}; }))
        fill_with_poison(variable);
}

std::string Tracer::place_of(std::uintptr_t address) const
{
    const auto byte = [address](std::uintptr_t begin, const std::string& of) {
        return "byte " + std::to_string(address - begin) + " of " + of;
    };
    if (memory_.dynamic_shared.contains(address))
        return byte(memory_.dynamic_shared.begin, "the dynamic shared memory");
    for (const ThreadVariable& variable : immortal<ProgramImage>().each_thread_variable())
        if (const std::uintptr_t begin = memory_.static_shared.begin + variable.offset;
            !variable.engine && address - begin < variable.bytes)
            return byte(begin, "__shared__ " + variable.name);
    return place_of_global(address);
}

} // namespace cpu_device
