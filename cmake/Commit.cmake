# cmake -D SOURCE=DIR -D DEFINITION=FILE -P Commit.cmake
# Defines common::commit, that of the repository in SOURCE, in FILE, which is touched only when it changes, so that a
# second build of the same commit compiles nothing, and the next commit little. Where MOVING_BYTES_COMMIT is set it is that:
# programs of two commits are then the same if their sources are.
cmake_minimum_required(VERSION 3.24)

set(commit unknown)
find_program(GIT git)
if(DEFINED ENV{MOVING_BYTES_COMMIT})
  set(commit $ENV{MOVING_BYTES_COMMIT})
elseif(GIT)
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
file(CONFIGURE OUTPUT ${DEFINITION} CONTENT
"// Written by cmake/Commit.cmake.
#include \"common/device/commit.hpp\"

const char common::commit[] = \"${commit}\";
")
