/// \file
/// Calls of cuBLAS, the one library whose types and handles there are: `cublasSgemm(...)`.
#pragma once

#include "rewriter/source.hpp"

#include <cstddef>
#include <set>
#include <string_view>

namespace launch_rewriter {

class LibraryCalls
{
  public:
    /// True of a name of the library that nothing in the text declares: no header that is
    /// preprocessed with it.
    [[nodiscard]] bool contain(const Source& source, std::size_t i);

  private:
    std::set<std::string_view> declared_;
};

/// Makes a cpu_device::LibraryCall of such a name, which ends the program when it is called.
void rewrite_library_call(Source& source, std::size_t i);

} // namespace launch_rewriter
