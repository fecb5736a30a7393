/// \file
/// Checked calls of the CUDA runtime API.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace common {

/// A CUDA call that failed. what() is a sentence: the call, where it stands, the error's name and
/// meaning, and what to try.
class CudaError : public std::runtime_error
{
  public:
    /// An error with its status and its sentence; CHECK_CUDA makes both.
    CudaError(cudaError_t code, const std::string& message)
        : std::runtime_error(message), code_(code)
    {}

    /// The status that the call returned.
    [[nodiscard]] cudaError_t code() const { return code_; }

  private:
    cudaError_t code_;
};

/// Throws the CudaError for `status`, which is not cudaSuccess. `what` is the call or the launch,
/// `where` a place in the source or empty.
[[noreturn]] void throw_cuda_error(cudaError_t status, const std::string& what,
                                   const std::string& where);

/// Throws CudaError unless `status` is cudaSuccess; CHECK_CUDA fills in the rest.
void check(cudaError_t status, const char* call, const char* file, int line);

/// Throws CudaError if a launch since the last check was refused; `what` names it.
void check_launch(const std::string& what);

} // namespace common

/// Throws common::CudaError when a call of the CUDA runtime API fails. Put every call in it, and
/// `cudaGetLastError()` after every launch: a `<<<...>>>` returns no status of its own.
#define CHECK_CUDA(...) ::common::check((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
