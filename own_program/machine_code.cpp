#include "own_program/machine_code.hpp"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <iomanip>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

namespace own_program {
namespace {

/// What each lane moves, by the name of an instruction with its modifiers: "LDG.E.128".
unsigned lane_bytes(std::string_view name)
{
    static constexpr std::pair<std::string_view, unsigned> widths[] = {
        {".128", 16}, {".64", 8}, {".U16", 2}, {".S16", 2}, {".U8", 1}, {".S8", 1}};
    for (const auto& [modifier, bytes] : widths)
        if (name.find(modifier) != name.npos)
            return bytes;
    return 4;
}

Source source_of(std::string_view name)
{
    static const std::map<std::string_view, Source> sources = {
        {"LDG", Source::global},   {"LD", Source::global},    {"LDGDEPBAR", Source::copies},
        {"ATOM", Source::global},  {"ATOMG", Source::global}, {"LDL", Source::global},
        {"MUFU", Source::special}, {"I2F", Source::special},  {"F2I", Source::special},
        {"F2F", Source::special},  {"FRND", Source::special}, {"POPC", Source::special},
        {"FLO", Source::special},  {"BREV", Source::special}, {"DADD", Source::special},
        {"DMUL", Source::special}, {"DFMA", Source::special}, {"DSETP", Source::special}};
    const auto known = sources.find(name);
    return known == sources.end() ? Source::shared : known->second;
}

/// Reads one kernel after the other; blocks are named by labels until all of a kernel are known.
class Disassembly
{
  public:
    std::vector<MachineCode> kernels;

    void read(std::string_view line)
    {
        constexpr std::string_view section = ".text.", file = "//## File \"", local = "$";
        if (line.starts_with(section) && line.ends_with(":"))
            begin_kernel(line.substr(section.size(), line.size() - section.size() - 1));
        else if (line.starts_with(local))
            end_kernel(); // subroutines follow: slow paths
        else if (const auto at = line.find(file); at != line.npos)
            read_line(line.substr(at + file.size()));
        else if (inside_ && line.starts_with(".L"))
            begin_block(line.substr(0, line.find(':')));
        else if (const auto end = line.find("*/"); inside_ && end != line.npos)
            line.find(';') != line.npos ? read_instruction(line.substr(end + 2))
                                        : read_control(line);
    }

    void end_kernel()
    {
        if (!inside_)
            return;
        inside_ = false;
        std::vector<BasicBlock>& blocks = kernels.back().blocks;
        for (const auto& [from, label] : branches_)
            if (const auto to = labels_.find(label);
                to != labels_.end() && to->second < blocks.size())
                blocks[from].next.push_back(to->second);
        for (const std::size_t last : exits_)
            blocks[last].next.push_back(blocks.size());
        labels_.clear();
        branches_.clear();
        reconvergence_.clear();
        exits_.clear();
    }

  private:
    void begin_kernel(std::string_view name)
    {
        end_kernel();
        kernels.push_back({.kernel = std::string(name)});
        inside_ = true;
        open_ = false;
    }

    /// The innermost of the reader's own lines: those of the toolkit's headers come before it.
    void read_line(std::string_view text)
    {
        const std::string_view path = text.substr(0, text.find('"'));
        const auto number = text.find("line ");
        if (number == text.npos)
            return;
        const bool of_toolkit = path.find("/targets/") != path.npos || path.starts_with("/usr/");
        if (!lines_follow_ || of_toolkit_) {
            const std::string_view digits = text.substr(number + 5);
            line_ = std::string(path.substr(path.rfind('/') + 1)) + ":" +
                    std::string(digits.substr(0, digits.find_first_not_of("0123456789")));
            of_toolkit_ = of_toolkit;
        }
        lines_follow_ = true;
    }

    BasicBlock& block()
    {
        if (!open_) {
            kernels.back().blocks.push_back({.line = line_});
            open_ = true;
        }
        return kernels.back().blocks.back();
    }

    [[nodiscard]] std::size_t here() const { return kernels.back().blocks.size() - 1; }

    void begin_block(std::string_view label)
    {
        if (open_)
            block().next.push_back(here() + 1);
        open_ = false;
        labels_[std::string(label)] = kernels.back().blocks.size();
    }

    void end_block(bool falls_through)
    {
        if (falls_through)
            block().next.push_back(here() + 1);
        open_ = false;
    }

