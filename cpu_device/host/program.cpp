/// \file
/// The program: what the dynamic linker knows of it, and its file, which alone has its symbols: the
/// loader maps no symbol table but that of dynamic symbols.
#include "core/host.hpp"

#include <cxxabi.h>
#include <execinfo.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

// The linker defines these for a section whose name is an identifier, if there is one.
extern "C" const std::byte __start_cpu_device_constant[] __attribute__((weak));
extern "C" const std::byte __stop_cpu_device_constant[] __attribute__((weak));

namespace cpu_device::host {

namespace {

Range range_of(const dl_phdr_info& module, const ElfW(Phdr) & segment)
{
    return {module.dlpi_addr + segment.p_vaddr, segment.p_memsz};
}

/// Calls visit(module, segment, is_program) for each segment of the program and of its libraries.
template<class Visit>
void for_each_segment(Visit visit)
{
    std::pair<Visit*, bool> state(&visit, true); // the program is first
    dl_iterate_phdr(
        [](dl_phdr_info* module, std::size_t, void* opaque) {
            auto& [function, is_program] = *static_cast<std::pair<Visit*, bool>*>(opaque);
            for (int i = 0; i < module->dlpi_phnum; ++i)
                (*function)(*module, module->dlpi_phdr[i], is_program);
            is_program = false;
            return 0;
        },
        &state);
}

} // namespace

std::uintptr_t program_begin()
{
    std::uintptr_t begin = 0;
    for_each_segment([&](const dl_phdr_info& module, const auto&, bool is_program) {
        begin = is_program ? module.dlpi_addr : begin;
    });
    return begin;
}

Range program_data()
{
    Range data;
    for_each_segment([&](const dl_phdr_info& module, const auto& segment, bool is_program) {
        if (is_program && segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0)
            data = range_of(module, segment);
    });
    return data;
}

std::vector<Range> other_data()
{
    std::vector<Range> ranges;
    for_each_segment([&](const dl_phdr_info& module, const auto& segment, bool is_program) {
        const bool constant = segment.p_type == PT_GNU_RELRO ||
                              (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) == 0);
        if (constant || (segment.p_type == PT_LOAD && !is_program))
            ranges.push_back(range_of(module, segment));
    });
    return ranges;
}

Range constant_data()
{
    const auto begin = reinterpret_cast<std::uintptr_t>(__start_cpu_device_constant);
    return {begin, reinterpret_cast<std::uintptr_t>(__stop_cpu_device_constant) - begin};
}

Range thread_variables()
{
    Range variables;
    for_each_segment([&](const dl_phdr_info& module, const auto& segment, bool is_program) {
        if (is_program && segment.p_type == PT_TLS)
            variables = {reinterpret_cast<std::uintptr_t>(module.dlpi_tls_data), segment.p_memsz};
    });
    return variables;
}

std::vector<Symbol> read_symbols(SymbolKind kind)
{
    std::vector<Symbol> symbols;
    std::ifstream file("/proc/self/exe", std::ios::binary);
    const auto read = [&file]<class Entry>(std::uint64_t offset, std::vector<Entry> entries) {
        file.seekg(static_cast<std::streamoff>(offset));
        file.read(reinterpret_cast<char*>(entries.data()),
                  static_cast<std::streamsize>(entries.size() * sizeof(Entry)));
        return file ? entries : std::vector<Entry>();
    };
    const auto header = read(0, std::vector<ElfW(Ehdr)>(1));
    if (header.empty())
        return symbols;
    const unsigned type = kind == SymbolKind::function   ? STT_FUNC
                          : kind == SymbolKind::variable ? STT_OBJECT
                                                         : STT_TLS;
    const auto sections = read(header[0].e_shoff, std::vector<ElfW(Shdr)>(header[0].e_shnum));
    for (const auto& section : sections) {
        if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size())
            continue;
        const auto& strings = sections[section.sh_link];
        const auto names = read(strings.sh_offset, std::vector<char>(strings.sh_size));
        const std::size_t count = section.sh_size / sizeof(ElfW(Sym));
        for (const auto& entry : read(section.sh_offset, std::vector<ElfW(Sym)>(count)))
            if ((entry.st_info & 0xF) == type && entry.st_shndx != SHN_UNDEF &&
                entry.st_name < names.size())
                symbols.push_back({names.data() + entry.st_name, entry.st_value, entry.st_size});
    }
    return symbols;
}

std::string demangled(const std::string& name)
{
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> buffer(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
    std::string text = buffer == nullptr ? name : buffer.get();
    static constexpr std::string_view unnamed = "(anonymous namespace)::";
    for (std::size_t at = 0; (at = text.find(unnamed, at)) != std::string::npos;)
        text.erase(at, unnamed.size());
    return text;
}

std::vector<std::uintptr_t> callers()
{
    void* found[24]; // those of the engine included
    const int count = backtrace(found, std::size(found));
    std::vector<std::uintptr_t> callers;
    for (int i = 0; i < count; ++i) {
        const auto pc = reinterpret_cast<std::uintptr_t>(found[i]);
        if (i > 0 && pc > program_begin())
            callers.push_back(pc);
    }
    return callers;
}

std::string source_line(const std::vector<std::uintptr_t>& callers)
{
    std::string command = "addr2line -i -e /proc/" + std::to_string(getpid()) + "/exe";
    for (const std::uintptr_t pc : callers) {
        char address[32];
        std::snprintf(address, sizeof address, " 0x%llx",
                      static_cast<unsigned long long>(pc - 1 - program_begin()));
        command += address;
    }
    std::string found;
    if (FILE* const tool =
            callers.empty() ? nullptr : popen((command + " 2>/dev/null").c_str(), "r")) {
        // The innermost function first: what the headers of CUDA and of the C++ library inline is
        // not the program's.
        for (char text[1024]; std::fgets(text, sizeof text, tool) != nullptr;) {
            std::string line(text, std::strcspn(text, "\n"));
            line.resize(std::min(line.size(), line.find(" (discriminator")));
            const bool known = !line.empty() && line.front() != '?' && line.back() != '?';
            if (found.empty() && known && line.find("/cpu_device/") == line.npos &&
                line.find("/include/c++/") == line.npos)
                found = line.substr(line.rfind('/') + 1);
        }
        pclose(tool);
    }
    return found;
}

} // namespace cpu_device::host
