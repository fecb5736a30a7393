# cmake -D SCRIPT=Commit.cmake -D DIRECTORY=EMPTY -P commit_test.cmake
# The definition names the commit, says when files differ from it, and is left alone when it is right.
set(source ${DIRECTORY}/source)
set(definition ${DIRECTORY}/commit.cpp)
file(REMOVE_RECURSE ${DIRECTORY})
file(MAKE_DIRECTORY ${source})

function(expect pattern)
  execute_process(COMMAND ${CMAKE_COMMAND} -D SOURCE=${source} -D DEFINITION=${definition} -P ${SCRIPT}
                  COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${definition} text)
  if(NOT text MATCHES "commit\\[\\] = \"${pattern}\";")
    message(FATAL_ERROR "expected ${pattern} in:\n${text}")
  endif()
endfunction()
function(git)
  execute_process(
    COMMAND git -C ${source} -c user.name=test -c user.email=test@example.com ${ARGV}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()

expect("unknown")
find_program(GIT git)
if(NOT GIT) # whoever took an archive instead of a clone
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo "skipped: git is not installed")
  return()
endif()
file(WRITE ${source}/file "one")
git(init --quiet)
git(add file)
git(commit --quiet -m one)
expect("[0-9a-f]+")

file(TIMESTAMP ${definition} written "%s")
execute_process(COMMAND ${CMAKE_COMMAND} -E sleep 1.1)
expect("[0-9a-f]+")
file(TIMESTAMP ${definition} again "%s")
if(NOT written STREQUAL again)
  message(FATAL_ERROR "the definition was written again although the commit is the same")
endif()

file(WRITE ${source}/file "two")
expect("[0-9a-f]+-dirty")
