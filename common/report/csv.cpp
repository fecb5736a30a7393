#include "common/report/csv.hpp"

#include "common/report/json.hpp"

#include <algorithm>

namespace common {

namespace {

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

/// The fields of a row, with those that are empty.
FlatFields csv_fields(const Row& row)
{
    Row complete = row; // what is missing has its columns all the same
    complete.operations = row.operations.value_or(0);
    complete.time = row.time.value_or(Timing{});
    complete.counts = row.counts.value_or(Counts{});
    complete.note = row.note.empty() ? " " : row.note;
    if (row.modelled) {
        complete.modelled->bars.clear();
        complete.modelled->at.clear();
        complete.modelled->demands.clear();
    }
    const FlatFields known = flat_fields(row);
    FlatFields fields = flat_fields(complete);
    std::erase_if(fields, [](const auto& field) { // lists are no columns
        return field.first == "modelled.operations" || field.first == "modelled.at";
    });
    for (auto& [name, value] : fields) {
        const auto found = std::ranges::find(known, name, &FlatFields::value_type::first);
        value = found == known.end() ? "" : found->second;
    }
    return fields;
}

} // namespace

std::string results_to_csv(const Results& results)
{
    std::vector<FlatFields> rows;
    std::vector<std::string> columns;
    for (const Row& row : results.rows) {
        FlatFields fields = {{"chapter", results.chapter}, {"device", results.device.name}};
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
    for (const FlatFields& fields : rows)
        csv += line([&](const std::string& column) {
            const auto found = std::find_if(fields.begin(), fields.end(),
                                            [&](const auto& f) { return f.first == column; });
            return found == fields.end() ? std::string() : found->second;
        });
    return csv;
}

} // namespace common
