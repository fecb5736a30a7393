// The mode of --list.
#include "common/report/table.hpp"
#include "common/run/runner.hpp"

namespace common {

namespace {

class Lister : public Runner
{
  public:
    Lister(const Options& options, Results& results) : options_(options), results_(results) {}

    [[nodiscard]] std::size_t elements() const override { return usual_elements(options_); }
    [[nodiscard]] std::vector<std::size_t> sizes(const Sizes& all) const override
    {
        return chosen_sizes(options_, all);
    }
    void run(const Declared& row) override { results_.rows.push_back(make_row(row, false)); }
    void finish() override {}
    [[nodiscard]] std::string text(std::size_t width) const override
    {
        return render_list(results_, width);
    }

  private:
    const Options& options_;
    Results& results_;
};

} // namespace

std::unique_ptr<Runner> make_lister(const Options& options, Results& results)
{
    return std::make_unique<Lister>(options, results);
}

} // namespace common
