#include "rewriter/passes.hpp"

namespace launch_rewriter {
namespace {

bool names_library_call(std::string_view name)
{
    constexpr std::string_view prefix = "cublas";
    return name.substr(0, prefix.size()) == prefix && name.size() > prefix.size() &&
           name[prefix.size()] >= 'A' && name[prefix.size()] <= 'Z';
}

} // namespace

bool LibraryCalls::contain(const Source& source, std::size_t i)
{
    if (!names_library_call(source[i].text) || source.is_any(i - 1, {".", "->", "::"}))
        return false;
    if (declared_.empty())
        for (std::size_t other = 1; other < source.size(); ++other)
            if (source.is_word(other) && names_library_call(source[other].text) &&
                ((source.is_word(other - 1) &&
                  !source.is_any(other - 1, {"return", "else", "do", "case"})) ||
                 source.is_any(other - 1, {"*", "&", ">"}) || source.is_any(other + 1, {",", ";"})))
                declared_.insert(source[other].text);
    return declared_.count(source[i].text) == 0;
}

void rewrite_library_call(Source& source, std::size_t i)
{
    const std::string name(source[i].text);
    source.replace(
        i, i, "::cpu_device::LibraryCall<cublasStatus_t>{\"" + name + "\", __FILE__, __LINE__}");
}

} // namespace launch_rewriter
