# The CUDA language, with architectures derived from the toolkit: `native` where a GPU answers,
# else the ones named in MOVING_BYTES_ARCHITECTURES (default: the toolkit's oldest, 90, newest).
enable_language(CUDA)
find_package(CUDAToolkit 12 REQUIRED)
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
