/// \file
/// A whole chapter in a page: common/run with what a browser has of a command line, of processes
/// and of a terminal. The model's second process is a second launch here, with arrays of the same
/// size, because those of the reference do not fit 32 bits.
#include "browser/exercises/page.hpp"
#include "common/device/device.hpp"
#include "common/device/environment.hpp"
#include "common/model/card.hpp"
#include "common/report/json.hpp"
#include "common/run/implementation.hpp"
#include "common/run/options.hpp"
#include "common/text/terminal.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace common {

namespace {

std::vector<Parameter> wanted; ///< of the rows that have a parameter of that name

bool is_wanted(const Row& row)
{
    return std::all_of(wanted.begin(), wanted.end(), [&](const Parameter& one) {
        const Parameter::Value* const value = row.parameter(one.name);
        return value == nullptr || to_string(*value) == to_string(one.value);
    });
}

bool models = true; ///< the times of kernels

/// What the room says of the page's fields, {card, n, seed, variants, where: {NAME: VALUE}}, each
/// of which may be left out; "model": false, for a test of the counts alone.
Options read_options()
{
    const auto said = nlohmann::json::parse(std::exchange(page::text, {}));
    Options options;
    options.card = said.value("card", card_options().front());
    options.seed = said.value("seed", options.seed);
    options.variants = said.value("variants", options.variants);
    if (said.contains("n"))
        options.n = said["n"].get<std::size_t>();
    models = said.value("model", true);
    for (const auto& [name, value] : said.value("where", std::map<std::string, std::string>()))
        wanted.emplace_back(name, value);
    return options;
}

std::vector<ReferenceLaunch> told; ///< by the sampler to the counter

/// Counts a row as the first process does, and then models it as the second.
class PageRunner : public Runner
{
  public:
    explicit PageRunner(Context& context)
        : counter_(make_cpu_runner(context, std::make_unique<ReferenceRun>())),
          sampler_(make_sampler(std::make_unique<ReferenceRun>()))
    {}
    [[nodiscard]] std::size_t elements() const override { return counter_->elements(); }
    [[nodiscard]] std::vector<std::size_t> sizes(const Sizes& all) const override
    {
        return counter_->sizes(all);
    }
    void run(const RowSpec& row) override
    {
        if (!is_wanted(make_row(row, false)))
            return;
        counter_->run(row);
        if (!models)
            return;
        simulate_caches(true);
        sampler_->run(row);
        simulate_caches(false);
    }
    void finish() override { counter_->finish(); }
    [[nodiscard]] std::string text(std::size_t width) const override
    {
        return counter_->text(width);
    }

  private:
    std::unique_ptr<Runner> counter_;
    std::unique_ptr<Runner> sampler_;
};

} // namespace

// --- the second process, in the first ------------------------------------------------------------

ReferenceRun::ReferenceRun() = default;
ReferenceRun::~ReferenceRun() = default;
void ReferenceRun::tell(const ReferenceLaunch& launch) const
{
    told.push_back(launch);
}
void ReferenceRun::end() const
{
    std::abort(); // nobody calls it: there is no second process
}
std::vector<ReferenceLaunch> ReferenceRun::collect()
{
    return std::exchange(told, {});
}

// --- without a terminal --------------------------------------------------------------------------

void Progress::show(const std::string&) {}
void Progress::clear() {}

void Environment::record_clocks_after() {}

// --- implementation.hpp --------------------------------------------------------------------------

Chapter::Implementation::Implementation(int, char** argv, int usual)
{
    context.options = read_options();
    model_card(*find_card(context.options.card));
    if (usual > 1)
        set_device_count(usual);
    for (int device = 0; device < usual; ++device)
        devices.push_back(device);
    context.devices = devices;
    context.results.chapter = argv[0];
    context.results.device.backend = "cpu";
    context.results.device.name = "CPU device";
    runner = std::make_unique<PageRunner>(context);
}

int Chapter::Implementation::finish()
{
    runner->finish();
    std::fputs(runner->text(output_width()).c_str(), stdout);
    page::text = results_to_json(context.results);
    return failed();
}

} // namespace common

/// Prepares for a chapter, whose table has so many columns.
EXPORT(prepare) void prepare(std::size_t columns, bool)
{
    page::output_columns = columns;
}

/// The results of the chapter that has run, as a file has them; empty where it has none.
EXPORT(results) const char* results()
{
    return page::text.c_str();
}
