#include "rewriter/files.hpp"

#include "rewriter/source.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace launch_rewriter {
namespace {

std::string read(const std::filesystem::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (!stream)
        throw std::runtime_error("cannot read '" + file.string() + "'.");
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.compare(0, byte_order_mark.size(), byte_order_mark) == 0)
        text.erase(0, byte_order_mark.size());
    return text;
}

/// The name in `#include "name"`; nothing in any other line.
std::string_view included(std::string_view line)
{
    const auto skip = [&line](std::string_view word) {
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        const bool found = line.substr(0, word.size()) == word;
        line.remove_prefix(found ? word.size() : 0);
        return found;
    };
    if (!skip("#") || !skip("include") || !skip("\""))
        return {};
    return line.substr(0, line.find('"'));
}

/// One text of a source and the files next to it that it includes, with `#line` where one begins or
/// goes on. Of a file with `#pragma once` the first place counts.
class Inlined
{
  public:
    void add(const std::filesystem::path& file)
    {
        const std::string source = read(file);
        read_.push_back(file);
        open_.push_back(file);
        mark(file, 1);
        std::size_t number = 1;
        for (std::size_t begin = 0; begin < source.size(); ++number) {
            const std::size_t end = std::min(source.find('\n', begin), source.size());
            const std::string_view line = std::string_view(source).substr(begin, end - begin);
            begin = end + 1;
            const std::string_view name = included(line);
            const auto beside = (file.parent_path() / name).lexically_normal();
            if (line.substr(0, pragma_once.size()) == pragma_once) {
                once_.push_back(file);
                text_ += '\n';
            } else if (name.empty() || !std::filesystem::is_regular_file(beside)) { // found by -I
                text_ += std::string(line) + '\n';
            } else {
                if (!holds(open_, beside) && !holds(once_, beside))
                    add(beside);
                mark(file, number + 1);
            }
        }
        open_.pop_back();
    }

    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] const std::vector<std::filesystem::path>& files_read() const { return read_; }

  private:
    static constexpr std::string_view pragma_once = "#pragma once";

    static bool holds(const std::vector<std::filesystem::path>& files,
                      const std::filesystem::path& file)
    {
        return std::find(files.begin(), files.end(), file) != files.end();
    }
    void mark(const std::filesystem::path& file, std::size_t line)
    {
        text_ += "#line " + std::to_string(line) + " " + in_quotes(file.string()) + '\n';
    }

    std::string text_;
    std::vector<std::filesystem::path> read_, open_, once_;
};

void write(const std::filesystem::path& output, const std::string& text)
{
    std::ofstream stream(output, std::ios::binary);
    stream << text;
    if (!stream.flush())
        throw std::system_error(errno, std::generic_category(),
                                "cannot write '" + output.string() + "'");
}

} // namespace

std::vector<std::filesystem::path> rewrite_file(const std::filesystem::path& input,
                                                const std::filesystem::path& output)
{
    Inlined all;
    all.add(input);
    // nvcc includes cuda_runtime.h in front of every source.
    write(output, "#include <cuda_runtime.h>\n#include <cpu_device/detail/kernel_call.hpp>\n" +
                      rewrite(all.text(), input.string()));
    return all.files_read();
}

void rewrite_preprocessed(const std::filesystem::path& input, const std::filesystem::path& output)
{
    std::string text = read(input);
    // Where the compiler put a precompiled header: it is named again when the text is compiled.
    if (const std::size_t mark = text.find("#pragma GCC pch_preprocess"); mark != text.npos)
        text.erase(mark, text.find('\n', mark) - mark);
    write(output, rewrite(text, input.string(), true));
}

} // namespace launch_rewriter
