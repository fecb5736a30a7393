#include "engine/symbol_table.hpp"

#include <cxxabi.h>
#include <link.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string_view>

namespace cpu_device {

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
    const unsigned type = kind == SymbolKind::function ? STT_FUNC : STT_TLS;
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

} // namespace cpu_device
