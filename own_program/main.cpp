/// \file
/// compile_cuda [OPTION]... FILE... [ARCHIVE] -o PROGRAM   CUDA, C++ and C files of the reader's
/// own as one program compile_cuda [OPTION]... FILE... [ARGUMENT]...          the same, and runs
/// it: ./run mine.cu compile_cuda --check ...                                says what is wrong
/// with such words, and does nothing
///
/// What is in the archive takes the place of the report at the program's end. options.hpp has the
/// options. Ends with 2 and a sentence where something cannot be requested, 1 where it does not
/// compile, and else with the program's status.
#include "own_program/driver.hpp"

int main(int argc, char** argv)
{
    return own_program::run_driver(argc, argv);
}
