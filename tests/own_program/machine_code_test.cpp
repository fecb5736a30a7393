// What nvcc made of kernels, and how often their warps run it. kernels.sass is of these, whose
// lines are numbered:
//
//    1 __global__ void plus_one(float* a, unsigned n)
//      {
//      #pragma unroll 1
//          for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
//    6         a[i] += 1;
//      }
//    9 __global__ void sum_rows(const float* a, float* c, int columns)
//      {
//          const float* row = a + static_cast<size_t>(threadIdx.x) * columns;
//          float sum = 0;
//          for (int i = 0; i < columns; ++i)
//   14         sum += row[i];
//   15     c[threadIdx.x] = sum;
//      }
//   18 __global__ void divide(const float* a, const float* b, double* c)
//      {
//   20     c[threadIdx.x] = sqrt(static_cast<double>(a[threadIdx.x] / b[threadIdx.x]));
//      }
//   23 __global__ void collatz(unsigned* c)
//      {
//          unsigned x = threadIdx.x + 1, steps = 0;
//          for (; x != 1; ++steps)
//   27         x = x % 2 ? 3 * x + 1 : x / 2;
//   28     c[threadIdx.x] = steps;
//      }
//   31 __global__ void count_even(const unsigned* a, unsigned* c)
//      {
//   33     if (a[threadIdx.x] % 2 == 0)
//   34         atomicAdd(c, 1U);
//      }
//   37 __global__ void follow(const unsigned* a, unsigned* c, unsigned rounds)
//      {
//          unsigned at = threadIdx.x;
//      #pragma unroll 1
//          for (unsigned i = 0; i < rounds; ++i)
//   42         at = a[at];
//   43     c[threadIdx.x] = at;
//      }
//   46 __global__ void copy_ahead(const float* a, float* c, unsigned rounds)
//      {
//          __shared__ float tile[2][32];
//   49     __pipeline_memcpy_async(&tile[0][threadIdx.x], &a[threadIdx.x], 4);
//          __pipeline_commit();
//      #pragma unroll 1
//          for (unsigned i = 0; i < rounds; ++i) {
//   53         __pipeline_memcpy_async(..., 4); // into the other half, from the next piece of a
//              __pipeline_commit();
//              __pipeline_wait_prior(1);
//   56         c[32 * i + threadIdx.x] = tile[i % 2][threadIdx.x];
//          }
//      }
#include "own_program/executions.hpp"
#include "own_program/machine_code.hpp"
#include "own_program/schedule.hpp"
#include "tests/catch.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace own_program;

namespace {

const std::vector<MachineCode>& kernels()
{
    static const std::vector<MachineCode> all = [] {
        std::ifstream file(DISASSEMBLY);
        return disassembled(std::string(std::istreambuf_iterator<char>(file), {}));
    }();
    return all;
}

MachineCode kernel(const std::string& name)
{
    const auto found = std::ranges::find_if(kernels(), [&](const MachineCode& code) {
        return code.kernel.find(name) != std::string::npos;
    });
    REQUIRE(found != kernels().end());
    return *found;
}

LineRequests loads(int line, double requests)
{
    return {AccessKind::load, "kernels.cu:" + std::to_string(line), requests};
}

LineRequests stores(int line, double requests)
{
    return {AccessKind::store, "kernels.cu:" + std::to_string(line), requests};
}

} // namespace

TEST_CASE("a kernel is read as blocks, with their accesses and what may follow them")
{
    REQUIRE(kernels().size() == 7);
    const MachineCode code = kernel("plus_one");
    REQUIRE(code.blocks.size() >= 4);
    CHECK(code.blocks[0].instructions == 5); // up to the exit of threads that have nothing to do
    CHECK(code.blocks[1].next == std::vector<std::size_t>{2});
    const BasicBlock& loop = code.blocks[2];
    CHECK(loop.instructions == 7);
    CHECK(loop.next == std::vector<std::size_t>{3, 2});
    CHECK(loop.multiplications == 2); // IMAD.WIDE, whose result has 64 bits
    REQUIRE(loop.memory.size() == 2);
    CHECK(loop.memory[0].kind == AccessKind::load);
    CHECK(loop.memory[1].kind == AccessKind::store);
    CHECK(loop.memory[1].line == "kernels.cu:6");
}

TEST_CASE("what executes instructions is told apart")
{
    const MachineCode code = kernel("follow");
    const BasicBlock& loop = code.blocks[2];
    CHECK(loop.instructions == 5);
    CHECK(loop.multiplications == 2); // one, of twice the width
    CHECK(loop.logic == 2);           // an addition and a comparison
    CHECK(loop.shuffles == 0);
    REQUIRE(loop.issues.size() == 5);
}

