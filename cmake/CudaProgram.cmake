# add_cuda_program(TARGET SOURCE.cu [ONE_ARCHITECTURE] [WITHOUT_HEADER] [LIBRARIES ...])
#                                                     an executable from one CUDA source; for architecture
#                                                     90 alone, where that is one of several; without the
#                                                     header that the chapters have compiled once
# add_chapter(FOLDER)                                 the chapter of that folder, in BUILD/bin
# add_exercise(FOLDER)                                the goals of that exercise and what checks them, as
#                                                     BUILD/exercises/NUMBER.a

function(add_cuda_program target source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "ONE_ARCHITECTURE;WITHOUT_HEADER" "" "LIBRARIES")
  if(MOVING_BYTES_DEVICE STREQUAL "gpu")
    set(architectures "${MOVING_BYTES_ARCHITECTURES}")
    if(arg_ONE_ARCHITECTURE AND 90 IN_LIST architectures)
      set(architectures 90)
    endif()
    add_executable(${target} ${source})
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${architectures}")
    target_link_libraries(${target} PRIVATE warnings ${arg_LIBRARIES})
    return()
  endif()

  cpu_device_add_executable(${target} ${source})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE warnings ${arg_LIBRARIES})
  if("common" IN_LIST arg_LIBRARIES AND NOT arg_WITHOUT_HEADER)
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
  # A first `./run 01` waits for that chapter, which compiles in a third of the time that the header takes.
  set(options "")
  if(name STREQUAL "01_basic_vecadd")
    set(options WITHOUT_HEADER)
  endif()
  add_cuda_program(${name} ${folder}/${name}.cu ${options} LIBRARIES common)
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  target_sources(${name} PRIVATE ${sources})
  name_chapter(${name} ${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
endfunction()

# What is checked is compiled by own_program/, as often as the reader likes; this but once.
function(add_exercise folder)
  cmake_path(GET folder FILENAME name)
  string(REGEX MATCH "^[0-9.]+" number ${name})
  add_library(goals_${number} STATIC EXCLUDE_FROM_ALL ${folder}/goals.cpp $<TARGET_OBJECTS:check_main>)
  target_link_libraries(goals_${number} PRIVATE exercise warnings)
  target_precompile_headers(goals_${number} REUSE_FROM check_main)
  set_target_properties(goals_${number} PROPERTIES
    ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/exercises PREFIX "" OUTPUT_NAME ${number} SUFFIX .a)
endfunction()
add_library(check_main OBJECT EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/common/exercise/check_main.cpp)
target_link_libraries(check_main PRIVATE exercise warnings)
target_precompile_headers(check_main PRIVATE ${PROJECT_SOURCE_DIR}/common/exercise.hpp)

if(MOVING_BYTES_DEVICE STREQUAL "cpu")
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
endif()
