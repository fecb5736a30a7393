#include "rewriter/files.hpp"

#include "rewriter/rewriter.hpp"

#include <fstream>
#include <iterator>
#include <map>

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

std::string in_quotes(const std::string& text)
{
    std::string quoted = "\"";
    for (const char c : text)
        quoted += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    return quoted + '"';
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

} // namespace launch_rewriter
