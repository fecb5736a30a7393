# add_cuda_program(TARGET SOURCE.cu [LIBRARIES ...])  an executable from one CUDA source
# add_chapter(NAME)                                   NAME.cu beside the caller, in build/.../bin
#
# On the CPU device a .cu file is rewritten into C++ (common/cpu_device/launch_rewriter.hpp) and
# compiled with -fsanitize=thread, for its calls at every memory access; it is linked without that
# flag, because the CPU device answers those calls itself.

if(MOVING_BYTES_DEVICE STREQUAL "cpu")
  include(KernelFlags)

  add_library(launch_rewriting STATIC
    ${PROJECT_SOURCE_DIR}/common/cpu_device/launch_rewriter.cpp
    ${PROJECT_SOURCE_DIR}/common/cpu_device/launch_rewriter.hpp)
  target_include_directories(launch_rewriting PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(launch_rewriting PRIVATE warnings)
  add_executable(launch_rewriter
    ${PROJECT_SOURCE_DIR}/common/cpu_device/launch_rewriter_main.cpp)
  target_link_libraries(launch_rewriter PRIVATE launch_rewriting warnings)
  if(MOVING_BYTES_SANITIZE)
    target_compile_options(launch_rewriting PRIVATE ${MOVING_BYTES_SANITIZE_FLAGS})
    target_compile_options(launch_rewriter PRIVATE ${MOVING_BYTES_SANITIZE_FLAGS})
  endif()
endif()

function(add_cuda_program target source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "LIBRARIES")
  cmake_path(ABSOLUTE_PATH source NORMALIZE)
  if(MOVING_BYTES_DEVICE STREQUAL "gpu")
    add_executable(${target} ${source})
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${MOVING_BYTES_ARCHITECTURES}")
    target_link_libraries(${target} PRIVATE warnings ${arg_LIBRARIES})
  else()
    set(rewritten ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp)
    add_custom_command(OUTPUT ${rewritten}
      COMMAND launch_rewriter ${source} ${rewritten} ${rewritten}.d
      DEPENDS ${source} launch_rewriter
      DEPFILE ${rewritten}.d
      COMMENT "Rewriting the launches of ${target}"
      VERBATIM)
    add_executable(${target} ${rewritten})
    target_include_directories(${target} BEFORE PRIVATE
      ${PROJECT_SOURCE_DIR}/common/cpu_device/include)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_options(${target} PRIVATE ${MOVING_BYTES_KERNEL_FLAGS})
    target_link_libraries(${target} PRIVATE warnings cpu_device ${arg_LIBRARIES})
  endif()
endfunction()

function(add_chapter name)
  add_cuda_program(${name} ${name}.cu LIBRARIES common)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
endfunction()
