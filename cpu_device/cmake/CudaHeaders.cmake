# Writes those headers of CUDA that say nothing of their own into BUILD/cuda, next to cuda/. For those that
# are neither here nor there, who compiles a file has to say why.

function(forward header)
  foreach(name IN LISTS ARGN)
    file(CONFIGURE OUTPUT cuda/${name} CONTENT "#pragma once\n#include <${header}>\n")
  endforeach()
  set(forwarding ${forwarding} ${ARGN} PARENT_SCOPE)
endfunction()

forward(cublas_v2.h cublas.h cublasLt.h cublas_api.h library_types.h)
forward(cuda_runtime.h
  channel_descriptor.h common_functions.h device_types.h driver_functions.h surface_types.h texture_types.h
  builtin_types.h crt/host_defines.h cuda_device_runtime_api.h device_atomic_functions.h
  device_functions.h device_launch_parameters.h driver_types.h host_defines.h math_functions.h
  device_double_functions.h sm_20_atomic_functions.h sm_20_intrinsics.h sm_30_intrinsics.h sm_32_atomic_functions.h
  sm_32_intrinsics.h sm_35_atomic_functions.h sm_35_intrinsics.h sm_60_atomic_functions.h sm_61_intrinsics.h)
forward(cpu_device/detail/runtime_api.hpp cuda_runtime_api.h cuda_profiler_api.h)
forward(cpu_device/detail/vector_types.hpp vector_functions.h vector_types.h)
forward(cuda_pipeline_primitives.h cuda_pipeline.h)
forward(nvtx3/nvToolsExt.h nvToolsExt.h)

# cuda::std is the host's standard library.
foreach(header IN ITEMS
    algorithm array atomic bit cassert cfloat chrono climits cmath complex concepts cstddef cstdint
    cstdlib cstring functional initializer_list iterator limits numeric optional ratio span tuple
    type_traits utility variant)
  file(CONFIGURE OUTPUT cuda/cuda/std/${header} CONTENT
    "#pragma once\n#include <${header}>\nnamespace cuda::std {\nusing namespace ::std;\n}\n")
endforeach()

# What an older version wrote there would stand before a header that cuda/ has by now.
file(GLOB_RECURSE stale RELATIVE ${CMAKE_CURRENT_BINARY_DIR}/cuda ${CMAKE_CURRENT_BINARY_DIR}/cuda/*)
list(FILTER stale EXCLUDE REGEX "^cuda/std/")
list(REMOVE_ITEM stale ${forwarding})
list(TRANSFORM stale PREPEND ${CMAKE_CURRENT_BINARY_DIR}/cuda/)
if(stale)
  file(REMOVE ${stale})
endif()
