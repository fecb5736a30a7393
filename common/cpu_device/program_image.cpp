#include "common/cpu_device/program_image.hpp"

#include <link.h>

#include <utility>

// The linker defines these for a section whose name is an identifier, if there is one.
extern "C" const std::byte __start_cpu_device_constant[] __attribute__((weak));
extern "C" const std::byte __stop_cpu_device_constant[] __attribute__((weak));

namespace cpu_device {

namespace {

Region region_of(const dl_phdr_info& module, const ElfW(Phdr) & segment)
{
    return {module.dlpi_addr + segment.p_vaddr, segment.p_memsz, Space::uncounted};
}

/// Calls visit(module, is_executable) for the executable and its libraries; the executable is
/// first.
template<class Visit>
void for_each_module(Visit visit)
{
    std::pair<Visit*, bool> state(&visit, true);
    dl_iterate_phdr(
        [](dl_phdr_info* module, std::size_t, void* opaque) {
            auto& [function, is_executable] = *static_cast<std::pair<Visit*, bool>*>(opaque);
            (*function)(*module, std::exchange(is_executable, false));
            return 0;
        },
        &state);
}

Region executable_data()
{
    Region data;
    for_each_module([&](const dl_phdr_info& module, bool is_executable) {
        for (int i = 0; is_executable && i < module.dlpi_phnum; ++i)
            if (module.dlpi_phdr[i].p_type == PT_LOAD && (module.dlpi_phdr[i].p_flags & PF_W))
                data = region_of(module, module.dlpi_phdr[i]);
    });
    return data;
}

} // namespace

ProgramImage& ProgramImage::instance()
{
    static ProgramImage& image = *new ProgramImage;
    return image;
}

ProgramImage::ProgramImage() : device_variables_(executable_data().begin, executable_data().bytes)
{
    device_variables_.prepare();
    const auto begin = reinterpret_cast<std::uintptr_t>(__start_cpu_device_constant);
    const auto end = reinterpret_cast<std::uintptr_t>(__stop_cpu_device_constant);
    if (begin != 0)
        uncounted_.push_back({begin, end - begin, Space::uncounted});
    for_each_module([&](const dl_phdr_info& module, bool is_executable) {
        for (int i = 0; i < module.dlpi_phnum; ++i) {
            const auto& segment = module.dlpi_phdr[i];
            const bool constant = segment.p_type == PT_GNU_RELRO ||
                                  (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) == 0);
            if (constant || (segment.p_type == PT_LOAD && !is_executable))
                uncounted_.push_back(region_of(module, segment));
        }
    });
}

const Region* ProgramImage::find(std::uintptr_t address) const
{
    for (const Region& region : uncounted_)
        if (region.contains(address))
            return &region;
    return device_variables_.contains(address) ? &device_variables_ : nullptr;
}

Region ProgramImage::thread_variables()
{
    Region variables;
    for_each_module([&](const dl_phdr_info& module, bool is_executable) {
        for (int i = 0; is_executable && i < module.dlpi_phnum; ++i)
            if (module.dlpi_phdr[i].p_type == PT_TLS)
                variables = {reinterpret_cast<std::uintptr_t>(module.dlpi_tls_data),
                             module.dlpi_phdr[i].p_memsz, Space::shared};
    });
    return variables;
}

} // namespace cpu_device
