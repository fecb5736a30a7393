#include "common/report/results.hpp"

#include "common/text/format.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

namespace common {

const Parameter::Value* Row::parameter(std::string_view name) const
{
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const Parameter& p) { return p.name == name; });
    return found == parameters.end() ? nullptr : &found->value;
}

std::string Row::label() const
{
    std::vector<std::string> values;
    for (const Parameter& p : parameters)
        if (p.name == "threads")
            values.push_back(to_string(p.value) + " threads");
        else if (p.name != "n")
            values.push_back(p.name + " " + to_string(p.value));
    return values.empty() ? variant : fmt::format("{} ({})", variant, fmt::join(values, ", "));
}

// --- writing ---------------------------------------------------------------------------------

namespace {

using nlohmann::ordered_json;

struct CountField
{
    const char* name;
    std::uint64_t Counts::*member;
};

/// Every counter that is stored; the rest follow from these.
constexpr std::array count_fields = {
    CountField{"load_requests", &Counts::load_requests},
    CountField{"load_sectors", &Counts::load_sectors},
    CountField{"load_bytes", &Counts::load_bytes},
    CountField{"store_requests", &Counts::store_requests},
    CountField{"store_sectors", &Counts::store_sectors},
    CountField{"store_bytes", &Counts::store_bytes},
    CountField{"atomic_requests", &Counts::atomic_requests},
    CountField{"atomic_sectors", &Counts::atomic_sectors},
    CountField{"shared_load_requests", &Counts::shared_load_requests},
    CountField{"shared_load_conflicts", &Counts::shared_load_conflicts},
    CountField{"shared_store_requests", &Counts::shared_store_requests},
    CountField{"shared_store_conflicts", &Counts::shared_store_conflicts},
    CountField{"constant_requests", &Counts::constant_requests},
    CountField{"constant_wavefronts", &Counts::constant_wavefronts},
    CountField{"local_load_requests", &Counts::local_load_requests},
    CountField{"local_load_sectors", &Counts::local_load_sectors},
    CountField{"local_store_requests", &Counts::local_store_requests},
    CountField{"local_store_sectors", &Counts::local_store_sectors},
    CountField{"distinct_sectors", &Counts::distinct_sectors},
    CountField{"divergent_warps", &Counts::divergent_warps},
};

struct TimeField
{
    const char* name;
    double Timing::*member;
};

constexpr std::array time_fields = {
    TimeField{"median", &Timing::median},
    TimeField{"p25", &Timing::p25},
    TimeField{"p75", &Timing::p75},
    TimeField{"min", &Timing::min},
};

const char* name(Cache cache)
{
    return cache == Cache::cold ? "cold" : "hot";
}

/// JSON has no infinity and no NaN: what is not finite is not known.
ordered_json number(double value)
{
    return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}

template<class T>
ordered_json or_null(const std::optional<T>& value)
{
    if (!value)
        return nullptr;
    if constexpr (std::is_same_v<T, double>)
        return number(*value);
    else
        return *value;
}

ordered_json counts_to_json(const Counts& counts)
{
    ordered_json json;
    for (const CountField& field : count_fields)
        json[field.name] = counts.*field.member;
    json["load_efficiency"] = counts.load_efficiency();
    json["store_efficiency"] = counts.store_efficiency();
    json["bytes_requested"] = counts.bytes_requested();
    return json;
}

ordered_json parameters_to_json(const std::vector<Parameter>& parameters)
{
    ordered_json json = ordered_json::object();
    for (const Parameter& p : parameters)
        json[p.name] = std::visit([](const auto& value) { return ordered_json(value); }, p.value);
    return json;
}

ordered_json time_to_json(const Timing& time)
{
    ordered_json json;
    for (const TimeField& field : time_fields)
        json[field.name] = number(time.*field.member);
    json["interval"] = {number(time.interval_low), number(time.interval_high)};
    json["samples"] = time.samples;
    json["retries"] = time.retries;
    json["stop"] = time.stop;
    return json;
}

/// Whole nanoseconds: a model knows no more, and compilers differ in the last bits.
ordered_json rounded(double ms)
{
    return number(std::round(ms * 1e6) / 1e6);
}

ordered_json bars_to_json(const std::vector<Bar>& bars)
{
    ordered_json json = ordered_json::array();
    for (const Bar& bar : bars)
        json.push_back({{"engine", name(bar.engine)},
                        {"stream", bar.stream},
                        {"start_ms", rounded(bar.start_ms)},
                        {"end_ms", rounded(bar.end_ms)},
                        {"bytes", bar.bytes},
                        {"label", bar.label}});
    return json;
}

ordered_json modelled_to_json(const Modelled& modelled)
{
    ordered_json json;
    json["card"] = modelled.card;
    json["ms"] = rounded(modelled.ms);
    json["operations"] = bars_to_json(modelled.bars);
    json["operations_left_out"] = modelled.left_out;
    json["at"] = ordered_json::array();
    for (const Modelled::At& size : modelled.at) {
        json["at"].push_back({{"n", size.n}, {"ms", rounded(size.ms)}});
        if (!size.bars.empty())
            json["at"].back()["operations"] = bars_to_json(size.bars);
    }
    return json;
}

ordered_json row_to_json(const Row& row)
{
    ordered_json json;
    json["variant"] = row.variant;
    json["parameters"] = parameters_to_json(row.parameters);
    json["bytes"] = row.bytes;
    json["verified"] = or_null(row.verified);
    json["library"] = row.library;
    json["cache"] = row.cache ? ordered_json(name(*row.cache)) : ordered_json(nullptr);
    json["in_l2"] = row.in_l2;
    json["time_ms"] = row.time ? time_to_json(*row.time) : ordered_json(nullptr);
    json["gb_per_s"] = or_null(row.gb_per_s);
    json["share_of_peak"] = or_null(row.share_of_peak);
    json["share_of_copy"] = or_null(row.share_of_copy);
    json["counts"] = row.counts ? counts_to_json(*row.counts) : ordered_json(nullptr);
    if (row.modelled)
        json["modelled"] = modelled_to_json(*row.modelled);
    if (!row.note.empty())
        json["note"] = row.note;
    return json;
}

} // namespace

