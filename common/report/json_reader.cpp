#include "common/report/fields.hpp"
#include "common/report/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace common {

namespace {

using json = nlohmann::ordered_json; // parameters keep their order

/// A value of the file with the way to it, so that a message can say which one is wrong. As an
/// object it reads the fields that it is called with.
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
    [[nodiscard]] std::vector<Field> elements() const
    {
        expect(value_.is_array(), "an array");
        std::vector<Field> fields;
        for (std::size_t i = 0; i < value_.size(); ++i)
            fields.emplace_back(value_[i], fmt::format("{}[{}]", path_, i));
        return fields;
    }
    void expect(bool condition, const std::string& what) const
    {
        if (!condition)
            throw ResultsError(
                fmt::format("{} is {}, which is not {}", path_, value_.dump().substr(0, 40), what));
    }

    // read(x) sets x to the value, or throws where it is something else.

    void read(std::string& text) const
    {
        expect(value_.is_string(), "text");
        text = value_.get<std::string>();
    }
    void read(bool& truth) const
    {
        expect(value_.is_boolean(), "true or false");
        truth = value_.get<bool>();
    }
    void read(std::integral auto& count) const
    {
        expect(value_.is_number_unsigned(), "a whole number of 0 or more");
        count = value_.get<std::remove_reference_t<decltype(count)>>();
    }
    void read(double& number) const
    {
        expect(value_.is_number() && value_.get<double>() >= 0, "a number of 0 or more");
        number = value_.get<double>();
    }
    void read(Cache& cache) const { read(cache, {Cache::cold, Cache::hot}); }
    void read(Engine& engine) const
    {
        read(engine,
             {Engine::copy_in, Engine::compute, Engine::copy_out, Engine::peer, Engine::host});
    }
    void read(std::vector<Parameter>& parameters) const
    {
        expect(value_.is_object(), "an object");
        for (const auto& [key, value] : value_.items()) {
            Field(value, path_ + "." + key)
                .expect(value.is_number() || value.is_string(), "a number or text");
            if (value.is_number_integer())
                parameters.push_back({key, value.template get<std::int64_t>()});
            else if (value.is_number())
                parameters.push_back({key, value.template get<double>()});
            else
                parameters.push_back({key, value.template get<std::string>()});
        }
    }
    void read(std::tuple<double&, double&>& ends) const
    {
        const std::vector<Field> found = elements();
        expect(found.size() == 2, "two ends of an interval");
        found[0].read(std::get<0>(ends));
        found[1].read(std::get<1>(ends));
    }
    template<class T>
    void read(std::optional<T>& value) const
    {
        if (!value_.is_null())
            read(value.emplace());
    }
    template<class T>
    void read(std::vector<T>& values) const
    {
        for (const Field& element : elements())
            element.read(values.emplace_back());
    }
    template<class T>
    void read(T& object) const
    {
        fields(object, *this); // which calls what follows
    }

    template<class T>
    void operator()(const char* key, T&& field) const
    {
        if constexpr (std::is_invocable_v<T, Field>)
            field(at(key));
        else
            at(key).read(field);
    }
    template<class T, class May>
    void operator()(const char* key, T& field, May /*be left out*/) const
    {
        if (value_.contains(key))
            at(key).read(field);
    }

  private:
    template<class Enum>
    void read(Enum& value, std::initializer_list<Enum> all) const
    {
        std::string names;
        for (const Enum candidate : all) {
            if (value_ == name(candidate)) {
                value = candidate;
                return;
            }
            names += (names.empty() ? "" : " or ") + std::string(name(candidate));
        }
        expect(false, names);
    }

    const json& value_;
    std::string path_;
};

Results read_all(const json& file)
{
    const Field top(file, "");
    std::uint64_t schema = 0;
    top.at("schema").read(schema);
    if (schema != Results::schema)
        throw ResultsError(
            fmt::format("its schema is {}, and this program reads schema {}: run the "
                        "chapter again",
                        schema, Results::schema));
    Results results;
    top.at("chapter").read(results.chapter);
    const Field device = top.at("device");
    device.read(results.device);
    device.at("backend").expect(results.device.backend == "cpu" || results.device.backend == "gpu",
                                "cpu or gpu");
    device.at("copy_gb_per_s").read(results.copy_gb_per_s);
    top.at("environment").read(results.environment);
    top.at("options").read(results.options);
    top.at("rows").read(results.rows);
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

} // namespace common
