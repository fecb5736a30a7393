/// \file
/// Calls of libraries that the CPU device does not have.
#include "cpu_device/detail/library.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace cpu_device {

void refuse_library_call(const char* name, const char* file, int line)
{
    constexpr int no_gpu = 4; // exit status, as ./run has it
    std::fflush(stdout);
    std::fputs(
        (std::string(file) + ":" + std::to_string(line) + ": " + name +
         "() computes on a GPU only: the CPU device has this library's types and handles and "
         "none of its arithmetic. Leave the call out, or put a kernel of your own in its "
         "place.\n")
            .c_str(),
        stderr);
    std::fflush(stderr);
    std::_Exit(no_gpu);
}

} // namespace cpu_device