    void branch_to(const std::string& label) { branches_.emplace_back(here(), label); }

    void read_instruction(std::string_view text)
    {
        lines_follow_ = false;
        executed_.reset();
        std::istringstream words{std::string(text)};
        std::string word;
        words >> word;
        const bool conditional = word.starts_with("@");
        if (conditional)
            words >> word;
        const std::string name = word.substr(0, word.find_first_of(".;"));
        if (name == "NOP") // behind the end
            return;
        const auto has = [&word](std::string_view part) { return word.find(part) != word.npos; };
        const auto is = [&name](std::initializer_list<std::string_view> names) {
            return std::find(names.begin(), names.end(), name) != names.end();
        };
        BasicBlock& now = block();
        ++now.instructions;
        executed_ = {here(), {.source = source_of(name)}};
        if (const auto board = text.find("SB0, "); name == "DEPBAR" && board != text.npos)
            executed_->second.pending = std::stoi(std::string(text.substr(board + 5)), nullptr, 0);
        now.logic +=
            is({"IADD3",  "LOP3",      "PLOP3", "SHF",  "LEA",   "ISETP", "FSETP",  "HSETP2",
                "SEL",    "FSEL",      "PRMT",  "MNMX", "FMNMX", "IMNMX", "VIMNMX", "VIMNMX3",
                "HMNMX2", "VIADDMNMX", "IABS",  "SGXT", "BMSK",  "FCHK",  "CS2R"});
        now.shuffles += name == "SHFL";
        now.constants += name == "LDC" && text.find("c[0x3][R") != text.npos;
        now.answers += is({"ATOM", "ATOMG"});
        // Where all lanes add to one place, one does for all: it has asked who the others are.
        if ((name == "VOTE" || name == "VOTEU") && has(".ANY") &&
            text.find(", PT, PT") + text.find(", UPT, PT") != 2 * text.npos)
            voted_at_ = line_;
        if (name == "IMAD" && !has(".MOV") && !has(".IADD") && !has(".SHL"))
            now.multiplications += has(".WIDE") || has(".HI") ? 2 : 1;
        now.special += is({"MUFU", "I2F", "F2I", "F2F", "POPC", "FLO", "BREV", "FRND"});
        now.doubles += is({"DADD", "DMUL", "DFMA", "DSETP", "DMNMX"});
        static const std::map<std::string, AccessKind, std::less<>> kinds = {
            {"LDG", AccessKind::load},           {"LD", AccessKind::load},
            {"LDGSTS", AccessKind::load},        {"STG", AccessKind::store},
            {"ST", AccessKind::store},           {"RED", AccessKind::atomic},
            {"REDG", AccessKind::atomic},        {"ATOM", AccessKind::atomic},
            {"ATOMG", AccessKind::atomic},       {"LDS", AccessKind::shared_load},
            {"LDSM", AccessKind::shared_load},   {"STS", AccessKind::shared_store},
            {"ATOMS", AccessKind::shared_store}, {"LDL", AccessKind::local},
            {"STL", AccessKind::local}};
        if (const auto kind = kinds.find(name); kind != kinds.end())
            now.memory.push_back(
                {.kind = kind->second,
                 .line = line_,
                 .conditional = conditional,
                 .lane_bytes = lane_bytes(word),
                 .combined = kind->second == AccessKind::atomic && voted_at_ == line_,
                 .takes_turns = name == "ATOMS" && !has(".POPC")});
        const auto quoted = text.find("`(");
        const std::string label =
            quoted == text.npos ? ""
                                : std::string(text.substr(quoted + 2, text.find(')') - quoted - 2));
        if (name == "BSSY") {
            words >> word;
            reconvergence_[word.substr(0, word.find(','))] = label;
        } else if (name == "BSYNC") {
            words >> word;
            branch_to(reconvergence_[word]);
            end_block(conditional);
        } else if (name == "BRA" &&
                   !has(".DIV")) { // which is taken where a shuffle's warp is not whole
            branch_to(label);
            end_block(conditional);
        } else if (is({"EXIT", "RET", "BRX", "JMX", "JMP"})) {
            now.jumps = !is({"EXIT", "RET"});
            exits_.push_back(here());
            end_block(conditional);
        } else if (name == "CALL") {
            now.calls = true;
            now.line = line_;
            end_block(true);
        }
    }

