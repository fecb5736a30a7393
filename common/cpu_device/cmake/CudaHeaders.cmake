# Writes those headers of CUDA that say nothing of their own into BUILD/include, beside include/.

# The sentence that a program sees that includes one.
function(refuse library)
  foreach(header IN LISTS ARGN)
    file(CONFIGURE OUTPUT include/${header} CONTENT
      "#error \"${library} runs on a GPU only; the CPU device cannot build this program.\"\n")
  endforeach()
endfunction()

function(forward header)
  foreach(name IN LISTS ARGN)
    file(CONFIGURE OUTPUT include/${name} CONTENT "#pragma once\n#include <${header}>\n")
  endforeach()
endfunction()

refuse("8-bit floating point (cuda_fp8.h)" cuda_fp8.h)
refuse("bfloat16 (cuda_bf16.h)" cuda_bf16.h)
refuse("CUB"
  cub/cub.cuh cub/block/block_load.cuh cub/block/block_reduce.cuh cub/block/block_scan.cuh
  cub/block/block_store.cuh cub/device/device_reduce.cuh cub/device/device_scan.cuh
  cub/device/device_transform.cuh cub/warp/warp_reduce.cuh cub/warp/warp_scan.cuh)
refuse("cuBLAS" cublas.h cublas_v2.h)
refuse("cuBLASLt" cublasLt.h)
refuse("cuDNN" cudnn.h)
refuse("cuFFT" cufft.h)
refuse("cuRAND" curand.h curand_kernel.h)
refuse("cuSOLVER" cusolverDn.h)
refuse("cuSPARSE" cusparse.h)
refuse("Half precision (cuda_fp16.h)" cuda_fp16.h)
refuse("Inline PTX (cuda::ptx)" cuda/ptx)
refuse("NCCL" nccl.h)
refuse("The driver API" cudaTypedefs.h)
refuse("The run-time compiler NVRTC" nvrtc.h)
refuse("The tensor cores' wmma API" mma.h)
refuse("Thrust"
  thrust/copy.h thrust/device_ptr.h thrust/device_vector.h thrust/execution_policy.h
  thrust/extrema.h thrust/fill.h thrust/for_each.h thrust/functional.h thrust/generate.h
  thrust/host_vector.h thrust/inner_product.h thrust/iterator/counting_iterator.h
  thrust/iterator/transform_iterator.h thrust/iterator/zip_iterator.h thrust/reduce.h
  thrust/scan.h thrust/sequence.h thrust/sort.h thrust/system/cuda/execution_policy.h
  thrust/transform.h thrust/transform_reduce.h thrust/tuple.h thrust/universal_vector.h)

forward(cuda_runtime.h
  builtin_types.h crt/host_defines.h cuda_device_runtime_api.h device_atomic_functions.h
  device_functions.h device_launch_parameters.h driver_types.h host_defines.h math_functions.h
  sm_20_intrinsics.h sm_30_intrinsics.h sm_60_atomic_functions.h)
forward(cpu_device/detail/vector_types.hpp vector_functions.h vector_types.h)
forward(cuda_pipeline_primitives.h cuda_pipeline.h)
forward(nvtx3/nvToolsExt.h nvToolsExt.h)

# cuda::std is the host's standard library.
foreach(header IN ITEMS
    algorithm array atomic bit cassert cfloat chrono climits cmath complex concepts cstddef cstdint
    cstdlib cstring functional initializer_list iterator limits numeric optional ratio span tuple
    type_traits utility variant)
  file(CONFIGURE OUTPUT include/cuda/std/${header} CONTENT
    "#pragma once\n#include <${header}>\nnamespace cuda::std {\nusing namespace ::std;\n}\n")
endforeach()
