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
};

/// Machine code that is entered at its first instruction only, and left behind its last.
struct BasicBlock
{
    int instructions = 0;
    int multiplications = 0;            ///< of these, of integers: half as many a cycle,
    int special = 0;                    ///< of the special function units, conversions included,
    int doubles = 0;                    ///< and of double precision
    bool calls = false;                 ///< ends in a call: of a division's slow path, as a rule
    std::string line = {};              ///< of the source that it begins with
    std::vector<std::size_t> next = {}; ///< blocks that may follow
    std::vector<MemoryInstruction> memory = {};
};

/// A kernel as nvcc compiled it.
struct MachineCode
{
    std::string kernel;                  ///< with its parameters: "void scale<int>(int*)"
    int registers = 0;                   ///< of a thread
    std::vector<BasicBlock> blocks = {}; ///< the first is its entry; none without nvdisasm
};

/// The basic blocks of each kernel in what `nvdisasm -c -gi` says of a cubin. `kernel` is the name
/// that its symbol has there.
[[nodiscard]] std::vector<MachineCode> disassembled(std::string_view text);

/// As they are kept beside the program. A line for each kernel, "24 void scale<int>(int*)", and
/// below it one for each block, with its counts, line, the blocks that may follow and its
/// accesses: " 17 2 0 0 0 mine.cu:12 > 1 3 : 0 mine.cu:13".
[[nodiscard]] std::string to_text(const std::vector<MachineCode>& kernels);
[[nodiscard]] std::vector<MachineCode> from_text(const std::string& text);

} // namespace own_program
