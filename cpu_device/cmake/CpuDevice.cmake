# How .cu files are compiled for the CPU device: rewritten into C++ (rewriter/rewriter.hpp) and
# compiled with -fsanitize=thread, for its calls at every memory access; linked without that flag,
# because the CPU device answers those calls itself.
#
# cpu_device_add_executable(TARGET SOURCES...)  a program; those SOURCES that end in .cu are rewritten
# cpu_device_target_sources(TARGET SOURCES...)  the same for a target that there is already
# cpu_device_rewrite(SOURCE.cu OUTPUT.cpp)      the rewriting alone
# cpu_device_kernel_flags(VARIABLE [COMPILER])  the flags alone, for GNU or Clang; else for the
#                                               compiler of this build

function(cpu_device_kernel_flags variable)
  set(compiler ${ARGN})
  if(NOT compiler)
    set(compiler ${CMAKE_CXX_COMPILER_ID})
  endif()
  # Whatever the build type: the transactions counted are those of the instructions that are left
  # at -O2. Of debug information the lines alone, for the place where a kernel spins: with the
  # variables a chapter takes a third longer to compile.
  set(flags -O2 -g1 -fsanitize=thread)
  if(compiler STREQUAL "GNU")
    list(APPEND flags
      --param=tsan-instrument-func-entry-exit=0
      -Wno-unknown-pragmas) # `#pragma unroll` means nothing to g++
  else()
    # Vectorised or unrolled code would merge or multiply accesses; a read before a write of the
    # same address is a transaction too.
    list(APPEND flags
      -mllvm -tsan-instrument-func-entry-exit=0
      -mllvm -tsan-instrument-read-before-write=1
      -fno-vectorize -fno-slp-vectorize -fno-unroll-loops
      -fno-builtin-memcpy -fno-builtin-memset)
  endif()
  set(${variable} ${flags} PARENT_SCOPE)
endfunction()

function(cpu_device_rewrite source output)
  cmake_path(ABSOLUTE_PATH source NORMALIZE)
  cmake_path(GET source FILENAME name)
  add_custom_command(OUTPUT ${output}
    COMMAND cpu_device::launch_rewriter ${source} ${output} ${output}.d
    DEPENDS ${source} $<TARGET_FILE:cpu_device::launch_rewriter>
    DEPFILE ${output}.d
    COMMENT "Rewriting the launches of ${name}"
    VERBATIM)
endfunction()

function(cpu_device_target_sources target)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    if(source MATCHES "\\.cu$")
      cmake_path(GET source STEM name)
      cmake_path(GET source PARENT_PATH folder)
      set(rewritten ${CMAKE_CURRENT_BINARY_DIR}/${target}_${name}.cpp)
      cpu_device_rewrite(${source} ${rewritten})
      target_sources(${target} PRIVATE ${rewritten})
      target_include_directories(${target} PRIVATE ${folder})
    else()
      target_sources(${target} PRIVATE ${source})
    endif()
  endforeach()
  cpu_device_kernel_flags(flags)
  list(JOIN flags " " flags)
  target_compile_options(${target} PRIVATE "SHELL:${flags}")
  # In front of all others: those of an installed CUDA toolkit have the same names.
  target_include_directories(${target} BEFORE PRIVATE
    $<TARGET_PROPERTY:cpu_device::cpu_device,INTERFACE_INCLUDE_DIRECTORIES>)
  target_link_libraries(${target} PRIVATE cpu_device::cpu_device)
endfunction()

function(cpu_device_add_executable target)
  add_executable(${target})
  cpu_device_target_sources(${target} ${ARGN})
endfunction()
