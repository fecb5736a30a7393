#include "common/run/runner.hpp"

#include "common/device/device.hpp"
#include "common/report/table.hpp"

namespace common {

Row make_row(const RowSpec& spec, bool ask)
{
    const auto& [variant, problem, launch, kind] = spec;
    Row row;
    row.variant = variant.name;
    row.task = variant.task.empty() ? problem.task() : variant.task;
    row.model_excluded_reason = variant.model_excluded_reason;
    row.library = kind == Kind::library;
    if ((ask || variant.threads.known()) && variant.threads() > 0)
        row.parameters.push_back({"threads", variant.threads()});
    for (const Column& column : variant.columns)
        if (ask || column.parameter.known())
            row.parameters.push_back(column.parameter());
    row.parameters.push_back({"n", problem.size()});
    row.bytes = problem.bytes();
    if (problem.operations() > 0)
        row.operations = problem.operations();
    return row;
}

std::string unavailable_reason(const RowSpec& row)
{
    return backend() == Backend::cpu && row.kind == Kind::library ? gpu_only_note
                                                                  : row.variant.unavailable();
}

namespace {

class ListRunner : public Runner
{
  public:
    explicit ListRunner(Context& context) : context_(context) {}

    [[nodiscard]] std::size_t elements() const override { return usual_elements(context_.options); }
    [[nodiscard]] std::vector<std::size_t> sizes(const Sizes& all) const override
    {
        return chosen_sizes(context_.options, all);
    }
    void run(const RowSpec& row) override { context_.results.rows.push_back(make_row(row, false)); }
    void finish() override {}
    [[nodiscard]] std::string text(std::size_t width) const override
    {
        return render_list(context_.results, width);
    }

  private:
    Context& context_;
};

} // namespace

std::unique_ptr<Runner> make_list_runner(Context& context)
{
    return std::make_unique<ListRunner>(context);
}

} // namespace common
