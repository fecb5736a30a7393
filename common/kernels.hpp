/// \file
/// The one header of a chapter of Part IV: what chapter.hpp has, and the problems and rows of
/// kernels that people write. Apart, because their headers of CUDA take nvcc as long as all the
/// others.
#pragma once

#include "common/chapter.hpp"
#include "common/problem/decoder_layer.hpp"
#include "common/problem/decoder_steps.hpp"
#include "common/problem/indexed_rows.hpp"
#include "common/problem/matrix_vector.hpp"
#include "common/problem/narrow.hpp"
#include "common/problem/row_operations.hpp"
#include "common/problem/row_problem.hpp"
#include "common/problem/sparse_rows.hpp"
#include "common/run/decoder_rows.hpp"
#include "common/run/indexed_rows.hpp"
#include "common/run/matrix_vector_rows.hpp"
#include "common/run/narrow_rows.hpp"
#include "common/run/row_variants.hpp"
