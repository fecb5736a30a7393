/// \file
/// The names of kernels that are known by their address: from the symbol table of the program.
#include "cpu_device/builtins.hpp"

#include <cxxabi.h>
#include <link.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace cpu_device {
namespace {

/// `scale<float>` for the symbol of `void ns::(anonymous namespace)::scale<float>(float*)`.
std::string name_of(const char* symbol)
{
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
    if (text == nullptr)
        return symbol; // extern "C"
    std::string name = text.get();
    constexpr std::string_view unnamed = "(anonymous namespace)::";
    for (std::size_t at = 0; (at = name.find(unnamed, at)) != std::string::npos;)
        name.erase(at, unnamed.size());
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
    std::ifstream file("/proc/self/exe", std::ios::binary);
    const auto read = [&file]<class Entry>(std::uint64_t offset, std::vector<Entry> entries) {
        file.seekg(static_cast<std::streamoff>(offset));
        file.read(reinterpret_cast<char*>(entries.data()),
                  static_cast<std::streamsize>(entries.size() * sizeof(Entry)));
        return file ? entries : std::vector<Entry>();
    };
    std::map<std::uintptr_t, std::string> functions;
    for (const auto& header : read(0, std::vector<ElfW(Ehdr)>(1))) {
        const auto sections = read(header.e_shoff, std::vector<ElfW(Shdr)>(header.e_shnum));
        for (const auto& section : sections) {
            if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size())
                continue;
            const auto& strings = sections[section.sh_link];
            const auto names = read(strings.sh_offset, std::vector<char>(strings.sh_size));
            const std::size_t count = section.sh_size / sizeof(ElfW(Sym));
            for (const auto& symbol : read(section.sh_offset, std::vector<ElfW(Sym)>(count)))
                if ((symbol.st_info & 0xF) == STT_FUNC && symbol.st_name < names.size())
                    functions.emplace(symbol.st_value, names.data() + symbol.st_name);
        }
    }
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
    return names.try_emplace(kernel, name_of(found->second.c_str())).first->second.c_str();
}

} // namespace cpu_device
