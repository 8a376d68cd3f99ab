# Targets header_check: every header compiles alone; header_check_ownless: those do that have no .cc
# of their own. Where sources are compiled each alone, a header that its own .cc includes first (the
# format check sees to that order) is checked there already; the others get a file each.
#
# The first takes 1.5 s of processor time for each of 730 headers: it is for `make lint`. Of the
# second the gate builds what a change can have broken (tools/lint/headers.py). clang-tidy, which
# looks at what changed, parses each source file alone and so the header with which it begins.

file(GLOB_RECURSE muster_headers CONFIGURE_DEPENDS
  RELATIVE "${CMAKE_SOURCE_DIR}" "${CMAKE_SOURCE_DIR}/src/*.h"
  "${CMAKE_SOURCE_DIR}/sim/*.h" "${CMAKE_SOURCE_DIR}/testing/*.h")
set(header_targets)
foreach(header IN LISTS muster_headers)
  string(REGEX REPLACE "\\.h$" ".cc" own "${header}")
  if(EXISTS "${CMAKE_SOURCE_DIR}/${own}")
    set(kind owned)
  else()
    set(kind ownless)
  endif()
  if(NOT MUSTER_BATCH EQUAL 0 OR kind STREQUAL "ownless")
    string(REGEX REPLACE "^src/" "" include "${header}")
    string(REGEX REPLACE "/[^/]*$" "" folder "${include}")
    while(NOT folder IN_LIST MUSTER_NAMES AND folder MATCHES "/")
      string(REGEX REPLACE "/[^/]*$" "" folder "${folder}")
    endwhile()
    string(REPLACE "/" "_" id "${folder}")
    set(alone "${CMAKE_BINARY_DIR}/header_check/${include}.cc")
    file(CONFIGURE OUTPUT "${alone}" CONTENT "#include \"${include}\"  // NOLINT\n")
    list(APPEND header_check_${kind}_${id} "${alone}")
    list(APPEND header_targets ${kind}_${id})
  endif()
endforeach()
list(REMOVE_DUPLICATES header_targets)
add_custom_target(header_check)
add_custom_target(header_check_ownless)
add_dependencies(header_check header_check_ownless)
foreach(target IN LISTS header_targets)
  string(REGEX MATCH "^(owned|ownless)_(.*)$" matched "${target}")
  set(id "${CMAKE_MATCH_2}")
  if(NOT TARGET muster_${id})
    message(FATAL_ERROR "headers in a folder without a row in layers.toml: ${id}")
  endif()
  add_library(header_check_${target} OBJECT EXCLUDE_FROM_ALL ${header_check_${target}})
  target_link_libraries(header_check_${target} PRIVATE muster_${id} GTest::gmock)
  # As tests are built, whose headers may include `testing/...`; lint's includes keep others off.
  target_include_directories(header_check_${target} PRIVATE "${CMAKE_SOURCE_DIR}")
  target_compile_definitions(header_check_${target} PRIVATE
    MUSTER_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_compile_options(header_check_${target} PRIVATE -g0 -O0)
  if(CMAKE_MATCH_1 STREQUAL "ownless")
    add_dependencies(header_check_ownless header_check_${target})
  else()
    add_dependencies(header_check header_check_${target})
  endif()
endforeach()
