/// \file
/// The variables of the program itself, by the place that the linker gave them.
#pragma once

#include "core/host.hpp"
#include "core/immortal.hpp"
#include "core/memory.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cpu_device {

/// A thread-local variable of the executable, as its symbol table has it.
struct ThreadVariable
{
    std::size_t offset = 0; ///< from host::thread_variables()
    std::size_t bytes = 0;
    std::string function; ///< that it is declared in: `tile`; empty outside of functions
    std::string instance; ///< the same in full: `void tile<16>(float*)`
    std::string name;
    /// Of the engine itself. A kernel may read those that are built-in variables, `threadIdx` and
    /// its relatives, and use no other.
    bool engine = false;
    bool built_in = false;

    /// True of a variable of the kernel that a launch names `tile` or `tiles::tile<16>`. One of a
    /// function that the kernel calls is not taken for the kernel's.
    [[nodiscard]] bool declared_in(std::string_view kernel) const;
};

/// Where variables live that are not allocated: `__device__` variables are the data of the
/// executable, `__constant__` ones have a section of their own, `__shared__` ones are thread-local.
class ProgramImage
{
  public:
    /// Asks the host, for the one object: immortal<ProgramImage>().
    ProgramImage();

    /// The region of a variable of the program or of a library. Null for anything else.
    [[nodiscard]] const Region* find(std::uintptr_t address) const;
    /// Data of the executable: `__device__` variables.
    [[nodiscard]] GlobalRegion& device_variables() { return device_variables_; }
    /// Its thread-local variables, in order of their offsets: `__shared__` ones. Empty if the
    /// executable has been stripped.
    [[nodiscard]] const std::vector<ThreadVariable>& each_thread_variable() const
    {
        return each_thread_variable_;
    }
    /// Bytes of the `__shared__` variables that a kernel declares; the least of its instances, if
    /// it is a template.
    [[nodiscard]] std::size_t static_shared_bytes(std::string_view kernel) const;

  private:
    Region constants_;              ///< `__constant__` variables
    std::vector<Region> uncounted_; ///< what cannot be written, and the variables of libraries
    GlobalRegion device_variables_;
    std::vector<ThreadVariable> each_thread_variable_;
};

} // namespace cpu_device
