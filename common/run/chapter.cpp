#include "common/run/chapter.hpp"

#include "common/device/ranks.hpp"
#include "common/run/implementation.hpp"

#include <algorithm>

namespace common {

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// What all ranks can do, whose devices may have more memory or less.
std::size_t least_of_all_ranks(std::size_t mine)
{
    return static_cast<std::size_t>(-ranks().largest(-static_cast<double>(mine)));
}

} // namespace

bool Chapter::Implementation::wants(const Variant& variant) const
{
    const Options& options = context.options;
    return (options.variants.empty() || contains(options.variants, variant.name)) &&
           (!variant.full_only || wants_everything(options));
}

void Chapter::Implementation::run(const RowSpec& row)
{
    if (!contains(known, row.variant.name))
        known.push_back(row.variant.name);
    if (wants(row.variant))
        runner->run(row);
}

const std::string* Chapter::Implementation::missing_variant() const
{
    const std::vector<std::string>& asked = context.options.variants;
    const auto missing = std::find_if(asked.begin(), asked.end(), [&](const std::string& name) {
        return !contains(known, name);
    });
    return missing == asked.end() ? nullptr : &*missing;
}

bool Chapter::Implementation::failed() const
{
    const std::vector<Row>& rows = context.results.rows;
    return std::any_of(rows.begin(), rows.end(),
                       [](const Row& row) { return row.verified == false; });
}

Chapter::Chapter(int argc, char** argv, int devices)
    : implementation_(std::make_unique<Implementation>(argc, argv, devices))
{}

Chapter::~Chapter() = default;

std::size_t Chapter::n() const
{
    const std::optional<std::size_t>& given = implementation_->context.options.n;
    return given ? *given : least_of_all_ranks(implementation_->runner->elements());
}

bool Chapter::wants(const Variant& variant) const
{
    return implementation_->wants(variant);
}

std::vector<int> Chapter::devices() const
{
    return implementation_->devices;
}

std::vector<std::size_t> Chapter::sizes(const Sizes& all) const
{
    const std::optional<std::size_t>& given = implementation_->context.options.n;
    if (given)
        return {*given};
    std::vector<std::size_t> sizes = implementation_->runner->sizes(all);
    sizes.resize(least_of_all_ranks(sizes.size())); // the largest do not fit
    return sizes;
}

Chapter::operator Setting() const
{
    return {n(), implementation_->context.options.seed};
}

void Chapter::run(const Variant& variant, Problem& problem, const Launch& launch)
{
    implementation_->run({variant, problem, launch, Kind::kernel});
}

void Chapter::run_transfer(const Variant& variant, Problem& problem, const Launch& work)
{
    implementation_->run({variant, problem, work, Kind::transfer});
}

void Chapter::run_library(const Variant& variant, Problem& problem, const Launch& launch)
{
    implementation_->run({variant, problem, launch, Kind::library});
}

int Chapter::finish()
{
    return implementation_->finish();
}

} // namespace common
