/// \file
/// What the goals of every exercise use. Where the problem is not one of arrays.hpp, they include
/// its header next to this one, and an edit of it compiles no others.
#pragma once

#include "common/device/attribute.hpp"
#include "common/device/check.hpp"
#include "common/device/device.hpp"
#include "common/device/memory.hpp"
#include "common/exercise/attempt.hpp"
#include "common/problem/arrays.hpp"
#include "common/text/format.hpp"
