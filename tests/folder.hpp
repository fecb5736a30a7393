/// \file
/// Files that a test writes and reads.
#pragma once

#include "tests/catch.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

/// An empty directory that goes away with it, with a space in its name.
class Folder
{
  public:
    Folder()
    {
        std::string name = (std::filesystem::temp_directory_path() / "a folder XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { std::filesystem::remove_all(path_); }

    [[nodiscard]] std::filesystem::path operator/(const std::filesystem::path& name) const
    {
        return path_ / name;
    }
    [[nodiscard]] std::string file(const std::string& name) const { return path_ / name; }
    /// Writes a file, in a directory of its own if it is named so.
    [[nodiscard]] std::filesystem::path write(const std::filesystem::path& name,
                                              const std::string& text) const
    {
        std::filesystem::create_directories((path_ / name).parent_path());
        std::ofstream(path_ / name, std::ios::binary) << text;
        return path_ / name;
    }
    [[nodiscard]] std::size_t entries() const
    {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(path_), {}));
    }

  private:
    std::filesystem::path path_;
};

inline std::string read(const std::filesystem::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    REQUIRE(stream);
    return {std::istreambuf_iterator<char>(stream), {}};
}
