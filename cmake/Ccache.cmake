# Compiles through ccache where it is installed and no other launcher is requested. The liberties that it is given are those
# that precompiled headers need. What a compilation reads it learns from the dependencies that the compiler writes, and not
# from preprocessed text: `nvcc -E` prints that of one architecture, so that an edit for another one would hit.
find_program(CCACHE ccache)
mark_as_advanced(CCACHE)
if(CCACHE)
  foreach(language IN ITEMS CXX CUDA)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
    endif()
  endforeach()
endif()
