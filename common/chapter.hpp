/// \file
/// The one header of a chapter: all that its source may use.
#pragma once

#include "common/device/check.hpp"
#include "common/device/device.hpp"
#include "common/device/memory.hpp"
#include "common/problem/arrays.hpp"
#include "common/run/chapter.hpp"
#include "common/run/launch.hpp"
#include "common/run/library_rows.hpp"
