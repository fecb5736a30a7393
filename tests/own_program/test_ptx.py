"""What nvcc's PTX and ptxas tell of kernels."""

import unittest

from own_program.ptx import combined_atomics, registers


def kernel(addition):
    """What nvcc 13 writes of `c[i]` and an addition behind it."""
    return (".visible .entry _Z1kPKiPji(\n"
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
            "\t.loc\t2 112 3, function_name $L__info_string0, inlined_at 1 9 5\n\t"
            f"{addition}"
            "\n}\n\t.file\t1 \"/home/reader/mine.cu\"\n"
            "\t.file\t2 \"/usr/local/cuda/include/device_atomic_functions.hpp\"\n")


class Ptx(unittest.TestCase):
    def test_an_addition_of_one_value_to_one_address_is_found_with_the_reader_s_line(self):
        for addition in ("atom.global.add.u32 \t%r8, [%rd2], 1;", "atom.global.add.u32 \t%r8, [%rd3], %r1;",
                         "red.global.add.s32 \t[%rd2+8], -2;"):
            self.assertEqual(combined_atomics(kernel(addition)), ["mine.cu:9"], addition)

    def test_where_lanes_may_differ_or_do_not_add_each_of_them_asks(self):
        for addition in ("atom.global.add.u32 \t%r8, [%rd5], 1;", "atom.global.add.u32 \t%r8, [%rd2], %r2;",
                         "atom.global.max.u32 \t%r8, [%rd2], 7;", "atom.global.cas.b32 \t%r8, [%rd2], %r1, %r1;"):
            self.assertEqual(combined_atomics(kernel(addition)), [], addition)
        # The registers of another kernel are others.
        self.assertEqual(combined_atomics(kernel("") + ".visible .entry _Z1fPj(\n"
                                          "\tatom.global.add.u32 \t%r8, [%rd2], 1;\n"), [])

    def test_the_registers_of_each_kernel_stand_next_to_its_name_in_the_source(self):
        said = "".join(f"ptxas info    : Compiling entry function '{name}' for 'sm_90'\n"
                       f"ptxas info    : Function properties for {name}\n"
                       f"ptxas info    : Used {number} registers, used 0 barriers\n" for name, number in (("_Z4copyIfEvPKT_PS0_", 24), ("plain", 8)))
        self.assertEqual(registers(said), "24 void copy<float>(float const*, float*)\n8 plain\n")
        self.assertEqual(registers("ptxas info    : 0 bytes gmem\n"), "")
