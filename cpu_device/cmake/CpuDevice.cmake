# How .cu files are compiled for the CPU device: preprocessed, rewritten into C++ (rewriter/rewriter.hpp)
# and compiled (compile_cu) with -fsanitize=thread, for its calls at every memory access; linked without
# that flag, because the CPU device answers those calls itself.
#
# cpu_device_add_executable(TARGET SOURCES...)  a program; those SOURCES that end in .cu are rewritten
# cpu_device_target_sources(TARGET SOURCES...)  the same for a target that there is already
# cpu_device_kernel_flags(VARIABLE [COMPILER])  the flags alone, for GNU or Clang; else for the
#                                               compiler of this build

function(cpu_device_kernel_flags variable)
  set(compiler ${ARGN})
  if(NOT compiler)
    set(compiler ${CMAKE_CXX_COMPILER_ID})
  endif()
  # Whatever the build type: the transactions counted are those of the instructions that are left
  # after optimization. Of debug information the lines alone, for the place where a kernel spins:
  # with the variables a chapter takes a third longer to compile.
  set(flags -g1 -fsanitize=thread)
  if(compiler STREQUAL "GNU")
    # At -O2 chapters take 1.4 to 1.8 times as long to compile, and of 946 rows one is counted
    # otherwise. What a function returns in registers is stored without instrumentation where it is
    # not inlined.
    list(APPEND flags
      -O1 -finline-small-functions
      --param=tsan-instrument-func-entry-exit=0
      -Wno-unknown-pragmas) # `#pragma unroll` means nothing to g++
  else()
    # Vectorised or unrolled code would merge or multiply accesses; a read before a write of the
    # same address is a transaction too.
    list(APPEND flags
      -O2
      -mllvm -tsan-instrument-func-entry-exit=0
      -mllvm -tsan-instrument-read-before-write=1
      -fno-vectorize -fno-slp-vectorize -fno-unroll-loops
      -fno-builtin-memcpy -fno-builtin-memset)
  endif()
  set(${variable} ${flags} PARENT_SCOPE)
endfunction()

function(cpu_device_target_sources target)
  get_target_property(imported cpu_device::launch_rewriter IMPORTED)
  if(imported)
    get_target_property(rewriter cpu_device::launch_rewriter LOCATION)
  else()
    get_target_property(rewriter cpu_device::launch_rewriter BINARY_DIR)
    set(rewriter ${rewriter}/launch_rewriter)
  endif()
  set(compile ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/compile_cu)
  target_sources(${target} PRIVATE ${ARGN})
  set(kernels ${ARGN})
  list(FILTER kernels INCLUDE REGEX "\\.cu$")
  if(kernels)
    set_source_files_properties(${kernels} PROPERTIES LANGUAGE CXX OBJECT_DEPENDS "${rewriter};${compile}")
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU") # which alone preprocesses behind a precompiled header
      set_source_files_properties(${kernels} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endif()
  set(launcher ${compile} ${rewriter} ${CMAKE_CXX_COMPILER_LAUNCHER})
  set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${launcher}")
  add_dependencies(${target} cpu_device::launch_rewriter)
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
