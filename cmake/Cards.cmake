# generate_cards(FOLDER): what common/model/cards.cpp has of the GPUs in common/model/cards/, as C++ in FOLDER:
#
#   card_constants.inc  CARD_CONSTANT(name, how it scales) for each figure of the H200, which has all
#   cards.inc           adds each GPU to `all`, from the first one of them, the H200, on
#
# CMake reads JSON itself: a build for a GPU needs no Python.

function(generate_cards folder)
  set(source ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../common/model/cards)
  file(GLOB files CONFIGURE_DEPENDS ${source}/*)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(all "")
  file(STRINGS ${source}/order.txt cards) # as --help lists them; the first is the default
  foreach(card IN LISTS cards)
    file(READ ${source}/${card}.json json)
    string(JSON slices GET "${json}" l2_slices)
    members_of("${json}" limits limits "    limits.@name@ = @value@;\n")
    members_of("${json}" constants constants "    card.@name@ = @value@;\n")
    set(base "all.front()")
    if(card STREQUAL "h200")
      set(base "Card{}")
      set(base_slices ${slices})
      members_of("${json}" constants known "CARD_CONSTANT(@name@, @scales@)\n")
      file(CONFIGURE OUTPUT ${folder}/card_constants.inc CONTENT "${known}" @ONLY)
    endif()
    string(APPEND all "{\n    cpu_device::DeviceLimits limits;\n${limits}"
      "    Card card = with_limits(${base}, limits, ${slices} / ${base_slices}.0);\n${constants}")
    foreach(text IN ITEMS option name basis doubt)
      string(JSON value GET "${json}" ${text})
      string(APPEND all "    card.${text} = \"${value}\";\n")
    endforeach()
    string(JSON l1_bytes GET "${json}" l1_bytes)
    string(JSON carve_outs GET "${json}" carve_outs_kib)
    string(REGEX REPLACE "[][]" "" carve_outs "${carve_outs}")
    string(APPEND all "    card.l1_bytes = ${l1_bytes};\n    card.carve_outs_kib = {${carve_outs}};\n"
      "    card.l2_slices = ${slices};\n    all.push_back(card);\n}\n")
  endforeach()
  file(CONFIGURE OUTPUT ${folder}/cards.inc CONTENT "${all}" @ONLY)
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
