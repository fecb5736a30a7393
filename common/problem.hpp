/// \file
/// What a kernel has to compute, with everything needed to check it.
#pragma once

#include "common/memory.hpp"
#include "common/verify.hpp"

#include <cstddef>
#include <cstdint>

namespace common {

class Chapter;

/// Inputs in device memory, an output behind canaries, and the expected result on the host.
///
/// Chapter::run() calls poison() before and verify() after a variant; a kernel that leaves an
/// element unwritten, writes a wrong one or writes past either end fails.
class Problem
{
  public:
    virtual ~Problem() = default;
    /// Fills the output and its canaries with a pattern that no correct result contains.
    virtual void poison() = 0;
    /// Compares every element of the output, bit for bit, and the canaries.
    [[nodiscard]] virtual Verdict verify() = 0;
    /// Bytes that any solution must move: each input read once, each output written once.
    [[nodiscard]] virtual std::uint64_t bytes() const = 0;
    /// Elements of the output.
    [[nodiscard]] virtual std::size_t size() const = 0;
};

/// c[i] = a[i] + b[i] on `n` floats in device memory.
class VectorAdd : public Problem
{
  public:
    explicit VectorAdd(const Chapter& chapter);
    // const float* a; const float* b; float* c; std::size_t n;
};

/// The same, from host arrays to a host array: `host_a`, `host_b`, `host_c` are pageable or pinned,
/// `a`, `b`, `c` the device buffers between. bytes() counts what crosses the link: 3 n floats.
class HostVectorAdd;

/// out[i] = in[i] on `n` units of type T (1, 2, 4, 8 or 16 bytes).
template<class T>
class Copy;

} // namespace common
