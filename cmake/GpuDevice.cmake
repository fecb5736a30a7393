# The CUDA language, and MOVING_BYTES_ARCHITECTURES: `native` where a GPU answers, else the oldest
# architecture of the toolkit, 90 and the newest.
find_package(CUDAToolkit 12 REQUIRED)

if(NOT DEFINED MOVING_BYTES_ARCHITECTURES)
  execute_process(COMMAND nvidia-smi -L
    OUTPUT_VARIABLE gpus ERROR_QUIET RESULT_VARIABLE nvidia_smi_failed)
  if(NOT nvidia_smi_failed AND gpus MATCHES "^GPU 0")
    set(architectures native)
  else()
    execute_process(COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} --list-gpu-arch
      OUTPUT_VARIABLE known COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "compute_[0-9]+" known "${known}")
    list(TRANSFORM known REPLACE "compute_" "")
    list(SORT known COMPARE NATURAL)
    list(GET known 0 oldest)
    list(GET known -1 newest)
    set(architectures ${oldest} 90 ${newest})
    list(REMOVE_DUPLICATES architectures)
  endif()
  set(MOVING_BYTES_ARCHITECTURES "${architectures}" CACHE STRING
    "Architectures to compile for: native, or a list such as 75;90")
endif()
set(CMAKE_CUDA_ARCHITECTURES "${MOVING_BYTES_ARCHITECTURES}")

enable_language(CUDA)

# ptxas advises against multicast for an architecture without an `a` behind its number: it may be slow
# on future ones. Recent ones can be told that this is known.
include(CheckCompilerFlag)
check_compiler_flag(CUDA -Xptxas=--suppress-async-bulk-multicast-advisory-warning
  MOVING_BYTES_MULTICAST_ADVISORY)
if(MOVING_BYTES_MULTICAST_ADVISORY)
  add_compile_options(
    $<$<COMPILE_LANGUAGE:CUDA>:-Xptxas=--suppress-async-bulk-multicast-advisory-warning>)
endif()

if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  # nvcc 12 and later have C++20; CMake before 3.26 does not know it.
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