std::string results_to_json(const Results& results)
{
    ordered_json json;
    json["schema"] = Results::schema;
    json["chapter"] = results.chapter;
    json["device"] = nlohmann::json(results.device);
    json["device"]["copy_gb_per_s"] = or_null(results.copy_gb_per_s);
    json["environment"] = nlohmann::json(results.environment);
    json["options"] = parameters_to_json(results.options);
    json["rows"] = ordered_json::array();
    for (const Row& row : results.rows)
        json["rows"].push_back(row_to_json(row));
    // Bytes that are not UTF-8 can come in by --variant; better replaced than lost with the rest.
    return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Row row_of(const LaunchRecord& launch)
{
    const auto extent = [](const std::array<unsigned, 3>& size) {
        return fmt::format("{}x{}x{}", size[0], size[1], size[2]);
    };
    Row row;
    row.variant = launch.kernel;
    row.parameters = {{"grid", extent(launch.grid)}, {"block", extent(launch.block)}};
    if (launch.dynamic_shared_bytes > 0)
        row.parameters.push_back({"dynamic_shared_bytes", launch.dynamic_shared_bytes});
    row.bytes = launch.counts.bytes_requested();
    row.counts = launch.counts;
    return row;
}

// --- CSV -------------------------------------------------------------------------------------

namespace {

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
    Row complete = row;
    complete.time = row.time.value_or(Timing{});
    complete.counts = row.counts.value_or(Counts{});
    if (row.modelled)
        complete.modelled = Modelled{}; // its bars are no columns
    complete.note = row.note.empty() ? " " : row.note;
    const ordered_json names = row_to_json(complete);
    const ordered_json values = row_to_json(row);

    Fields fields;
    for (const auto& [key, shape] : names.items()) {
        const ordered_json value = values.value(key, ordered_json());
        if (!shape.is_object()) {
            fields.emplace_back(key, csv_value(value));
            continue;
        }
        for (const auto& [inner_key, inner_shape] : shape.items()) {
            const ordered_json inner =
                value.is_null() ? ordered_json() : value.value(inner_key, ordered_json());
            if (!inner_shape.is_array()) {
                fields.emplace_back(key + "." + inner_key, csv_value(inner));
                continue;
            }
            for (std::size_t i = 0; i < inner_shape.size(); ++i)
                fields.emplace_back(fmt::format("{}.{}.{}", key, inner_key, i),
                                    inner.is_null() ? "" : csv_value(inner[i]));
        }
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

// --- reading ---------------------------------------------------------------------------------

namespace {

using json = ordered_json; // parameters keep their order

/// A value of the file with the way to it, so that a message can say which one is wrong.
class Field
{
  public:
    Field(const json& value, std::string path) : value_(value), path_(std::move(path)) {}

    [[nodiscard]] Field at(const char* key) const
    {
        const std::string path = path_.empty() ? key : path_ + "." + key;
        if (!value_.is_object())
            throw ResultsError(fmt::format("{} is not an object", path_.empty() ? "it" : path_));
        const auto found = value_.find(key);
        if (found == value_.end())
            throw ResultsError(fmt::format("{} is missing", path));
        return {*found, path};
    }
    /// The same, but null where it is missing.
    [[nodiscard]] Field maybe(const char* key) const
    {
        static const json null;
        return value_.is_object() && !value_.contains(key) ? Field(null, path_ + "." + key)
                                                           : at(key);
    }
    [[nodiscard]] std::vector<Field> elements() const
    {
        expect(value_.is_array(), "an array");
        std::vector<Field> fields;
        for (std::size_t i = 0; i < value_.size(); ++i)
            fields.emplace_back(value_[i], fmt::format("{}[{}]", path_, i));
        return fields;
    }
    [[nodiscard]] bool null() const { return value_.is_null(); }
    [[nodiscard]] std::string text() const
    {
        expect(value_.is_string(), "text");
        return value_.get<std::string>();
    }
    [[nodiscard]] bool boolean() const
    {
        expect(value_.is_boolean(), "true or false");
        return value_.get<bool>();
    }
    [[nodiscard]] std::uint64_t count() const
    {
        expect(value_.is_number_unsigned(), "a whole number of 0 or more");
        return value_.get<std::uint64_t>();
    }
    [[nodiscard]] double number() const
    {
        expect(value_.is_number() && value_.get<double>() >= 0, "a number of 0 or more");
        return value_.get<double>();
    }
    template<class Read>
    [[nodiscard]] auto optional(Read read) const -> std::optional<decltype(read(*this))>
    {
        if (null())
            return std::nullopt;
        return read(*this);
    }
    [[nodiscard]] std::vector<Parameter> parameters() const
    {
        expect(value_.is_object(), "an object");
        std::vector<Parameter> parameters;
        for (const auto& [key, value] : value_.items()) {
            const Field field(value, path_ + "." + key);
            field.expect(value.is_number() || value.is_string(), "a number or text");
            if (value.is_number_integer())
                parameters.push_back({key, value.get<std::int64_t>()});
            else if (value.is_number())
                parameters.push_back({key, value.get<double>()});
            else
                parameters.push_back({key, value.get<std::string>()});
        }
        return parameters;
    }
    void expect(bool condition, const char* what) const
    {
        if (!condition)
            throw ResultsError(
                fmt::format("{} is {}, which is not {}", path_, value_.dump().substr(0, 40), what));
    }

  private:
    const json& value_;
    std::string path_;
};

constexpr auto as_text = [](const Field& field) { return field.text(); };
constexpr auto as_number = [](const Field& field) { return field.number(); };
constexpr auto as_count = [](const Field& field) { return field.count(); };
constexpr auto as_boolean = [](const Field& field) { return field.boolean(); };

Counts read_counts(const Field& field)
{
    Counts counts;
    for (const CountField& counter : count_fields)
        counts.*counter.member = field.at(counter.name).count();
    return counts;
}

Timing read_time(const Field& field)
{
    Timing time;
    for (const TimeField& statistic : time_fields)
        time.*statistic.member = field.at(statistic.name).number();
    const std::vector<Field> interval = field.at("interval").elements();
    field.expect(interval.size() == 2, "a time with two ends of an interval");
    time.interval_low = interval[0].number();
    time.interval_high = interval[1].number();
    time.samples = field.at("samples").count();
    time.stop = field.at("stop").text();
    return time;
}

Cache read_cache(const Field& field)
{
    const std::string state = field.text();
    field.expect(state == "cold" || state == "hot", "cold or hot");
    return state == "cold" ? Cache::cold : Cache::hot;
}

Engine read_engine(const Field& field)
{
    const std::string text = field.text();
    for (const Engine engine : {Engine::copy_in, Engine::compute, Engine::copy_out, Engine::host})
        if (text == name(engine))
            return engine;
    field.expect(false, "H2D, compute, D2H or host");
    return Engine::host;
}

std::vector<Bar> read_bars(const Field& field)
{
    std::vector<Bar> bars;
    for (const Field& bar : field.elements())
        bars.push_back({read_engine(bar.at("engine")),
                        static_cast<unsigned>(bar.at("stream").count()),
                        bar.at("start_ms").number(), bar.at("end_ms").number(),
                        bar.at("bytes").count(), bar.at("label").text()});
    return bars;
}

Modelled read_modelled(const Field& field)
{
    Modelled modelled;
    modelled.card = field.at("card").text();
    modelled.ms = field.at("ms").number();
    modelled.bars = read_bars(field.at("operations"));
    modelled.left_out = field.at("operations_left_out").count();
    for (const Field& size : field.at("at").elements())
        modelled.at.push_back(
            {size.at("n").count(), size.at("ms").number(),
             size.maybe("operations").optional(read_bars).value_or(std::vector<Bar>{})});
    return modelled;
}

Row read_row(const Field& field)
{
    Row row;
    row.variant = field.at("variant").text();
    row.parameters = field.at("parameters").parameters();
    row.bytes = field.at("bytes").count();
    row.verified = field.at("verified").optional(as_boolean);
    row.library = field.at("library").boolean();
    row.cache = field.at("cache").optional(read_cache);
    row.in_l2 = field.at("in_l2").boolean();
    row.time = field.at("time_ms").optional(read_time);
    row.gb_per_s = field.at("gb_per_s").optional(as_number);
    row.share_of_peak = field.at("share_of_peak").optional(as_number);
    row.share_of_copy = field.at("share_of_copy").optional(as_number);
    row.counts = field.at("counts").optional(read_counts);
    row.modelled = field.maybe("modelled").optional(read_modelled);
    row.note = field.maybe("note").optional(as_text).value_or("");
    return row;
}

DeviceDescription read_device(const Field& field)
{
    DeviceDescription device;
    device.backend = field.at("backend").text();
    field.at("backend").expect(device.backend == "cpu" || device.backend == "gpu", "cpu or gpu");
    device.name = field.at("name").text();
    device.compute_capability = field.maybe("compute_capability").optional(as_text);
    if (const auto value = field.maybe("multiprocessors").optional(as_count))
        device.multiprocessors = static_cast<int>(*value);
    device.memory_bytes = field.maybe("memory_bytes").optional(as_count);
    device.l2_bytes = field.maybe("l2_bytes").optional(as_count);
    device.peak_gb_per_s = field.maybe("peak_gb_per_s").optional(as_number);
    device.host_cpu = field.maybe("host_cpu").optional(as_text);
    if (const auto value = field.maybe("host_cores").optional(as_count))
        device.host_cores = static_cast<unsigned>(*value);
    return device;
}

Clocks read_clocks(const Field& field)
{
    return {static_cast<unsigned>(field.at("sm_mhz").count()),
            static_cast<unsigned>(field.at("memory_mhz").count())};
}

Environment read_environment(const Field& field)
{
    Environment environment;
    environment.date = field.at("date").text();
    environment.commit = field.at("commit").text();
    environment.kernel_compiler = field.at("kernel_compiler").text();
    environment.host_compiler = field.maybe("host_compiler").optional(as_text).value_or("");
    environment.driver = field.maybe("driver").optional(as_text);
    environment.cuda_driver = field.maybe("cuda_driver").optional(as_text);
    environment.cuda_runtime = field.maybe("cuda_runtime").optional(as_text);
    environment.toolkit = field.maybe("toolkit").optional(as_text);
    if (const Field clocks = field.maybe("clocks"); !clocks.null()) {
        environment.clocks_before = clocks.maybe("before").optional(read_clocks);
        environment.clocks_after = clocks.maybe("after").optional(read_clocks);
    }
    return environment;
}

Results read_all(const json& file)
{
    const Field top(file, "");
    const std::uint64_t schema = top.at("schema").count();
    if (schema != Results::schema)
        throw ResultsError(fmt::format("its schema is {}, and this program reads schema {}", schema,
                                       Results::schema));
    Results results;
    results.chapter = top.at("chapter").text();
    results.device = read_device(top.at("device"));
    results.copy_gb_per_s = top.at("device").maybe("copy_gb_per_s").optional(as_number);
    results.environment = read_environment(top.at("environment"));
    results.options = top.at("options").parameters();
    for (const Field& row : top.at("rows").elements())
        results.rows.push_back(read_row(row));
    return results;
}

} // namespace

Results results_from_json(const std::string& text, const std::string& name)
{
    try {
        return read_all(json::parse(text));
    } catch (const ResultsError& error) {
        throw ResultsError(fmt::format("{} does not hold results: {}.", name, error.what()));
    } catch (const json::parse_error& error) {
        throw ResultsError(
            fmt::format("{} does not hold results: it stops being JSON at byte {} of {}.", name,
                        error.byte, text.size()));
    } catch (const json::exception& error) {
        throw ResultsError(fmt::format("{} does not hold results: {}.", name, error.what()));
    }
}

Results read_results(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (!file || !(text << file.rdbuf()))
        throw ResultsError(fmt::format("Cannot read {}: {}.", path,
                                       errno == 0 ? "it is empty" : std::strerror(errno)));
    return results_from_json(text.str(), path);
}

// --- ranking ---------------------------------------------------------------------------------

namespace {

/// Rows whose times may be set against each other: cold ones if there are any.
std::vector<const Row*> timed_rows(const Results& results, bool libraries)
{
    const auto counts_as = [&](const Row& row, Cache cache) {
        return row.verified == true && row.library == libraries && !row.in_l2 && row.time &&
               row.gb_per_s && row.cache.value_or(Cache::cold) == cache;
    };
    for (const Cache cache : {Cache::cold, Cache::hot}) {
        std::vector<const Row*> rows;
        for (const Row& row : results.rows)
            if (counts_as(row, cache))
                rows.push_back(&row);
        if (!rows.empty())
            return rows;
    }
    return {};
}

const Row* fastest(const std::vector<const Row*>& rows)
{
    const auto found = std::max_element(rows.begin(), rows.end(), [](const Row* x, const Row* y) {
        return *x->gb_per_s < *y->gb_per_s;
    });
    return found == rows.end() ? nullptr : *found;
}

/// Rows of other sizes have other times, so it is the bandwidths that overlap or do not.
bool ties_with(const Row& row, const Row& best)
{
    const auto slowest = static_cast<double>(best.bytes) / best.time->interval_high;
    return static_cast<double>(row.bytes) / row.time->interval_low >= slowest;
}

bool moves_bytes(const Row& row)
{
    return row.verified != false && !row.library && row.counts && row.bytes > 0 &&
           requests_per_kib(row) > 0;
}

double per_kib(std::uint64_t count, const Row& row)
{
    return static_cast<double>(count) * 1024 / static_cast<double>(row.bytes);
}

} // namespace

double sectors_per_kib(const Row& row)
{
    const Counts& counts = *row.counts;
    return per_kib(counts.load_sectors + counts.store_sectors + counts.atomic_sectors +
                       counts.local_load_sectors + counts.local_store_sectors,
                   row);
}

double requests_per_kib(const Row& row)
{
    const Counts& counts = *row.counts;
    return per_kib(counts.load_requests + counts.store_requests + counts.atomic_requests +
                       counts.local_load_requests + counts.local_store_requests +
                       counts.constant_wavefronts,
                   row);
}

std::vector<const Row*> best_rows(const Results& results)
{
    std::vector<const Row*> best;
    const std::vector<const Row*> timed = timed_rows(results, false);
    if (const Row* winner = fastest(timed)) {
        best.push_back(winner);
        for (const Row* row : timed)
            if (row != winner && ties_with(*row, *winner))
                best.push_back(row);
        return best;
    }
    const auto cost = [](const Row& row) {
        return std::pair(sectors_per_kib(row), requests_per_kib(row));
    };
    for (const Row& row : results.rows) {
        if (!moves_bytes(row))
            continue;
        if (!best.empty() && cost(row) < cost(*best.front()))
            best.clear();
        if (best.empty() || cost(row) == cost(*best.front()))
            best.push_back(&row);
    }
    return best;
}

const Row* best_library(const Results& results)
{
    return fastest(timed_rows(results, true));
}

} // namespace common
