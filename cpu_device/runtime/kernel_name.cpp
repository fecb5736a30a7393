/// \file
/// The names of kernels that are known by their address: from the symbol table of the program.
#include "core/host.hpp"
#include "cpu_device/detail/builtins.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace cpu_device {
namespace {

/// `scale<float>(float*)` for the symbol of `void scale<float>(float*)`.
std::string without_result(const std::string& symbol)
{
    const std::string text = host::demangled(symbol);
    constexpr std::string_view result = "void "; // of a template, or of a function's type
    return text.starts_with(result) ? text.substr(result.size()) : text;
}

/// `scale<float>` for `scale<float>(float*)`.
std::string name_of(std::string name)
{
    int depth = 0; // of the brackets of the parameters, from the end
    for (std::size_t i = name.size(); name.ends_with(')') && i-- > 0;) {
        depth += name[i] == ')' ? 1 : name[i] == '(' ? -1 : 0;
        if (depth == 0)
            name.erase(i);
    }
    return name;
}

/// Each function's name by its address. Empty if the program has been stripped.
std::map<std::uintptr_t, std::string> functions_of_program()
{
    std::map<std::uintptr_t, std::string> functions;
    for (host::Symbol& symbol : host::read_symbols(host::SymbolKind::function))
        functions.emplace(symbol.value, std::move(symbol.name));
    return functions;
}

struct Texts
{
    std::string name;
    std::string signature;
};

/// Those of a kernel; null without a symbol.
const Texts* texts_of(const void* kernel)
{
    static const auto& functions = *new const auto(functions_of_program());
    static auto& known = *new std::map<const void*, Texts>;
    static std::mutex& mutex = *new std::mutex;
    const auto found =
        functions.find(reinterpret_cast<std::uintptr_t>(kernel) - host::program_begin());
    if (found == functions.end())
        return nullptr;
    const std::lock_guard lock(mutex);
    const auto [entry, is_new] = known.try_emplace(kernel);
    if (is_new) {
        const std::string signature = without_result(found->second);
        entry->second = {name_of(signature), signature};
    }
    return &entry->second;
}

} // namespace

const char* kernel_name(const void* kernel, const char* otherwise)
{
    const Texts* texts = texts_of(kernel);
    return texts == nullptr ? otherwise : texts->name.c_str();
}

const char* kernel_signature(const void* kernel)
{
    const Texts* texts = texts_of(kernel);
    return texts == nullptr ? "" : texts->signature.c_str();
}

const char* call_signature(const char* kernel, const std::type_info& call)
{
    static auto& texts = *new std::set<std::string>;
    static std::mutex& mutex = *new std::mutex;
    const std::lock_guard lock(mutex);
    return texts.insert(kernel + without_result(call.name())).first->c_str();
}

} // namespace cpu_device
