# NCCL::NCCL, if its header and its library are found: in NCCL_ROOT, in CMAKE_PREFIX_PATH, where the
# system has libraries, or in the Python package nvidia.nccl (pip install nvidia-nccl-cu13).
find_program(NCCL_PYTHON python3)
if(NCCL_PYTHON AND NOT NCCL_WHEEL)
  execute_process(
    COMMAND ${NCCL_PYTHON} -c "import nvidia.nccl; print(*nvidia.nccl.__path__, sep=';')"
    OUTPUT_VARIABLE wheel ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(NCCL_WHEEL "${wheel}" CACHE PATH "Folder of the Python package nvidia.nccl, if there is one")
endif()
mark_as_advanced(NCCL_PYTHON NCCL_WHEEL)

find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${NCCL_WHEEL} PATH_SUFFIXES include)
# The wheel has no libnccl.so, only the file with the version that programs load.
find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 HINTS ${NCCL_WHEEL} PATH_SUFFIXES lib)
mark_as_advanced(NCCL_INCLUDE_DIR NCCL_LIBRARY)

if(NCCL_INCLUDE_DIR)
  file(STRINGS ${NCCL_INCLUDE_DIR}/nccl.h version REGEX "^#define NCCL_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE "#define NCCL_[A-Z]+ ([0-9]+)" "\\1" version "${version}")
  string(REPLACE ";" "." NCCL_VERSION "${version}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NCCL
  REQUIRED_VARS NCCL_LIBRARY NCCL_INCLUDE_DIR VERSION_VAR NCCL_VERSION)
if(NCCL_FOUND AND NOT TARGET NCCL::NCCL)
  add_library(NCCL::NCCL UNKNOWN IMPORTED)
  set_target_properties(NCCL::NCCL PROPERTIES
    IMPORTED_LOCATION ${NCCL_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${NCCL_INCLUDE_DIR})
endif()
