#include "own_program/ptx.hpp"

#include "tests/catch.hpp"

#include <string>
#include <vector>

using own_program::combined_atomics;
using Lines = std::vector<std::string>;

namespace {

/// What nvcc 13 writes of `c[i]` and an addition behind it, where `register` has the address.
std::string kernel(const std::string& addition)
{
    return ".visible .entry _Z1kPKiPji(\n"
           "\t.param .u64 _Z1kPKiPji_param_0\n)\n{\n"
           "\t.loc\t1 7 0\n"
           "\tld.param.u64 \t%rd1, [_Z1kPKiPji_param_0];\n"
           "\tld.param.u32 \t%r1, [_Z1kPKiPji_param_1];\n"
           "\tcvta.to.global.u64 \t%rd2, %rd1;\n"
           "\tadd.s64 \t%rd3, %rd2, 12;\n"
           "\tmov.u32 \t%r2, %tid.x;\n"
           "\tmul.wide.u32 \t%rd4, %r2, 4;\n"
           "\tadd.s64 \t%rd5, %rd2, %rd4;\n"
           "\t.loc\t1 9 5\n"
           "\t.loc\t2 112 3, function_name $L__info_string0, inlined_at 1 9 5\n\t" +
           addition +
           "\n}\n\t.file\t1 \"/home/reader/mine.cu\"\n"
           "\t.file\t2 \"/usr/local/cuda/include/device_atomic_functions.hpp\"\n";
}

} // namespace

TEST_CASE("an addition of one value to one address is found with the reader's line")
{
    for (const char* addition :
         {"atom.global.add.u32 \t%r8, [%rd2], 1;", "atom.global.add.u32 \t%r8, [%rd3], %r1;",
          "red.global.add.s32 \t[%rd2+8], -2;"})
        CHECK(combined_atomics(kernel(addition)) == Lines{"mine.cu:9"});
}

TEST_CASE("where lanes may differ, or do not add, each of them asks")
{
    for (const char* addition :
         {"atom.global.add.u32 \t%r8, [%rd5], 1;", "atom.global.add.u32 \t%r8, [%rd2], %r2;",
          "atom.global.max.u32 \t%r8, [%rd2], 7;", "atom.global.cas.b32 \t%r8, [%rd2], %r1, %r1;"})
        CHECK(combined_atomics(kernel(addition)).empty());
    // The registers of another kernel are others.
    CHECK(combined_atomics(kernel("") + ".visible .entry _Z1fPj(\n"
                                        "\tatom.global.add.u32 \t%r8, [%rd2], 1;\n")
              .empty());
}
