/// \file
/// How the requests of a block become its trace.
#pragma once

#include "core/coalescer.hpp"
#include "core/memory.hpp"
#include "cpu_device/trace.hpp"

#include <cstddef>
#include <cstdint>

namespace cpu_device {

/// Notes a request of the warp to global or shared memory.
void add_request(BlockTrace& trace, std::size_t warp, std::uint32_t site, AddressSpace space,
                 Access access, const Request& request);

/// Notes how many bank conflicts a request to shared memory has.
void add_conflicts(BlockTrace& trace, std::uint32_t site, Access access, const Request& request,
                   unsigned conflicts);

} // namespace cpu_device
