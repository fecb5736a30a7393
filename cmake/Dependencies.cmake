# Each package: the installed one if there is one, else a pinned download.
include(FetchContent)

find_package(CLI11 QUIET)
find_package(fmt QUIET)
find_package(nlohmann_json QUIET)
find_package(Threads REQUIRED)
if(MOVING_BYTES_DEVICE STREQUAL "cpu")
  find_package(OpenMP REQUIRED COMPONENTS CXX)
  find_package(Boost REQUIRED COMPONENTS context)
endif()
if(MOVING_BYTES_TESTS)
  find_package(Catch2 REQUIRED)
endif()
