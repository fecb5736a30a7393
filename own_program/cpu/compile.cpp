// For the CPU device. A .cu file is preprocessed, so that every header and every macro is seen as
// the compiler sees it, then rewritten and compiled.
#include "own_program/compile.hpp"

#include "own_program/messages.hpp"
#include "own_program/process.hpp"
#include "own_program/ptx.hpp"
#include "rewriter/files.hpp"
#include "rewriter/source.hpp"
#include "toolchain.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

namespace own_program {
namespace {

namespace fs = std::filesystem;

Command operator+(Command one, const Command& other)
{
    one.insert(one.end(), other.begin(), other.end());
    return one;
}

bool holds(std::string_view text, std::string_view part)
{
    return text.find(part) != text.npos;
}

void say(const std::string& text)
{
    std::fputs(text.c_str(), stderr);
}

/// The reader's files that went into a preprocessed text.
std::set<std::string> files_of(const fs::path& preprocessed)
{
    std::set<std::string> files;
    std::ifstream text(preprocessed);
    for (std::string line; std::getline(text, line);)
        if (auto mark = launch_rewriter::line_mark(line);
            mark && !mark->of_system && mark->file[0] != '<')
            files.insert(mark->file);
    return files;
}

class Compilation
{
  public:
    Compilation(const Request& request, const fs::path& program, const fs::path& scratch)
        : request_(request), program_(program), scratch_(scratch),
          several_(request.files.size() > 1)
    {
        for (const std::string& option : request.options)
            (option[1] == 'l' || option[1] == 'L' ? libraries_ : options_).push_back(option);
        standard_ = request.standard_20 ? "-std=gnu++20" : "-std=gnu++17";
        if (request.openmp)
            openmp_ = {"-fopenmp"};
        for (std::size_t i = 0; i < request.files.size(); ++i)
            messages_.push_back(file_in_memory());
    }

    void run_all()
    {
        std::vector<std::function<bool()>> tasks;
        const bool registers =
            request_.registers && run({"nvcc", "--version"}, messages_.front()) == 0;
        for (std::size_t i = 0; i < request_.files.size(); ++i) {
            tasks.emplace_back([this, i] { return compile_file(i); });
            if (registers && is_cuda(request_.files[i]))
                tasks.emplace_back([this, i] {
                    try {
                        read_registers(i);
                    } catch (const std::exception& error) { // the program runs without them, too
                        say("run: " + std::string(error.what()) + '\n');
                    }
                    return true;
                });
        }
        const bool fine = run_at_once(tasks);
        std::string said;
        for (std::size_t i = 0; i < request_.files.size(); ++i) { // in order, whoever was first
            const bool compiled = fs::exists(named(i, "o"));
            const std::string text = read_file(messages_[i]);
            said += compiled ? text
                             : explain(text, toolchain::own_folders, fs::exists(named(i, "cubin")));
            if (compiled && registers)
                said += refusal(request_.files[i], read_file(named(i, "nvcc")));
        }
        if (!fine)
            refuse(said);
        say(said);
        link();
        for (const char* const what : {"registers", "combined"}) {
            const fs::path list = program_.string() + "." + what;
            fs::remove(list);
            if (!registers)
                continue;
            std::string text;
            for (std::size_t i = 0; i < request_.files.size(); ++i)
                text += read_file(named(i, what));
            write(scratch_ / what, text);
            fs::rename(scratch_ / what, list);
        }
        fs::rename(scratch_ / "program", program_);
    }

  private:
    [[noreturn]] void refuse(const std::string& said) const
    {
        say(said.empty() ? "The compiler ended without a word.\n" : said);
        throw why_none(said, program_);
    }

    static bool is_cuda(const std::string& file) { return fs::path(file).extension() == ".cu"; }

    [[nodiscard]] fs::path named(std::size_t file, const char* what) const
    {
        return scratch_ / (std::to_string(file) + "." + what);
    }

    static void write(const fs::path& file, const std::string& text)
    {
        std::ofstream stream(file, std::ios::binary);
        if (!(stream << text).flush())
            throw std::system_error(errno, std::generic_category(),
                                    "cannot write '" + file.string() + "'");
    }

    /// Leaves an object file, and in the messages what the reader is to be told.
    bool compile_file(std::size_t i) const
    {
        const std::string& file = request_.files[i];
        bool fine = false;
        try {
            if (is_cuda(file)) {
                fine = compile_cuda(i);
            } else {
                const bool is_c = fs::path(file).extension() == ".c";
                const Command language = is_c ? Command{"-x", "c"} : Command{standard_};
                fine = run(Command{toolchain::cxx} + language + Command{"-O2", "-g"} +
                               toolchain::missing_return + toolchain::headers + options_ +
                               Command{"-c", file, "-o", named(i, "o")},
                           messages_[i]) == 0;
            }
        } catch (const launch_rewriter::Unsupported& error) {
            write(messages_[i], std::string(error.what()) + '\n');
        } catch (const std::exception& error) {
            write(messages_[i], "run: " + std::string(error.what()) + '\n');
        }
        return fine;
    }

