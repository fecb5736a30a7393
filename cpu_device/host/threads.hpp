/// \file
/// What the threads of the host do for each other.
#pragma once

#include <csignal>
#include <cstddef>
#include <memory>

namespace cpu_device::host {

/// While one lives, the calling thread reports an overflow of its stack on another one.
class SignalStack
{
  public:
    SignalStack();
    ~SignalStack();
    SignalStack(const SignalStack&) = delete;
    SignalStack& operator=(const SignalStack&) = delete;

  private:
    std::unique_ptr<std::byte[]> stack_;
    stack_t before_{}; ///< that the thread had, and gets back
};

} // namespace cpu_device::host
