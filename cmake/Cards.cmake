# generate_cards(FOLDER): what common/model/cards.cpp has of the GPUs in common/model/cards/, as C++ in FOLDER:
#
#   card_constants.inc  CARD_CONSTANT(name, how it scales) for each figure of the H200, which has all
#   cards.inc           each GPU as a constant, and `built_in`, an array of them
#
# CMake reads JSON itself: a build for a GPU needs no Python.

function(generate_cards folder)
  set(source ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../common/model/cards)
  file(GLOB files CONFIGURE_DEPENDS ${source}/*)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(table "")
  file(STRINGS ${source}/order.txt cards) # as --help lists them; the first is the default
  foreach(card IN LISTS cards)
    file(READ ${source}/${card}.json json)
    foreach(text IN ITEMS option name basis doubt)
      string(JSON value GET "${json}" ${text})
      string(APPEND ${card}_told "    .${text} = \"${value}\",\n")
    endforeach()
    string(JSON carve_outs GET "${json}" carve_outs_kib)
    string(REGEX REPLACE "[][ \n]" "" carve_outs "${carve_outs}")
    string(JSON l1_bytes GET "${json}" l1_bytes)
    string(JSON slices GET "${json}" l2_slices)
    members_of("${json}" limits limits "    limits.@name@ = @value@;\n")
    if(card STREQUAL "h200")
      members_of("${json}" constants constants "    .@name@ = @value@,\n")
      members_of("${json}" constants known "CARD_CONSTANT(@name@, Scale::@scales@)\n")
      file(CONFIGURE OUTPUT ${folder}/card_constants.inc CONTENT "${known}" @ONLY)
      set(begin "constexpr Card h200{\n")
      set(end "${constants}};\n")
    else()
      members_of("${json}" constants constants "    {&Card::@name@, @value@},\n")
      set(begin "constexpr Constant constants_${card}[] = {\n${constants}};\nconstexpr Card ${card} = derived(h200, {\n")
      set(end "}, constants_${card});\n")
    endif()
    string(APPEND table
      "constexpr std::size_t carve_outs_${card}[] = {${carve_outs}};\n"
      "constexpr cpu_device::DeviceLimits limits_${card} = [] {\n    cpu_device::DeviceLimits limits;\n${limits}"
      "    return limits;\n}();\n"
      "${begin}${${card}_told}    .limits = limits_${card},\n    .l1_bytes = ${l1_bytes},\n"
      "    .carve_outs_kib = carve_outs_${card},\n    .l2_slices = ${slices},\n${end}\n")
  endforeach()
  string(JOIN ", " all ${cards})
  file(CONFIGURE OUTPUT ${folder}/cards.inc CONTENT "${table}constexpr std::array built_in = {${all}};\n" @ONLY)
endfunction()

# members_of(JSON KEY RESULT PATTERN): PATTERN for each member of the object, with its @name@, @value@ and how it @scales@.
function(members_of json key result pattern)
  string(JSON object GET "${json}" ${key})
  string(JSON count LENGTH "${object}")
  set(text "")
  math(EXPR last "${count} - 1")
  foreach(index RANGE ${last})
    string(JSON name MEMBER "${object}" ${index})
    string(JSON member GET "${object}" ${name})
    string(JSON value ERROR_VARIABLE plain GET "${member}" value)
    if(plain)
      set(value ${member})
    endif()
    string(JSON scales ERROR_VARIABLE missing GET "${member}" scales)
    if(missing)
      set(scales nothing)
    endif()
    string(REPLACE "1/" "per_" scales "${scales}")
    string(CONFIGURE "${pattern}" line @ONLY)
    string(APPEND text "${line}")
  endforeach()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()
