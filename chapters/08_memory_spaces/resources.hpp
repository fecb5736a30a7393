/// \file
/// What a compiler gave to a kernel, as columns of a row.
#pragma once

#include "common/chapter.hpp"

#include <vector>

namespace common {

/// Registers a thread; bytes of local memory a thread, of constant memory and of static shared
/// memory (cudaFuncGetAttributes); and the occupancy that they leave blocks of `threads` threads, 0
/// to 1 (cudaOccupancyMaxActiveBlocksPerMultiprocessor). None under --list and on the CPU device,
/// which has no registers and whose compiler is another one. Throws CudaError.
template<class... Arguments>
[[nodiscard]] std::vector<Parameter> resources([[maybe_unused]] const Chapter& chapter,
                                               [[maybe_unused]] void (*kernel)(Arguments...),
                                               [[maybe_unused]] unsigned threads)
{
#ifdef __CUDACC__
    if (!chapter.listing()) {
        cudaFuncAttributes attributes{};
        int blocks = 0;
        int most = 0;
        CHECK_CUDA(cudaFuncGetAttributes(&attributes, kernel));
        CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel,
                                                                 static_cast<int>(threads), 0));
        CHECK_CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
        return {{"registers", attributes.numRegs},
                {"local_bytes", attributes.localSizeBytes},
                {"constant_bytes", attributes.constSizeBytes},
                {"shared_bytes", attributes.sharedSizeBytes},
                {"occupancy", static_cast<double>(blocks) * threads / most}};
    }
#endif
    return {};
}

} // namespace common
