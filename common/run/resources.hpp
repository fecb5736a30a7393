/// \file
/// The resources that the compiler gave to a kernel, as columns of its row.
#pragma once

#include "common/device/attribute.hpp"
#include "common/run/launch.hpp"

#include <vector>

namespace common {

/// `columns`, and behind them: registers per thread; bytes of local memory a thread, of constant
/// memory and of static shared memory (cudaFuncGetAttributes); and the occupancy that they leave
/// blocks of `threads` threads, 0 to 1. Nothing behind them on the CPU device, which has no
/// registers and whose compiler is another one.
template<class... Arguments>
std::vector<Column> resources([[maybe_unused]] void (*kernel)(Arguments...),
                              [[maybe_unused]] unsigned threads, std::vector<Column> columns = {})
{
#ifdef __CUDACC__
    const auto attributes = [kernel] {
        cudaFuncAttributes found{};
        CHECK_CUDA(cudaFuncGetAttributes(&found, kernel));
        return found;
    };
    const auto occupancy = [kernel, threads] {
        return static_cast<double>(resident_blocks(kernel, threads)) * threads /
               attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
    };
    columns.insert(columns.end(), {{"registers", [=] { return attributes().numRegs; }},
                                   {"local_bytes", [=] { return attributes().localSizeBytes; }},
                                   {"constant_bytes", [=] { return attributes().constSizeBytes; }},
                                   {"shared_bytes", [=] { return attributes().sharedSizeBytes; }},
                                   {"occupancy", occupancy}});
#endif
    return columns;
}

} // namespace common
