# cmake -D SOURCE=DIR -D HEADER=FILE -P Commit.cmake
# Writes the commit of the repository in SOURCE into HEADER, which is touched only when it changes,
# so that a second build of the same commit compiles nothing.
cmake_minimum_required(VERSION 3.24)

set(commit unknown)
find_program(GIT git)
if(GIT)
  # The ceiling keeps a copy without .git from naming the commit of a repository around it.
  cmake_path(GET SOURCE PARENT_PATH ceiling)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env GIT_CEILING_DIRECTORIES=${ceiling} GIT_OPTIONAL_LOCKS=0
            ${GIT} -C ${SOURCE} describe --always --exclude=* --dirty --abbrev=12
    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  if(status EQUAL 0)
    set(commit ${described})
  endif()
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT
"// Written by cmake/Commit.cmake.
#pragma once

namespace common {
inline constexpr char commit[] = \"${commit}\";
}
")
