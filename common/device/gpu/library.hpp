/// \file
/// What calls of NVIDIA's libraries have in common.
#pragma once

#include <climits>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace common {

/// A size as such a library takes it. Throws std::length_error for 2^31 and more.
[[nodiscard]] inline int as_int(std::size_t size, const char* library)
{
    if (size > INT_MAX)
        throw std::length_error(std::string(library) +
                                " takes sizes below 2^31 here, and this is " +
                                std::to_string(size) + ".");
    return static_cast<int>(size);
}

/// A library's handle, one for the whole program: making it allocates device memory and loads
/// kernels. `create` throws if it fails.
template<class T, auto create, auto destroy>
class LibraryHandle
{
  public:
    LibraryHandle() { create(&handle_); }
    LibraryHandle(const LibraryHandle&) = delete;
    LibraryHandle& operator=(const LibraryHandle&) = delete;
    ~LibraryHandle() { destroy(handle_); }

    operator T() const { return handle_; } ///< for its calls

  private:
    T handle_ = nullptr;
};

} // namespace common
