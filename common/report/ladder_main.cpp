// ladder FILE.json...  prints the ladder of these results, task by task.
#include "common/report/json.hpp"
#include "common/report/ladder.hpp"
#include "common/text/terminal.hpp"

int main(int argc, char** argv)
{
    common::install_handlers();
    if (argc < 2)
        common::end_program(2,
                            "ladder needs the results files of the chapters: ladder FILE.json...");
    std::vector<common::Results> chapters;
    try {
        for (int i = 1; i < argc; ++i)
            chapters.push_back(common::read_results(argv[i]));
    } catch (const common::ResultsError& error) {
        common::end_program(2, error.what());
    }
    if (!common::print(common::render_ladder(chapters, common::output_width())))
        common::end_program(2, "The ladder could not be written to standard output.");
}
