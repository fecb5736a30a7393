// ladder [--records FOLDER] [--lines N] FILE.json...  prints the ladder of these results, task by
// task, beside what FOLDER/*/ holds of the same chapters. With --lines its table alone, cut to what
// N lines hold.
#include "common/report/json.hpp"
#include "common/report/ladder.hpp"
#include "common/text/terminal.hpp"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

/// The results of GPUs that `folder` holds of a chapter, a folder each.
void add_records(std::vector<common::Results>& records, const fs::path& folder,
                 const std::string& chapter)
{
    if (!fs::is_directory(folder))
        return;
    for (const fs::directory_entry& card : fs::directory_iterator(folder))
        if (const fs::path file = card.path() / (chapter + ".json");
            card.path().filename() != "cpu" && fs::exists(file))
            records.push_back(common::read_results(file.string()));
}

} // namespace

int main(int argc, char** argv)
{
    common::install_handlers();
    std::string folder;
    std::size_t lines = 0;
    std::vector<std::string> files;
    CLI::App app;
    app.add_option("--records", folder);
    app.add_option("--lines", lines);
    app.add_option("files", files)->required();
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        common::end_program(2, std::string("ladder: ") + error.what() + ".");
    }
    std::vector<common::Results> chapters;
    std::vector<common::Results> records;
    try {
        for (const std::string& file : files) {
            chapters.push_back(common::read_results(file));
            if (!folder.empty())
                add_records(records, folder, chapters.back().chapter);
        }
    } catch (const common::ResultsError& error) {
        common::end_program(2, error.what());
    }
    const std::size_t width = common::output_width();
    if (!common::print(lines == 0 ? common::render_ladder(chapters, width, records)
                                  : common::shorten_ladder(chapters, width, lines, records)))
        common::end_program(2, "The ladder could not be written to standard output.");
}
