/// \file
/// The one header of an exercise's goals: all that they may use.
#pragma once

#include "common/device/check.hpp"
#include "common/device/device.hpp"
#include "common/device/libraries.hpp"
#include "common/device/memory.hpp"
#include "common/exercise/attempt.hpp"
#include "common/problem/arrays.hpp"
#include "common/problem/histogram.hpp"
#include "common/problem/indices.hpp"
#include "common/problem/matrix_vector.hpp"
#include "common/problem/near.hpp"
#include "common/problem/parts.hpp"
#include "common/problem/reduction.hpp"
#include "common/problem/row_problem.hpp"
#include "common/problem/scan.hpp"
#include "common/problem/selection.hpp"
#include "common/problem/sparse_rows.hpp"
#include "common/problem/words.hpp"
#include "common/text/format.hpp"