TEST_CASE("what goes to other units than its name says is told apart, too")
{
    const auto code = [](const std::string& instruction) {
        return disassembled(".text._Z1kv:\n        /*0000*/ " + instruction +
                            " ;  /* 0x0 */\n        /* 0x000fe20000000000 */\n")
            .at(0)
            .blocks.at(0);
    };
    CHECK(code("IADD3 R1, R1, R2, RZ").logic == 1);
    CHECK(code("VIADD R1, R1, 0x1").logic == 0); // the multiplier adds
    CHECK(code("CS2R R2, SRZ").logic == 1);
    CHECK(code("VIMNMX3 R2, R2, R3, R4, PT").logic == 1);
    CHECK(code("LDC R4, c[0x3][R5+0x40]").constants == 1);
    CHECK(code("LDC R4, c[0x3][0x40]").constants == 0);
    CHECK(code("FFMA R4, R4, c[0x3][0x40], R5").constants == 0);
    CHECK(code("LDC R4, c[0x0][R5]").constants == 0); // a parameter
    CHECK(code("ATOMG.E.ADD.STRONG.GPU PT, R4, desc[UR4][R2.64], R5").answers == 1);
    CHECK(code("REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R5").answers == 0);
    CHECK(code("ATOMS.ADD R4, [R2], R5").memory.at(0).takes_turns);
    CHECK_FALSE(code("ATOMS.POPC.INC.32 RZ, [R2+URZ]").memory.at(0).takes_turns);
}

TEST_CASE("an atomic that one lane executes for all is known by the question who they are")
{
    std::vector<MemoryInstruction> atomics;
    const MachineCode code = kernel("count_even");
    for (const BasicBlock& block : code.blocks)
        for (const MemoryInstruction& access : block.memory)
            if (access.kind == AccessKind::atomic)
                atomics.push_back(access);
    REQUIRE(atomics.size() == 1);
    CHECK(atomics[0].combined);
    CHECK(atomics[0].line == "kernels.cu:34");
}

TEST_CASE("a warp waits in each round for what the next one needs")
{
    const MachineCode code = kernel("follow");
    const auto with = [&](double rounds) {
        return executed(code, {loads(42, rounds), stores(43, 1)});
    };
    CHECK(with(10).waits == Approx(11).epsilon(0.01)); // the first round is taken for one of many
    CHECK(with(20).waits - with(10).waits == Approx(10).epsilon(0.01));
    // Beside the wait, as many cycles as the stalls of a round.
    unsigned stalls = 0;
    for (const Issue& issue : code.blocks[2].issues)
        stalls += issue.stall;
    CHECK(with(20).cycles - with(10).cycles == Approx(10 * stalls));
    CHECK(with(10).cycles > with(10).instructions);
}

TEST_CASE("loads that go out together are waited for once")
{
    const auto load = [](int board) {
        return Issue{.stall = 2, .result = board, .source = Source::global};
    };
    BasicBlock block{.instructions = 4, .issues = {load(0), load(1)}};
    block.issues.push_back({.stall = 4, .waits = 0b01});
    block.issues.push_back({.stall = 4, .waits = 0b10});
    CHECK(schedule({block}, {7}).waits == Approx(7).epsilon(0.01));
    std::swap(block.issues[1], block.issues[2]); // the second behind the use of the first
    CHECK(schedule({block}, {7}).waits == Approx(14).epsilon(0.01));
    CHECK(schedule({block}, {7}).cycles == 7 * 12);
    block.issues[0].source = Source::shared; // is waited for in cycles
    CHECK(schedule({block}, {7}).waits == Approx(7).epsilon(0.01));
    CHECK(schedule({block}, {7}).cycles > 7 * 12);
}

TEST_CASE("a wait for all copies but the last group takes half of a latency")
{
    const MachineCode code = kernel("copy_ahead");
    const auto with = [&](double rounds) {
        return executed(code, {loads(49, 1), loads(53, rounds), stores(56, rounds)});
    };
    CHECK(with(20).waits - with(10).waits == Approx(5).epsilon(0.01));
    CHECK(executed(from_text(to_text({code})).front(), {loads(49, 1), loads(53, 8), stores(56, 8)})
              .waits == with(8).waits);

    BasicBlock block{
        .instructions = 2,
        .issues = {{.stall = 2, .source = Source::copies}, {.stall = 2, .pending = 0}}};
    CHECK(schedule({block}, {6}).waits == Approx(6).epsilon(0.01));
    block.issues[1].pending = 2;
    CHECK(schedule({block}, {6}).waits == Approx(2).epsilon(0.01));
    // Where nothing was copied nothing is waited for, and the load behind it as long as ever.
    block.issues[0].source = Source::fixed;
    CHECK(schedule({block}, {6}).waits == 0);
    block.issues.push_back({.stall = 2, .result = 1, .source = Source::global});
    block.issues.push_back({.stall = 2, .waits = 0b10});
    CHECK(schedule({{.instructions = 4, .issues = block.issues}}, {6}).waits ==
          Approx(6).epsilon(0.01));
}

