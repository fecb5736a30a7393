# add_cuda_program(TARGET SOURCE.cu [LIBRARIES ...])  an executable from one CUDA source
# add_chapter(FOLDER)                                 the chapter of that folder, in BUILD/bin
# add_exercise(FOLDER)                                the goals of that exercise and what checks them, as
#                                                     BUILD/exercises/NUMBER.a
# BUILD/compile_cuda FILE... [ARCHIVE] -o PROGRAM     a script: an executable of a reader's own files, or of
#                                                     his answer and all of such an archive

function(add_cuda_program target source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "LIBRARIES")
  if(MOVING_BYTES_DEVICE STREQUAL "gpu")
    add_executable(${target} ${source})
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${MOVING_BYTES_ARCHITECTURES}")
    target_link_libraries(${target} PRIVATE warnings ${arg_LIBRARIES})
    return()
  endif()

  cpu_device_add_executable(${target} ${source})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE warnings ${arg_LIBRARIES})
  if("common" IN_LIST arg_LIBRARIES)
    target_precompile_headers(${target} REUSE_FROM chapter_header)
  endif()
endfunction()

# name_chapter(TARGET NAME): what a chapter calls itself, common::chapter_name.
function(name_chapter target name)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}_name.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT
"namespace common {
extern const char* const chapter_name;
const char* const chapter_name = \"${name}\";
} // namespace common
")
  target_sources(${target} PRIVATE ${source})
  set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()

