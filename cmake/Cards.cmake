# generate_cards(FOLDER): what common/model/cards.cpp has of the GPUs in common/model/cards/, as C++ in FOLDER:
#
#   card_constants.inc  CARD_CONSTANT(name, how it scales) for each figure of the H200, which has all
#   cards.inc           the file of each GPU as a string
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
    string(APPEND all "R\"json(${json})json\",\n")
  endforeach()
  file(CONFIGURE OUTPUT ${folder}/cards.inc CONTENT "${all}" @ONLY)

  file(READ ${source}/h200.json json)
  string(JSON count LENGTH "${json}" constants)
  math(EXPR last "${count} - 1")
  set(constants "")
  foreach(index RANGE ${last})
    string(JSON name MEMBER "${json}" constants ${index})
    string(JSON scales ERROR_VARIABLE missing GET "${json}" constants ${name} scales)
    if(missing)
      set(scales nothing)
    endif()
    string(REPLACE "1/" "per_" scales "${scales}")
    string(APPEND constants "CARD_CONSTANT(${name}, ${scales})\n")
  endforeach()
  file(CONFIGURE OUTPUT ${folder}/card_constants.inc CONTENT "${constants}" @ONLY)
endfunction()
