#include "common/report/json.hpp"

#include "common/report/fields.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace common {

namespace {

using json = nlohmann::ordered_json; // parameters keep their order

/// JSON has no infinity and no NaN: what is not finite is not known.
json written(double value)
{
    return std::isfinite(value) ? json(value) : json(nullptr);
}

json written(const Parameter::Value& value)
{
    return std::visit([](const auto& held) { return json(held); }, value);
}

template<class T>
json written(const T& value);

template<class T>
json written(const std::optional<T>& value)
{
    return value ? written(*value) : json(nullptr);
}

template<class T>
json written(const std::vector<T>& values)
{
    json array = json::array();
    for (const T& value : values)
        array.push_back(written(value));
    return array;
}

json written(const std::vector<Parameter>& parameters)
{
    json object = json::object();
    for (const Parameter& p : parameters)
        object[p.name] = written(p.value);
    return object;
}

/// Writes the fields that it is called with into an object.
struct Writer
{
    json& object; ///< where to

    template<class T>
    void operator()(const char* name, const T& value) const
    {
        if constexpr (std::is_invocable_v<T, Writer>)
            value(Writer{object[name]});
        else
            object[name] = written(value);
    }
    template<class T>
    void operator()(const char* name, const T& value, UnlessEmpty) const
    {
        const json field = written(value);
        const bool no_text = field.is_string() && field.get_ref<const std::string&>().empty();
        if (!field.empty() && !no_text)
            object[name] = field;
    }
    template<class T>
    void operator()(const char* name, const T& value, UnlessZero) const
    {
        if (value != 0)
            object[name] = written(value);
    }
    void operator()(const char* name, std::tuple<const double&, const double&> ends) const
    {
        object[name] = {written(std::get<0>(ends)), written(std::get<1>(ends))};
    }
};

template<class T>
json written(const T& value)
{
    json result;
    if constexpr (std::is_enum_v<T>)
        result = name(value);
    else if constexpr (std::is_constructible_v<json, const T&>)
        result = value;
    else
        fields(value, Writer{result});
    // Whole nanoseconds of a model: it knows no more, and compilers differ in the last bits.
    if constexpr (std::is_same_v<T, Bar> || std::is_same_v<T, Modelled> ||
                  std::is_same_v<T, Modelled::At>)
        for (json& field : result)
            if (field.is_number_float())
                field = std::round(field.template get<double>() * 1e6) / 1e6;
    return result;
}

} // namespace

FlatFields flat_fields(const Row& row)
{
    const json flat = written(row).flatten(); // by /counts/load_sectors
    FlatFields fields;
    for (const auto& [path, value] : flat.items()) {
        std::string name = path.substr(1);
        std::replace(name.begin(), name.end(), '/', '.');
        fields.emplace_back(name, value.is_null()     ? ""
                                  : value.is_string() ? value.get<std::string>()
                                                      : value.dump());
    }
    return fields;
}

std::string results_to_json(const Results& results)
{
    json file;
    file["schema"] = Results::schema;
    file["chapter"] = results.chapter;
    file["device"] = written(results.device);
    file["device"]["copy_gb_per_s"] = written(results.copy_gb_per_s);
    file["environment"] = written(results.environment);
    file["options"] = written(results.options);
    file["rows"] = written(results.rows);
    // Bytes that are not UTF-8 can come in by --variant; better replaced than lost with the rest.
    return file.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace common