function(add_chapter folder)
  cmake_path(GET folder FILENAME name)
  add_cuda_program(${name} ${folder}/${name}.cu LIBRARIES common)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  target_sources(${name} PRIVATE ${sources})
  name_chapter(${name} ${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
endfunction()

# What is checked is compiled by compile_cuda, as often as the reader likes; this but once.
function(add_exercise folder)
  cmake_path(GET folder FILENAME name)
  string(REGEX MATCH "^[0-9.]+" number ${name})
  add_library(goals_${number} STATIC EXCLUDE_FROM_ALL ${folder}/goals.cpp $<TARGET_OBJECTS:check_main>)
  target_link_libraries(goals_${number} PRIVATE common warnings)
  target_precompile_headers(goals_${number} REUSE_FROM check_main)
  set_target_properties(goals_${number} PROPERTIES
    ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/exercises PREFIX "" OUTPUT_NAME ${number} SUFFIX .a)
endfunction()
add_library(check_main OBJECT EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/common/exercise/check_main.cpp)
target_link_libraries(check_main PRIVATE common warnings)
target_precompile_headers(check_main PRIVATE ${PROJECT_SOURCE_DIR}/common/exercise.hpp)

set(device_sources ${PROJECT_SOURCE_DIR}/common/device/${MOVING_BYTES_DEVICE})
add_custom_target(compile_cuda)

if(MOVING_BYTES_DEVICE STREQUAL "cpu")
  add_library(report_at_exit OBJECT ${PROJECT_SOURCE_DIR}/common/run/own_program.cpp)
  target_link_libraries(report_at_exit PRIVATE common warnings)
  target_precompile_headers(report_at_exit REUSE_FROM common)
  target_compile_options(report_at_exit PRIVATE $<$<CONFIG:Release>:-O1>) # as the rest of common/run

  # What every chapter includes, compiled once: most of a chapter's compile time.
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/chapter_header.cpp CONTENT "")
  add_library(chapter_header OBJECT ${CMAKE_CURRENT_BINARY_DIR}/chapter_header.cpp)
  cpu_device_target_sources(chapter_header)
  target_link_libraries(chapter_header PRIVATE warnings common)
  target_precompile_headers(chapter_header PRIVATE "${PROJECT_SOURCE_DIR}/common/chapter.hpp")

  # The CPU device knows nothing of this project: here it is compiled as strictly as the rest.
  foreach(target cpu_device launch_rewriting launch_rewriter)
    target_compile_options(${target} PRIVATE
      $<TARGET_PROPERTY:warnings,INTERFACE_COMPILE_OPTIONS> ${MOVING_BYTES_SANITIZE_FLAGS})
    target_link_options(${target} PRIVATE ${MOVING_BYTES_SANITIZE_FLAGS})
  endforeach()
  target_compile_options(report_at_exit PRIVATE ${MOVING_BYTES_SANITIZE_FLAGS})

  cpu_device_kernel_flags(kernel_flags)
  set(headers "$<TARGET_PROPERTY:cpu_device,INTERFACE_INCLUDE_DIRECTORIES>")

  # What is included in front of a reader's file, as nvcc does, with the flags that compile_cuda.in has:
  # four fifths of the compile time of a small program. g++ looks for the one of the same options.
  set(own_header ${CMAKE_CURRENT_BINARY_DIR}/own_file.hpp)
  file(CONFIGURE OUTPUT ${own_header} CONTENT
"#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1
#define __CUDA_ARCH_LIST__ 900
#include <cuda_runtime.h>
#include <cpu_device/detail/kernel_call.hpp>
")
  # Of launches that are not counted. No flag of these changes what is computed.
  set(uncounted -O3 -march=native -ffp-contract=off -fno-math-errno -fno-trapping-math -w
    -DCPU_DEVICE_UNCOUNTED)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND uncounted -fcoroutines)
  endif()
  list(JOIN uncounted " " uncounted_flags)
  foreach(standard IN ITEMS gnu++17 gnu++20)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      set(precompiled ${own_header}.gch/${standard})
    elseif(standard STREQUAL "gnu++17")
      set(precompiled ${own_header}.pch)
    else()
      break()
    endif()
    string(REPLACE " " "\\ " as_target ${precompiled})
    add_custom_command(OUTPUT ${precompiled}
      COMMAND ${CMAKE_CXX_COMPILER} -std=${standard} ${kernel_flags} "-I$<JOIN:${headers},;-I>"
        -MD -MF ${own_header}.${standard}.d -MT ${as_target} -x c++-header ${own_header} -o ${precompiled}
      COMMAND_EXPAND_LISTS
      DEPENDS ${own_header}
      DEPFILE ${own_header}.${standard}.d
      COMMENT "Precompiling the CUDA headers for readers' own files (${standard})"
      VERBATIM)
    list(APPEND all_precompiled ${precompiled})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      add_custom_command(OUTPUT ${precompiled}.uncounted
        COMMAND ${CMAKE_CXX_COMPILER} -std=${standard} ${uncounted} "-I$<JOIN:${headers},;-I>"
          -x c++-header ${own_header} -o ${precompiled}.uncounted
        COMMAND_EXPAND_LISTS
        DEPENDS ${own_header} ${precompiled}
        COMMENT "Precompiling the CUDA headers for uncounted launches (${standard})"
        VERBATIM)
      list(APPEND all_precompiled ${precompiled}.uncounted)
    endif()
  endforeach()
  add_custom_target(compile_cuda_header DEPENDS ${all_precompiled})

  add_dependencies(compile_cuda launch_rewriter report_at_exit common cpu_device compile_cuda_header)
  set(libraries "$<TARGET_FILE:common>" "$<TARGET_FILE:cpu_device>" "$<TARGET_FILE:fmt::fmt>"
    "$<TARGET_FILE:Boost::context>" -pthread -ldl ${MOVING_BYTES_SANITIZE_FLAGS})
else()
  set(libraries "$<TARGET_FILE:common>" "$<TARGET_FILE:fmt::fmt>" "$<TARGET_FILE:CUDA::cudart_static>"
    -pthread -ldl -lrt)
  if(TARGET CUDA::cublas)
    list(INSERT libraries 1 "$<TARGET_FILE:CUDA::cublas>")
  endif()
endif()

# Configured first, for the variables, and generated then, for where the targets end up.
configure_file(${device_sources}/compile_cuda.in ${CMAKE_CURRENT_BINARY_DIR}/compile_cuda.in @ONLY)
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/compile_cuda
  INPUT ${CMAKE_CURRENT_BINARY_DIR}/compile_cuda.in
  FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
