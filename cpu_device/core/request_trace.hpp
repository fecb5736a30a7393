/// \file
/// How the requests of a block become its trace.
#pragma once

#include "core/coalescer.hpp"
#include "core/memory.hpp"
#include "cpu_device/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cpu_device {

/// Notes a request of the warp to global or shared memory.
void add_request(BlockTrace& trace, std::size_t warp, std::uint32_t site, AddressSpace space,
                 Access access, const Request& request);

/// Notes how many bank conflicts a request to shared memory has.
void add_conflicts(BlockTrace& trace, std::uint32_t site, Access access, const Request& request,
                   unsigned conflicts);

/// Gives back the memory of large arrays all over which the traced blocks have stored, and that
/// none has read: each such store takes a page, and of a sample nobody reads the results.
void forget_scattered_stores(const std::vector<BlockTrace>& traces);
/// Keeps the blocks that one thread would have traced: of the last, several threads trace now more,
/// now fewer.
void drop_late(std::vector<BlockTrace>& traces);

} // namespace cpu_device
