#include "engine/program_image.hpp"

#include "engine/symbol_table.hpp"

#include <link.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
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

/// `tile` of `tiles::tile<16>`, `void tile<16>(float*)` and the like.
std::string identifier(std::string function)
{
    function.erase(std::min(function.find_first_of("<("), function.size()));
    return function.substr(function.find_last_of(" :") + 1);
}

ThreadVariable describe(const Symbol& symbol)
{
    ThreadVariable variable;
    variable.offset = symbol.value;
    variable.bytes = symbol.bytes;
    // Compilers append a number to the name of a variable that they made several of.
    const std::string whole = demangled(symbol.name.substr(0, symbol.name.find('.')));
    const std::size_t qualifier = whole.rfind("::");
    variable.name = qualifier == std::string::npos ? whole : whole.substr(qualifier + 2);
    const bool uncounted = symbol.name.find("SecondVersion") != std::string::npos;
    if (!uncounted && symbol.name.starts_with("_ZZ") && qualifier != std::string::npos) {
        variable.instance = whole.substr(0, qualifier);
        variable.function = identifier(variable.instance);
    }
    variable.built_in = symbol.name.starts_with("cpu_device_");
    // No counted launch uses those of uncounted ones.
    variable.engine = variable.built_in || uncounted || whole.starts_with("cpu_device::") ||
                      symbol.name.starts_with("__tls_guard");
    return variable;
}

std::vector<ThreadVariable> read_thread_variables()
{
    std::vector<ThreadVariable> variables;
    for (const Symbol& symbol : read_symbols(SymbolKind::thread_variable))
        if (symbol.bytes != 0)
            variables.push_back(describe(symbol));
    std::ranges::sort(variables, {}, &ThreadVariable::offset);
    return variables;
}

} // namespace

bool ThreadVariable::declared_in(std::string_view kernel) const
{
    return !function.empty() && function == identifier(std::string(kernel));
}

ProgramImage& ProgramImage::instance()
{
    static ProgramImage& image = *new ProgramImage;
    return image;
}

ProgramImage::ProgramImage()
    : device_variables_(executable_data().begin, executable_data().bytes),
      each_thread_variable_(read_thread_variables())
{
    device_variables_.prepare();
    const auto begin = reinterpret_cast<std::uintptr_t>(__start_cpu_device_constant);
    const auto end = reinterpret_cast<std::uintptr_t>(__stop_cpu_device_constant);
    if (begin != 0)
        constants_ = {begin, end - begin, Space::constant};
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
    if (constants_.contains(address))
        return &constants_;
    for (const Region& region : uncounted_)
        if (region.contains(address))
            return &region;
    return device_variables_.contains(address) ? &device_variables_ : nullptr;
}

std::size_t ProgramImage::static_shared_bytes(std::string_view kernel) const
{
    std::map<std::string_view, std::size_t> bytes;
    for (const ThreadVariable& variable : each_thread_variable_)
        if (variable.declared_in(kernel))
            bytes[variable.instance] += variable.bytes;
    const auto least =
        std::ranges::min_element(bytes, {}, [](const auto& entry) { return entry.second; });
    return least == bytes.end() ? 0 : least->second;
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
