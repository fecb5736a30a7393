/// \file
/// The machine code of kernels: its basic blocks, as nvdisasm shows them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace own_program {

/// In the order of cpu_device::Step; atomics of shared memory are stores to it.
enum class AccessKind
{
    load,
    store,
    atomic,
    shared_load,
    shared_store,
    local ///< of a thread's own memory
};

/// An instruction that loads or stores.
struct MemoryInstruction
{
    AccessKind kind = AccessKind::load;
    std::string line = {};    ///< of the source: "mine.cu:12"
    bool conditional = false; ///< executed under a predicate
    unsigned lane_bytes = 4;  ///< that a lane moves
    bool combined = false;    ///< an atomic that one lane executes for all of its warp
    bool takes_turns = false; ///< one of shared memory that does not count lanes alone
};

/// What a warp waits for if it needs a result: a number of cycles that is not the same each time.
enum class Source
{
    fixed,    ///< nothing: its stall is long enough
    global,   ///< memory behind L1, or L1
    shared,   ///< memory of the block, the constant cache and another thread's registers
    special,  ///< a unit that takes an instruction in several cycles
    operands, ///< that were read, so that what comes next may write them
    copies    ///< to shared memory, asynchronous ones that this instruction makes a group of
};

/// When the instructions behind this one may be issued, which ptxas has written beside it.
struct Issue
{
    unsigned stall = 1;              ///< cycles until the next one
    unsigned waits = 0;              ///< scoreboards that must be clear before it: a bit for each
    int result = none;               ///< scoreboard that its result clears,
    int operands = none;             ///< and the one that is clear once it has read its operands
    Source source = Source::fixed;   ///< of its result
    int pending = all;               ///< groups of copies that need not have come
    static constexpr int boards = 6; ///< that a warp has
    static constexpr int none = 7;   ///< of them
    static constexpr int all = -1;   ///< groups: it asks for none
};

/// Machine code that is entered at its first instruction only, and left behind its last.
struct BasicBlock
{
    int instructions = 0;
    int multiplications = 0;            ///< of these, of integers: half as many a cycle,
    int special = 0;                    ///< of the special function units, conversions included,
    int doubles = 0;                    ///< and of double precision,
    int logic = 0;                      ///< of integers and comparisons, half as many a cycle too,
    int shuffles = 0;                   ///< and of those that go through the load-store unit;
    int constants = 0;                  ///< loads of constant memory that no operand stands for,
    int answers = 0;                    ///< and atomics whose answer somebody wants
    bool calls = false;                 ///< ends in a call: of a division's slow path, as a rule,
    bool jumps = false;                 ///< or goes on where it has computed
    std::string line = {};              ///< of the source that it begins with, or calls at
    std::vector<std::size_t> next = {}; ///< blocks that may follow
    std::vector<MemoryInstruction> memory = {};
    std::vector<Issue> issues = {}; ///< one for each instruction
};

/// A kernel as nvcc compiled it.
struct MachineCode
{
    std::string kernel;                  ///< with its parameters: "void scale<int>(int*)"
    int registers = 0;                   ///< of a thread
    std::vector<BasicBlock> blocks = {}; ///< the first is its entry; none without nvdisasm
};

/// The basic blocks of each kernel in what `nvdisasm -c -gi -hex` says of a cubin. `kernel` is the
/// name that its symbol has there.
[[nodiscard]] std::vector<MachineCode> disassembled(std::string_view text);

/// As they are kept beside the program. A line for each kernel, "24 void scale<int>(int*)", and
/// below it one for each block, with its counts, line, the blocks that may follow, when its
/// instructions are issued, and its accesses.
[[nodiscard]] std::string to_text(const std::vector<MachineCode>& kernels);
[[nodiscard]] std::vector<MachineCode> from_text(const std::string& text);

} // namespace own_program
