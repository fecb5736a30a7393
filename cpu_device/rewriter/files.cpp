#include "rewriter/files.hpp"

#include "rewriter/rewriter.hpp"
#include "rewriter/source.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>

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

/// The text of a preprocessor with lines of the source whole: it breaks them where a macro of a
/// system's header begins and ends.
std::string with_whole_lines(const std::string& text)
{
    std::string whole;
    std::string file;
    std::size_t number = 0; // of the next line
    bool may_go_on = false; // the line before is one of the source, and no directive
    std::string marks;      // before this line, not written yet
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = std::string_view(text).substr(begin, end - begin);
        begin = end + 1;
        if (const auto mark = line_mark(line)) {
            may_go_on =
                may_go_on && marks.empty() && mark->file == file && mark->line + 1 == number;
            marks += std::string(line) + '\n';
            file = mark->file;
            number = mark->line;
            continue;
        }
        const bool is_directive = line.substr(0, 1) == "#";
        if (may_go_on && !is_directive && !marks.empty())
            whole.pop_back(); // the end of the line
        else
            whole += marks;
        marks.clear();
        whole += std::string(line) + '\n';
        may_go_on = !is_directive;
        ++number;
    }
    return whole;
}

/// One source and the files beside it that it includes.
class Tree
{
  public:
    explicit Tree(std::filesystem::path output) : output_(std::move(output)) {}

    void add(const std::filesystem::path& input, const std::filesystem::path& output,
             const std::string& preamble)
    {
        read_.push_back(input);
        const std::string name = input.string();
        const auto include = [&](std::string_view quoted) {
            return copy_of(input.parent_path() / quoted);
        };
        const std::string source = read(input);
        const std::string text = rewrite(source, name, declarations_, include);
        std::ofstream stream(output, std::ios::binary);
        stream << preamble << "#line 1 " << in_quotes(name) << '\n' << text;
        if (!stream.flush())
            throw std::runtime_error("cannot write '" + output.string() + "'.");
    }

    [[nodiscard]] const std::vector<std::filesystem::path>& files_read() const { return read_; }

  private:
    /// The rewritten copy of a file beside the source, or nothing if there is no such file.
    std::optional<std::string> copy_of(const std::filesystem::path& included)
    {
        if (!std::filesystem::is_regular_file(included))
            return std::nullopt; // found by -I: not the reader's
        const auto [entry, is_new] =
            copies_.try_emplace(std::filesystem::canonical(included), std::filesystem::path());
        if (is_new) {
            const auto directory = std::filesystem::absolute(output_.string() + ".includes");
            std::filesystem::create_directories(directory);
            // The number keeps a/x.cuh and b/x.cuh apart.
            entry->second =
                directory / (std::to_string(copies_.size()) + "_" + included.filename().string());
            const std::filesystem::path copy = entry->second;
            add(included, copy, "");
            return copy.string();
        }
        return entry->second.string();
    }

    std::filesystem::path output_;
    Declarations declarations_;
    std::map<std::filesystem::path, std::filesystem::path> copies_;
    std::vector<std::filesystem::path> read_;
};

} // namespace

std::vector<std::filesystem::path> rewrite_file(const std::filesystem::path& input,
                                                const std::filesystem::path& output)
{
    Tree tree(output);
    // nvcc includes cuda_runtime.h in front of every source.
    tree.add(input, output,
             "#include <cuda_runtime.h>\n#include <cpu_device/detail/kernel_call.hpp>\n");
    return tree.files_read();
}

void rewrite_preprocessed(const std::filesystem::path& input, const std::filesystem::path& output)
{
    std::string text = with_whole_lines(read(input));
    // Where the compiler put a precompiled header: it is named again when the text is compiled.
    if (const std::size_t mark = text.find("#pragma GCC pch_preprocess"); mark != text.npos)
        text.erase(mark, text.find('\n', mark) - mark);
    Declarations declarations;
    std::ofstream stream(output, std::ios::binary);
    const IncludeHandler no_include = [](std::string_view) { return std::nullopt; };
    stream << rewrite(text, input.string(), declarations, no_include);
    if (!stream.flush())
        throw std::runtime_error("cannot write '" + output.string() + "'.");
}

} // namespace launch_rewriter
