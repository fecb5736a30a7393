#include "common/report/csv.hpp"

#include "common/report/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace common {

namespace {

using nlohmann::ordered_json;
using Fields = std::vector<std::pair<std::string, std::string>>;

std::string quote(const std::string& field)
{
    if (field.find_first_of(",\"\r\n") == std::string::npos)
        return field;
    std::string quoted = "\"";
    for (const char c : field) {
        if (c == '"')
            quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

/// A JSON value as CSV writes it: text without quotes, nothing for null.
std::string csv_value(const ordered_json& value)
{
    if (value.is_null())
        return "";
    return value.is_string() ? value.get<std::string>() : value.dump();
}

/// The fields of a row, those of its objects under the names of both: `counts.load_sectors`.
Fields csv_fields(const Row& row)
{
    Row complete = row; // what is missing has its columns all the same
    complete.operations = row.operations.value_or(0);
    complete.time = row.time.value_or(Timing{});
    complete.counts = row.counts.value_or(Counts{});
    complete.note = row.note.empty() ? " " : row.note;
    ordered_json shape = row_to_json(complete);
    if (row.modelled)
        for (const char* bars : {"operations", "at"}) // are no columns
            shape["modelled"].erase(bars);
    const ordered_json columns = shape.flatten(); // by /counts/load_sectors
    const ordered_json values = row_to_json(row).flatten();

    Fields fields;
    for (const auto& [path, unused] : columns.items()) {
        std::string name = path.substr(1);
        std::replace(name.begin(), name.end(), '/', '.');
        fields.emplace_back(name, csv_value(values.value(path, ordered_json())));
    }
    return fields;
}

} // namespace

std::string results_to_csv(const Results& results)
{
    std::vector<Fields> rows;
    std::vector<std::string> columns;
    for (const Row& row : results.rows) {
        Fields fields = {{"chapter", results.chapter}, {"device", results.device.name}};
        for (auto& field : csv_fields(row))
            fields.push_back(std::move(field));
        // Rows differ in their parameters: a new column goes where its row has it.
        auto place = columns.begin();
        for (const auto& field : fields) {
            const auto found = std::find(columns.begin(), columns.end(), field.first);
            place = found == columns.end() ? columns.insert(place, field.first) + 1 : found + 1;
        }
        rows.push_back(std::move(fields));
    }

    const auto line = [&](const auto& field_of) {
        std::string text;
        for (const std::string& column : columns) {
            if (&column != &columns.front())
                text += ',';
            text += quote(field_of(column));
        }
        return text + "\r\n";
    };
    std::string csv = line([](const std::string& column) { return column; });
    for (const Fields& fields : rows)
        csv += line([&](const std::string& column) {
            const auto found = std::find_if(fields.begin(), fields.end(),
                                            [&](const auto& f) { return f.first == column; });
            return found == fields.end() ? std::string() : found->second;
        });
    return csv;
}

} // namespace common
