/// \file
/// cuda::std is the host's standard library.
#pragma once

#include <cstddef>

namespace cuda::std {
using namespace ::std;
} // namespace cuda::std
