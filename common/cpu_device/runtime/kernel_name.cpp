/// \file
/// The names of kernels that are known by their address: from the symbol table of the program.
#include "cpu_device/builtins.hpp"
#include "engine/symbol_table.hpp"

#include <link.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace cpu_device {
namespace {

/// `scale<float>` for the symbol of `void ns::scale<float>(float*)`.
std::string name_of(const std::string& symbol)
{
    std::string name = demangled(symbol);
    int depth = 0; // of the brackets of the parameters, from the end
    for (std::size_t i = name.size(); name.ends_with(')') && i-- > 0;) {
        depth += name[i] == ')' ? 1 : name[i] == '(' ? -1 : 0;
        if (depth == 0)
            name.erase(i);
    }
    constexpr std::string_view result = "void "; // of a template
    return name.starts_with(result) ? name.substr(result.size()) : name;
}

std::uintptr_t load_address()
{
    std::uintptr_t address = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* module, std::size_t, void* result) {
            *static_cast<std::uintptr_t*>(result) = module->dlpi_addr;
            return 1; // the program is the first
        },
        &address);
    return address;
}

/// Each function's name by its address. Empty if the program has been stripped.
std::map<std::uintptr_t, std::string> functions_of_program()
{
    std::map<std::uintptr_t, std::string> functions;
    for (Symbol& symbol : read_symbols(SymbolKind::function))
        functions.emplace(symbol.value, std::move(symbol.name));
    return functions;
}

} // namespace

const char* kernel_name(const void* kernel, const char* otherwise)
{
    static const auto& functions = *new const auto(functions_of_program());
    static auto& names = *new std::map<const void*, std::string>;
    static std::mutex& mutex = *new std::mutex;
    const auto found = functions.find(reinterpret_cast<std::uintptr_t>(kernel) - load_address());
    if (found == functions.end())
        return otherwise;
    const std::lock_guard lock(mutex);
    return names.try_emplace(kernel, name_of(found->second)).first->second.c_str();
}

} // namespace cpu_device
