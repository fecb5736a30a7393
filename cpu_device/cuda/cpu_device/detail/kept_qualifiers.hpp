/// \file
/// Included, behind all other headers of the CPU device, in front of a source that is preprocessed
/// for the rewriter: leaves the words that the rewriter looks for what they are. Defined all the
/// same, because some programs ask whether they are.
#pragma once

#undef __host__
#undef __device__
#undef __global__
#undef __launch_bounds__
#undef __shared__
#undef __forceinline__
#undef __managed__
#undef __constant__
#define __host__ __host__
#define __device__ __device__
#define __global__ __global__
#define __launch_bounds__ __launch_bounds__
#define __shared__ __shared__
#define __forceinline__ __forceinline__
#define __managed__ __managed__
#define __constant__ __constant__
