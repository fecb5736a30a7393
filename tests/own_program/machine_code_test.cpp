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
#include "own_program/executions.hpp"
#include "own_program/machine_code.hpp"
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
    REQUIRE(kernels().size() == 4);
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
