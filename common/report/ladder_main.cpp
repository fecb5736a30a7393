// ladder [--records FOLDER] [--lines N] FILE.json...  prints the ladder of these results, task by
// task, beside what FOLDER/*/ holds of the same chapters. With --lines its table alone, cut to what
// N lines hold.
#include "common/report/json.hpp"
#include "common/report/ladder.hpp"
#include "common/text/terminal.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
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

[[noreturn]] void usage()
{
    common::end_program(2, "ladder takes [--records FOLDER] [--lines N] FILE.json...");
}

} // namespace

int main(int argc, char** argv)
{
    common::install_handlers();
    std::string folder;
    std::size_t lines = 0;
    std::vector<std::string> files;
    // ./run writes them: a library that reads options would take ten times as long to compile as
    // the rest.
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--records" && i + 1 < argc)
            folder = argv[++i];
        else if (word == "--lines" && i + 1 < argc)
            lines = std::strtoul(argv[++i], nullptr, 10);
        else if (word.starts_with("--"))
            usage();
        else
            files.emplace_back(word);
    }
    if (files.empty())
        usage();
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
