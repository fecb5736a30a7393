// Runs the chapters' programs and reads what they write.
#pragma once

#include "tests/catch.hpp"

#include <nlohmann/json.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace chapters {

using nlohmann::json;

inline std::vector<std::string> names()
{
    std::istringstream words(CHAPTER_NAMES);
    return {std::istream_iterator<std::string>(words), {}};
}

inline json read_json(const std::string& path)
{
    std::ifstream in(path);
    return json::parse(in);
}

// Runs a chapter and returns the results it wrote; its exit status must be 0.
inline json run(const std::string& chapter, const std::string& arguments)
{
    // ctest runs the cases of a test in processes of their own, several at a time.
    const std::string file =
        SCRATCH_FOLDER "/" + chapter + "." + std::to_string(getpid()) + ".json";
    std::filesystem::remove(file);
    const std::string command = "\"" CHAPTER_FOLDER "/" + chapter + "\" " + arguments +
                                " --json \"" + file + "\" > \"" + file + ".log\" 2>&1";
    const int status = std::system(command.c_str());
    INFO(command);
    REQUIRE(WIFEXITED(status));
    REQUIRE(WEXITSTATUS(status) == 0);
    const json results = read_json(file);
    std::filesystem::remove(file);
    std::filesystem::remove(file + ".log");
    return results;
}

// The counters recorded on real GPUs.
inline std::vector<std::string> counters_files()
{
    std::vector<std::string> files;
    for (const auto& folder : std::filesystem::directory_iterator(RESULTS_FOLDER)) {
        const std::filesystem::path file = folder.path() / "counters.json";
        if (std::filesystem::exists(file))
            files.push_back(file.string());
    }
    REQUIRE_FALSE(files.empty());
    return files;
}

} // namespace chapters
