// ladder [--records FOLDER] FILE.json...  prints the ladder of these results, task by task, beside
// what FOLDER/*/ holds of the same chapters.
#include "common/report/json.hpp"
#include "common/report/ladder.hpp"
#include "common/text/terminal.hpp"

#include <filesystem>
#include <string_view>

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
    const bool compares = argc > 2 && std::string_view(argv[1]) == "--records";
    const int first = compares ? 3 : 1;
    if (argc <= first)
        common::end_program(2, "ladder needs the results files of the chapters: ladder "
                               "[--records FOLDER] FILE.json...");
    std::vector<common::Results> chapters;
    std::vector<common::Results> records;
    try {
        for (int i = first; i < argc; ++i) {
            chapters.push_back(common::read_results(argv[i]));
            if (compares)
                add_records(records, argv[2], chapters.back().chapter);
        }
    } catch (const common::ResultsError& error) {
        common::end_program(2, error.what());
    }
    if (!common::print(common::render_ladder(chapters, common::output_width(), records)))
        common::end_program(2, "The ladder could not be written to standard output.");
}
