/// \file
/// The one header of a chapter: all that its source may use.
#pragma once

#include "common/device/check.hpp"
#include "common/device/memory.hpp"
#include "common/problem/elementwise.hpp"
#include "common/problem/problem.hpp"
#include "common/run/chapter.hpp"
