#include "common/report/parameter.hpp"

#include <fmt/format.h>

namespace common {

std::string to_string(const Parameter::Value& value)
{
    struct Text
    {
        std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
        std::string operator()(double number) const { return fmt::format("{:.4g}", number); }
        std::string operator()(const std::string& text) const { return text; }
    };
    return std::visit(Text{}, value);
}

} // namespace common
