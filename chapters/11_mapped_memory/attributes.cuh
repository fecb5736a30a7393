// The kind of memory that an address is in.
#pragma once

#include "common/chapter.hpp"

#include <string>

//! [attributes]
// Returns the kind of memory of an address, as the runtime reports it.
std::string kind_of(const void* address)
{
    cudaPointerAttributes attributes{};
    CHECK_CUDA(cudaPointerGetAttributes(&attributes, address));
    switch (attributes.type) {
    case cudaMemoryTypeDevice:
        return "device";
    case cudaMemoryTypeHost: // page-locked: a kernel may use it, here at the same address
        return attributes.devicePointer == attributes.hostPointer ? "host" : "host, elsewhere";
    case cudaMemoryTypeManaged:
        return "managed";
    default:
        return "unregistered";
    }
}
//! [attributes]
