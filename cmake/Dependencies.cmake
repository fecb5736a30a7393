# Each package: the installed one if there is one, else a pinned download.
include(FetchContent)
if(POLICY CMP0135)
  cmake_policy(SET CMP0135 NEW) # an archive's files get the time of their extraction
endif()

# Warnings in their headers are not ours. (FetchContent_Declare has SYSTEM for this since 3.25; 3.25.1,
# which Debian 12 has, takes the word for a part of URL_HASH.)
function(use_as_system)
  foreach(target ${ARGN})
    get_target_property(aliased ${target} ALIASED_TARGET)
    if(aliased) # downloaded: installed packages are imported and no aliases
      get_target_property(directories ${aliased} INTERFACE_INCLUDE_DIRECTORIES)
      set_target_properties(${aliased} PROPERTIES
        INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${directories}")
    endif()
  endforeach()
endfunction()

FetchContent_Declare(CLI11
  URL https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.4.1.tar.gz
  URL_HASH SHA256=73b7ec52261ce8fe980a29df6b4ceb66243bb0b779451dbd3d014cfec9fdbb58
  FIND_PACKAGE_ARGS 2.1)
FetchContent_Declare(fmt
  URL https://github.com/fmtlib/fmt/archive/refs/tags/10.2.1.tar.gz
  URL_HASH SHA256=1250e4cc58bf06ee631567523f48848dc4596133e163f02615c97f78bab6c811
  FIND_PACKAGE_ARGS)
FetchContent_Declare(nlohmann_json
  URL https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz
  URL_HASH SHA256=d6c65aca6b1ed68e7a182f4757257b107ae403032760ed6ef121c9d55e81757d
  FIND_PACKAGE_ARGS 3.10)
FetchContent_MakeAvailable(CLI11 fmt nlohmann_json)
use_as_system(CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json)

if(MOVING_BYTES_TESTS)
  FetchContent_Declare(Catch2
    URL https://github.com/catchorg/Catch2/archive/refs/tags/v3.7.0.tar.gz
    URL_HASH SHA256=5b10cd536fa3818112a82820ce0787bd9f2a906c618429e7c4dea639983c8e88
      FIND_PACKAGE_ARGS) # 2.13 or 3, which find_package cannot say in one argument
  FetchContent_MakeAvailable(Catch2)
  use_as_system(Catch2::Catch2)
  if(catch2_SOURCE_DIR)
    list(APPEND CMAKE_MODULE_PATH ${catch2_SOURCE_DIR}/extras) # for include(Catch)
  endif()
endif()

find_package(Threads REQUIRED)

# Optional: without it the processes that mpirun has started say what to install. A header that is new has CMake look again.
file(GLOB mpi_headers CONFIGURE_DEPENDS
  /usr/include/mpi.h /usr/lib/*/openmpi/include/mpi.h /usr/lib/*/mpich/include/mpi.h /usr/include/*/mpich/mpi.h)
set(MPI_CXX_SKIP_MPICXX ON) # classes of an older MPI
find_package(MPI COMPONENTS CXX)
