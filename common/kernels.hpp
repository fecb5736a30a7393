/// \file
/// The one header of a chapter of Part IV: what chapter.hpp has, and the problems and rows of
/// kernels that people write. Apart, because their headers of CUDA take nvcc as long as all the
/// others.
#pragma once

#include "common/chapter.hpp"
#include "common/problem/decoder_layer.hpp"
#include "common/problem/decoder_steps.hpp"
#include "common/run/decoder_rows.hpp"