TEST_CASE("a load that only some runs have made is waited for in as many")
{
    BasicBlock asks{.instructions = 1, .issues = {{.result = 0, .source = Source::global}}};
    BasicBlock uses{.instructions = 1, .issues = {{.waits = 1}}};
    CHECK(schedule({asks, uses}, {1, 8}).waits == Approx(1).epsilon(0.01));
    CHECK(schedule({asks, uses}, {8, 8}).waits == Approx(8).epsilon(0.01));
    CHECK(schedule({asks, uses}, {0, 8}).waits == 0);
}

TEST_CASE("without what ptxas wrote beside the instructions nobody knows how long a warp takes")
{
    CHECK(executed(kernel("plus_one"), {loads(6, 5), stores(6, 5)}).cycles == 0);
    CHECK(schedule({}, {}).cycles == 0);
}

TEST_CASE("what is kept beside the program is what was read")
{
    const std::string text = to_text(kernels());
    CHECK(to_text(from_text(text)) == text);
    CHECK(from_text("24 void scale<int>(int*)\n").at(0).registers == 24);
    CHECK(from_text("24 void scale<int>(int*)\n").at(0).kernel == "void scale<int>(int*)");
    CHECK(from_text("no number\n").empty());
    const MachineCode blank{"k", 1, {{.line = "two words.cu:3"}}};
    CHECK(from_text(to_text({blank})).at(0).blocks.at(0).line == "two words.cu:3");
}

TEST_CASE("a loop runs as often as its accesses are made")
{
    const MachineCode code = kernel("plus_one");
    CHECK(executed(code, {loads(6, 5), stores(6, 5)}).instructions == Approx(5 + 3 + 5 * 7 + 1));
    CHECK(executed(code, {loads(6, 8), stores(6, 8)}).instructions == Approx(5 + 3 + 8 * 7 + 1));
    // nvcc merged two accesses that the CPU device counts apart.
    CHECK(executed(code, {loads(6, 5), loads(6, 5), stores(6, 5)}).instructions == Approx(44));
}

TEST_CASE("of an unrolled loop the largest copy runs as often as it can, and others do the rest")
{
    const MachineCode code = kernel("sum_rows");
    const auto of = [&](double columns) {
        return executed(code, {loads(14, columns), stores(15, 1)}).instructions;
    };
    // Sixteen columns, four, and three are one round of 38, one of 16, and three of 9 instructions.
    CHECK(of(23) == Approx(130));
    CHECK(of(39) - of(23) == Approx(38)); // one round more of the large copy
}

TEST_CASE("slow paths of divisions and roots do not run")
{
    const Executed all = executed(kernel("divide"), {loads(20, 1), loads(20, 1), stores(20, 1)});
    CHECK(all.instructions == Approx(42)); // 48 without the two calls
    CHECK(all.doubles == Approx(8));
    CHECK(all.special == Approx(3)); // a reciprocal, a conversion and a reciprocal root
    CHECK(all.uncounted_loop.empty());
}

TEST_CASE("how often a loop of arithmetic runs nobody has counted")
{
    CHECK(executed(kernel("collatz"), {stores(28, 1)}).uncounted_loop == "kernels.cu:27");
    CHECK(executed(kernel("plus_one"), {loads(6, 5), stores(6, 5)}).uncounted_loop.empty());
}

TEST_CASE("nothing is known of what was not disassembled, calls functions, or is another kernel")
{
    CHECK(executed({"k", 24, {}}, {loads(6, 5)}).instructions == 0);
    MachineCode calling = kernel("plus_one");
    calling.blocks[1].calls = true; // before the loop: always
    CHECK(executed(calling, {loads(6, 5), stores(6, 5)}).instructions == 0);
    CHECK(executed(calling, {loads(6, 5), stores(6, 5)}).uncounted_call == "kernels.cu:6");
    MachineCode jumping = kernel("plus_one");
    jumping.blocks[1].jumps = true;
    CHECK(executed(jumping, {loads(6, 5), stores(6, 5)}).instructions == 0);
    CHECK(executed(jumping, {loads(6, 5), stores(6, 5)}).uncounted_call.empty());
    std::vector<LineRequests> others;
    for (int line = 100; line < 200; ++line)
        others.push_back({AccessKind::load, "other.cu:" + std::to_string(line), 5});
    CHECK(executed(kernel("plus_one"), others).instructions == 0);
}

