/// \file
/// launch_rewriter INPUT OUTPUT      makes C++ of what a preprocessor made of a .cu file
///
/// Ends with 1 and one sentence on standard error when the source holds something that the CPU
/// device cannot run.
#include "rewriter/rewriter.hpp"
#include "rewriter/source.hpp"

#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>

namespace {

std::string read(const std::string& file)
{
    std::ifstream stream(file, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (!stream)
        throw std::runtime_error("cannot read '" + file + "'.");
    // Where the compiler put a precompiled header: it is named again when the text is compiled.
    if (const std::size_t mark = text.find("#pragma GCC pch_preprocess"); mark != text.npos)
        text.erase(mark, text.find('\n', mark) - mark);
    return text;
}

void write(const std::string& file, const std::string& text)
{
    std::ofstream stream(file, std::ios::binary);
    stream << text;
    if (!stream.flush())
        throw std::runtime_error("cannot write '" + file + "': " + std::strerror(errno));
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 3) {
        std::cerr << "usage: launch_rewriter INPUT OUTPUT\n";
        return 2;
    }
    try {
        write(argv[2], launch_rewriter::rewrite(read(argv[1]), argv[1], true));
        return 0;
    } catch (const launch_rewriter::Unsupported& error) {
        std::cerr << error.what() << "\n";
    } catch (const std::exception& error) {
        std::cerr << "launch_rewriter: " << error.what() << "\n";
    }
    return 1;
}
