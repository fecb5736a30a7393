# cmake -D LIBRARY=DIR -D COMPILER=FILE -P core.cmake: the core includes nothing of an operating system. Which room may
# include which, tests/script/test_rooms.py sees.

# Headers of C and of operating systems end in .h; of those of C++, these are about threads, of which
# a host may have one. What tells callers apart by where they return to is the host's, too.
set(threads "thread|barrier|latch|future|semaphore|condition_variable|stop_token")
file(GLOB files ${LIBRARY}/core/*)
foreach(file IN LISTS files)
  file(STRINGS ${file} found
    REGEX "^ *# *include <([^>]*\\.h|csignal|[a-z_]+/.*|${threads})>|__builtin_(return|frame)_address|asm")
  list(FILTER found EXCLUDE REGEX "<cpu_device/")
  if(found)
    message(SEND_ERROR "${file} belongs into the room host: ${found}")
  endif()
endforeach()

# The same of what it includes through others, but for headers of the standard library: where none
# of these headers is to be had, core is compiled all the same.
execute_process(COMMAND mktemp -d OUTPUT_VARIABLE scratch OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
foreach(header IN ITEMS sys/mman.h signal.h csignal ucontext.h link.h elf.h dlfcn.h cxxabi.h fcntl.h
    boost/context/fiber.hpp thread barrier future)
  file(WRITE ${scratch}/${header} "#error ${header} is not to be had\n")
endforeach()
file(GLOB sources ${LIBRARY}/core/*.cpp)
foreach(source IN LISTS sources)
  execute_process(COMMAND ${COMPILER} -std=c++20 -E -isystem ${scratch} -I ${LIBRARY}
      -I ${LIBRARY}/api -I ${LIBRARY}/cuda ${source}
    OUTPUT_QUIET ERROR_VARIABLE errors RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(SEND_ERROR "${source} needs an operating system:\n${errors}")
  endif()
endforeach()
file(REMOVE_RECURSE ${scratch})
