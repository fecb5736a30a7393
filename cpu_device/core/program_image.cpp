#include "core/program_image.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

namespace cpu_device {

namespace {

/// `tile` of `tiles::tile<16>`, `void tile<16>(float*)` and the like.
std::string identifier(std::string function)
{
    function.erase(std::min(function.find_first_of("<("), function.size()));
    return function.substr(function.find_last_of(" :") + 1);
}

ThreadVariable describe(const host::Symbol& symbol)
{
    ThreadVariable variable;
    variable.offset = symbol.value;
    variable.bytes = symbol.bytes;
    // Compilers append a number to the name of a variable that they made several of.
    const std::string whole = host::demangled(symbol.name.substr(0, symbol.name.find('.')));
    const std::size_t qualifier = whole.rfind("::");
    variable.name = qualifier == std::string::npos ? whole : whole.substr(qualifier + 2);
    if (symbol.name.starts_with("_ZZ") && qualifier != std::string::npos) {
        variable.instance = whole.substr(0, qualifier);
        variable.function = identifier(variable.instance);
    }
    variable.built_in = symbol.name.starts_with("cpu_device_");
    variable.engine = variable.built_in || whole.starts_with("cpu_device::") ||
                      symbol.name.starts_with("__tls_guard");
    return variable;
}

std::vector<ThreadVariable> read_thread_variables()
{
    std::vector<ThreadVariable> variables;
    for (const host::Symbol& symbol : host::read_symbols(host::SymbolKind::thread_variable))
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

ProgramImage::ProgramImage()
    : device_variables_(host::program_data().begin, host::program_data().bytes),
      each_thread_variable_(read_thread_variables())
{
    device_variables_.prepare();
    const auto [constants, constant_bytes] = host::constant_data();
    constants_ = {constants, constant_bytes, AddressSpace::constant};
    for (const auto& [start, bytes] : host::other_data())
        uncounted_.push_back({start, bytes, AddressSpace::uncounted});
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
        std::min_element(bytes.begin(), bytes.end(), [](const auto& one, const auto& other) {
            return one.second < other.second;
        });
    return least == bytes.end() ? 0 : least->second;
}

} // namespace cpu_device
