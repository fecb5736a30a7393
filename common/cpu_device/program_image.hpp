/// \file
/// The variables of the program itself, by the place that the linker gave them.
#pragma once

#include "common/cpu_device/memory.hpp"

#include <vector>

namespace cpu_device {

/// Where variables live that are not allocated: `__device__` variables are the data of the
/// executable, `__constant__` ones have a section of their own, `__shared__` ones are thread-local.
class ProgramImage
{
  public:
    /// Read from the dynamic linker once; lives until the process ends.
    static ProgramImage& instance();

    /// The region of a variable of the program or of a library. Null for anything else.
    [[nodiscard]] const Region* find(std::uintptr_t address) const;
    /// Data of the executable: `__device__` variables.
    [[nodiscard]] GlobalRegion& device_variables() { return device_variables_; }
    /// Thread-local variables of the executable for the calling thread: `__shared__` ones.
    [[nodiscard]] static Region thread_variables();

  private:
    ProgramImage();

    std::vector<Region> uncounted_; ///< constants, and the variables of libraries
    GlobalRegion device_variables_;
};

} // namespace cpu_device
