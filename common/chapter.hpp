/// \file
/// The one header of a chapter: all that its source may use.
#pragma once

#include "common/device/attribute.hpp"
#include "common/device/check.hpp"
#include "common/device/device.hpp"
#include "common/device/memory.hpp"
#include "common/device/mpi_ranks.hpp"
#include "common/device/nccl.hpp"
#include "common/device/team.hpp"
#include "common/problem/arrays.hpp"
#include "common/problem/extent.hpp"
#include "common/problem/parts.hpp"
#include "common/problem/words.hpp"
#include "common/run/chapter.hpp"
#include "common/run/launch.hpp"
#include "common/run/library_rows.hpp"
#include "common/run/resources.hpp"
#include "common/run/shared_rows.hpp"