    /// The second half of an instruction's code, on a line of its own: its highest bits say when
    /// the next one may be issued.
    void read_control(std::string_view line)
    {
        const auto digits = line.find("0x");
        if (digits == line.npos || !executed_)
            return;
        auto [block, issue] = *std::exchange(executed_, {});
        const std::string hexadecimal(line.substr(digits));
        const unsigned long long code = std::strtoull(hexadecimal.c_str(), nullptr, 16) >> 41;
        issue.stall = std::max(1U, static_cast<unsigned>(code & 15));
        issue.waits = static_cast<unsigned>(code >> 11 & 63);
        issue.result = static_cast<int>(code >> 5 & 7);
        issue.operands = static_cast<int>(code >> 8 & 7);
        kernels.back().blocks[block].issues.push_back(issue);
    }

    bool inside_ = false; ///< a kernel
    bool open_ = false;   ///< the last block goes on
    bool lines_follow_ = false, of_toolkit_ = false;
    std::string line_;
    std::string voted_at_; ///< the line at which a warp last asked which of its lanes are there
    /// The block of the last instruction, and what is known of it until its code is read.
    std::optional<std::pair<std::size_t, Issue>> executed_;
    std::map<std::string, std::size_t> labels_;
    std::map<std::string, std::string> reconvergence_; ///< where BSYNC goes, by its barrier
    std::vector<std::pair<std::size_t, std::string>> branches_;
    std::vector<std::size_t> exits_;
};

} // namespace

std::vector<MachineCode> disassembled(std::string_view text)
{
    Disassembly disassembly;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        disassembly.read(text.substr(begin, end - begin));
        begin = end + 1;
    }
    disassembly.end_kernel();
    return std::move(disassembly.kernels);
}

std::string to_text(const std::vector<MachineCode>& kernels)
{
    std::ostringstream text;
    for (const MachineCode& kernel : kernels) {
        text << kernel.registers << ' ' << kernel.kernel << '\n';
        for (const BasicBlock& block : kernel.blocks) {
            text << ' ' << block.instructions << ' ' << block.multiplications << ' '
                 << block.special << ' ' << block.doubles << ' ' << block.logic << ' '
                 << block.shuffles << ' ' << block.constants << ' ' << block.answers << ' '
                 << block.calls << ' ' << block.jumps << ' ' << std::quoted(block.line) << " >";
            for (const std::size_t next : block.next)
                text << ' ' << next;
            text << " ; " << block.issues.size();
            for (const Issue& issue : block.issues)
                text << ' ' << issue.stall << ' ' << issue.waits << ' ' << issue.result << ' '
                     << issue.operands << ' ' << static_cast<int>(issue.source) << ' '
                     << issue.pending;
            for (const MemoryInstruction& access : block.memory)
                text << ' ' << static_cast<int>(access.kind) << ' ' << access.conditional << ' '
                     << access.lane_bytes << ' ' << access.combined << ' ' << access.takes_turns
                     << ' ' << std::quoted(access.line);
            text << '\n';
        }
    }
    return text.str();
}

std::vector<MachineCode> from_text(const std::string& text)
{
    std::vector<MachineCode> kernels;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        if (!line.starts_with(' ')) {
            MachineCode kernel;
            if (words >> kernel.registers >> std::ws && std::getline(words, kernel.kernel))
                kernels.push_back(std::move(kernel));
            continue;
        }
        BasicBlock block;
        std::string mark;
        words >> block.instructions >> block.multiplications >> block.special >> block.doubles >>
            block.logic >> block.shuffles >> block.constants >> block.answers >> block.calls >>
            block.jumps >> std::quoted(block.line) >> mark;
        for (std::string next; words >> next && next != ";";)
            block.next.push_back(std::stoul(next));
        std::size_t issues = 0;
        words >> issues;
        Issue issue;
        for (int source = 0; block.issues.size() < issues && words >> issue.stall >> issue.waits >>
                                                                 issue.result >> issue.operands >>
                                                                 source >> issue.pending;) {
            issue.source = static_cast<Source>(source);
            block.issues.push_back(issue);
        }
        MemoryInstruction access;
        for (int kind = 0; words >> kind >> access.conditional >> access.lane_bytes >>
                           access.combined >> access.takes_turns >> std::quoted(access.line);) {
            access.kind = static_cast<AccessKind>(kind);
            block.memory.push_back(access);
        }
        if (!kernels.empty())
            kernels.back().blocks.push_back(std::move(block));
    }
    return kernels;
}

} // namespace own_program