    bool compile_cuda(std::size_t i) const
    {
        const std::string& file = request_.files[i];
        const fs::path preprocessed = named(i, "ii");
        const Command flags = Command{standard_} + toolchain::kernel_flags;
        if (run(Command{toolchain::cxx, "-x", "c++", "-E", "-fpch-preprocess"} + flags +
                    Command{"-include", toolchain::own_header, "-include",
                            toolchain::kept_qualifiers} +
                    toolchain::headers + options_ + Command{file, "-o", preprocessed},
                messages_[i]) != 0)
            return false;
        for (const std::string& read : files_of(preprocessed))
            require_no_output(request_, read);
        // The precompiled header is not among the preprocessed text; without it, all of it but
        // macros is.
        const bool precompiled = holds(read_file(preprocessed), "#pragma GCC pch_preprocess");
        // Named as the source, which is what tools that know the file by its object's name then
        // say.
        fs::create_directory(named(i, "rewritten"));
        const fs::path rewritten = named(i, "rewritten") / fs::path(file).filename();
        const Command compile =
            Command{toolchain::cxx, "-include",
                    precompiled ? toolchain::own_header : toolchain::qualifiers} +
            toolchain::headers + openmp_ + Command{"-x", "c++", rewritten} + flags +
            Command{"-c", "-o", named(i, "o")};
        launch_rewriter::rewrite_preprocessed(preprocessed, rewritten);
        return run(compile, messages_[i]) == 0;
    }

    /// Leaves the registers of each kernel by nvcc, a line each: "24 void scale<int>(int*)", and
    /// the lines of combined_atomics(); nothing if it does not compile them.
    void read_registers(std::size_t i) const
    {
        const fs::path said = named(i, "nvcc"), cubin = named(i, "cubin"), kept = named(i, "kept");
        fs::create_directory(kept);
        Command command = {"nvcc",
                           "-arch=sm_90",
                           "-cubin",
                           "-lineinfo",
                           "-Xptxas",
                           "-v",
                           "-w",
                           "-extended-lambda", // as the CPU device has it
                           "-expt-relaxed-constexpr",
                           "-keep",
                           "-keep-dir",
                           kept,
                           request_.standard_20 ? "-std=c++20" : "-std=c++17"};
        if (request_.openmp)
            command.push_back("-Xcompiler=-fopenmp");
        if (several_)
            command.push_back("-rdc=true");
        std::string kernel, registers;
        if (run(command + options_ + Command{request_.files[i], "-o", cubin}, said) != 0)
            return write(named(i, "registers"), registers);
        std::ifstream lines(said);
        for (std::string line; std::getline(lines, line);) {
            constexpr std::string_view entry = "Compiling entry function '", used = ": Used ";
            if (!line.starts_with("ptxas info"))
                continue;
            if (const std::size_t at = line.find(entry); at != line.npos) {
                kernel = line.substr(at + entry.size());
                kernel.erase(std::min(kernel.find('\''), kernel.size()));
            } else if (const std::size_t behind = line.find(used); behind != line.npos) {
                const int number = std::atoi(line.c_str() + behind + used.size());
                registers += std::to_string(number) + " " + demangled(kernel) + "\n";
            }
        }
        write(named(i, "registers"), registers);
        std::string combined;
        for (const std::string& line :
             combined_atomics(read_file(kept / fs::path(request_.files[i]).stem().concat(".ptx"))))
            combined += line + "\n";
        write(named(i, "combined"), combined);
    }

    static std::string demangled(const std::string& symbol)
    {
        int status = 0;
        const std::unique_ptr<char, void (*)(void*)> name(
            abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
        return name ? name.get() : symbol;
    }

    void link() const
    {
        // Of CUDA's libraries the CPU device has the runtime, and names the first call of another
        // that would compute.
        static const std::set<std::string, std::less<>> of_cuda = {
            "cuda",   "cudart",   "cudart_static", "cudadevrt", "cublas",     "cublasLt", "cufft",
            "curand", "cusolver", "cusparse",      "nvrtc",     "nvToolsExt", "nvidia-ml"};
        Command command = {toolchain::cxx};
        for (std::size_t i = 0; i < request_.files.size(); ++i)
            command.push_back(named(i, "o"));
        command = command + openmp_ +
                  (request_.archive.empty() ? toolchain::report
                                            : Command{"-Wl,--whole-archive", request_.archive,
                                                      "-Wl,--no-whole-archive"});
        for (const std::string& library : libraries_)
            if (library[1] == 'L' ||
                (of_cuda.count(library.substr(2)) == 0 && !library.starts_with("-lnpp")))
                command.push_back(library);
        // Without -fsanitize=thread: the CPU device answers the calls which that flag made.
        command = command + Command{"-Wl,--start-group"} +
                  (request_.archive.empty() ? Command{} : toolchain::libraries_of_goals) +
                  toolchain::libraries + Command{"-Wl,--end-group", "-o", scratch_ / "program"};
        if (run(command, messages_.front()) == 0)
            return;
        const std::string messages = read_file(messages_.front());
        // ./run exercise has sentences of its own for what the linker says.
        refuse(request_.archive.empty() ? explain(messages, toolchain::own_folders) : messages);
    }

    const Request& request_;
    const fs::path& program_;
    const fs::path& scratch_;
    bool several_; ///< files: functions of one may call those of another
    Command options_, libraries_, openmp_;
    std::string standard_;
    std::vector<fs::path> messages_; ///< of each file
};

} // namespace

void compile(const Request& request, const fs::path& program, const fs::path& scratch)
{
    setenv("LC_ALL", "C", 1); // messages are told apart by their English words
    Compilation(request, program, scratch).run_all();
}

} // namespace own_program