TEST_CASE("a statement of several lines is one place, though compilers name different ones")
{
    const MachineCode code = kernel("plus_one");
    CHECK(executed(code, {loads(5, 5), stores(7, 5)}).instructions == Approx(44));
}

TEST_CASE("what every warp comes by runs once, however few of its accesses were counted there")
{
    // if (condition) sum += a[i]: nvcc loads before it asks.
    const auto at = [](int line) { return "kernels.cu:" + std::to_string(line); };
    MachineCode code{"k", 24, std::vector<BasicBlock>(4)};
    code.blocks[0] = {.instructions = 10, .next = {1, 2}, .memory = {{AccessKind::load, at(3)}}};
    code.blocks[1] = {.instructions = 20, .next = {2}, .memory = {{AccessKind::load, at(4)}}};
    code.blocks[2] = {
        .instructions = 30, .next = {3}, .memory = {{AccessKind::shared_load, at(5)}}};
    code.blocks[3] = {.instructions = 40, .next = {4}, .memory = {{AccessKind::store, at(6)}}};
    const LineRequests shared = {AccessKind::shared_load, at(5), 0.125};
    CHECK(executed(code, {loads(3, 0.5), loads(4, 0.25), shared, stores(6, 1)}).instructions ==
          10 + 20 * 0.25 + 30 + 40);
}

TEST_CASE("of accesses of one line those in a loop are the ones that are made most often")
{
    const auto at = [](int line) { return "kernels.cu:" + std::to_string(line); };
    MachineCode code{"k", 24, std::vector<BasicBlock>(3)};
    code.blocks[0] = {.instructions = 10, .next = {1}, .memory = {{AccessKind::load, at(3)}}};
    code.blocks[1] = {.instructions = 100, .next = {1, 2}, .memory = {{AccessKind::load, at(3)}}};
    code.blocks[2] = {.instructions = 5, .next = {3}, .memory = {{AccessKind::store, at(4)}}};
    CHECK(executed(code, {loads(3, 10), loads(3, 1), stores(4, 1)}).instructions ==
          10 + 10 * 100 + 5);
}

TEST_CASE("a vector of shared memory takes the wavefronts of what it covers")
{
    // Each fourth word of a row: four conflicts of one load, none of the four that are a vector.
    const std::string at = "kernels.cu:12";
    MachineCode code{"k", 24, {{.instructions = 10, .next = {1}}}};
    const auto share = [&](MemoryInstruction access) {
        code.blocks[0].memory = {access};
        const bool atomic = access.kind == AccessKind::shared_store;
        return executed(code, {{.kind = access.kind,
                                .line = at,
                                .requests = atomic ? 1.0 : 4.0,
                                .lane_bytes = 4,
                                .shared = atomic ? 1.0 : 16.0,
                                .as_double = 16,
                                .as_quad = 16,
                                .turns = 7}})
            .shared;
    };
    CHECK(share({AccessKind::shared_load, at, false, 16}) == 4 / 16.0); // of as_quad a fourth
    CHECK(share({AccessKind::shared_store, at}) == 1);
    CHECK(share({.kind = AccessKind::shared_store, .line = at, .takes_turns = true}) == 7);
}

TEST_CASE("a vector stands for what was asked for one by one")
{
    // A loop that is unrolled eight times: each round loads a vector of shared memory.
    const auto at = [](int line) { return "kernels.cu:" + std::to_string(line); };
    MachineCode code{"k", 24, std::vector<BasicBlock>(3)};
    code.blocks[0] = {.instructions = 10, .next = {1}};
    code.blocks[1] = {.instructions = 100, .next = {1, 2}};
    code.blocks[2] = {.instructions = 5, .memory = {{AccessKind::store, at(15)}}};
    const auto instructions = [&](unsigned bytes, const std::vector<LineRequests>& requests) {
        code.blocks[1].memory.assign(8, {AccessKind::shared_load, at(12), false, bytes});
        return executed(code, requests).instructions;
    };
    const auto load = [&](int line, double times) {
        return LineRequests{AccessKind::shared_load, at(line), times, 4};
    };
    const LineRequests end = stores(15, 1);
    CHECK(instructions(4, {load(12, 800), end}) == 10 + 100 * 100 + 5);
    // Of members of a structure, in statements of their own; and in rounds of a loop.
    CHECK(instructions(16, {load(12, 800), load(13, 800), load(14, 800), load(15, 800), end}) ==
          10 + 100 * 100 + 5);
    CHECK(instructions(16, {load(12, 3200), end}) == 10 + 100 * 100 + 5);
    // What was asked for as a vector is one.
    CHECK(instructions(16, {{AccessKind::shared_load, at(12), 800, 16}, end}) ==
          10 + 100 * 100 + 5);
}
