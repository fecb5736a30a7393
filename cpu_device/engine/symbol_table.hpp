/// \file
/// The symbols of the executable. Only its file has them: the loader maps no symbol table but that
/// of dynamic symbols.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cpu_device {

/// A function or a variable that the linker gave a place.
struct Symbol
{
    std::string name;         ///< as the linker knows it
    std::uintptr_t value = 0; ///< offset from where the program is loaded, or among thread-locals
    std::size_t bytes = 0;
};

/// What a symbol stands for.
enum class SymbolKind
{
    function,
    thread_variable
};

/// All symbols of a kind, in no order. Empty if the executable has been stripped.
[[nodiscard]] std::vector<Symbol> read_symbols(SymbolKind kind);

/// The name as C++ writes it, without unnamed namespaces; a name that is not mangled stays as it
/// is.
[[nodiscard]] std::string demangled(const std::string& name);

} // namespace cpu_device
