# Target header_check: every header compiles alone. Where sources are compiled each alone, a header
# that its own .cc includes first (the format check sees to that order) is checked there already;
# the others get a file each.

file(GLOB_RECURSE muster_headers CONFIGURE_DEPENDS
  RELATIVE "${CMAKE_SOURCE_DIR}" "${CMAKE_SOURCE_DIR}/src/*.h"
  "${CMAKE_SOURCE_DIR}/sim/*.h" "${CMAKE_SOURCE_DIR}/testing/*.h")
set(header_targets)
foreach(header IN LISTS muster_headers)
  string(REGEX REPLACE "\\.h$" ".cc" own "${header}")
  if(NOT MUSTER_BATCH EQUAL 0 OR NOT EXISTS "${CMAKE_SOURCE_DIR}/${own}")
    string(REGEX REPLACE "^src/" "" include "${header}")
    string(REGEX REPLACE "/[^/]*$" "" folder "${include}")
    while(NOT folder IN_LIST MUSTER_NAMES AND folder MATCHES "/")
      string(REGEX REPLACE "/[^/]*$" "" folder "${folder}")
    endwhile()
    string(REPLACE "/" "_" id "${folder}")
    set(alone "${CMAKE_BINARY_DIR}/header_check/${include}.cc")
    file(CONFIGURE OUTPUT "${alone}" CONTENT "#include \"${include}\"  // NOLINT\n")
    list(APPEND header_check_${id} "${alone}")
    list(APPEND header_targets ${id})
  endif()
endforeach()
list(REMOVE_DUPLICATES header_targets)
add_custom_target(header_check)
foreach(id IN LISTS header_targets)
  if(TARGET muster_${id})
    add_library(header_check_${id} OBJECT EXCLUDE_FROM_ALL ${header_check_${id}})
    target_link_libraries(header_check_${id} PRIVATE muster_${id} GTest::gmock)
    # As tests are built, whose headers may include `testing/...`; lint's includes keep others off.
    target_include_directories(header_check_${id} PRIVATE "${CMAKE_SOURCE_DIR}")
    target_compile_definitions(header_check_${id} PRIVATE MUSTER_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    target_compile_options(header_check_${id} PRIVATE -g0 -O0)
    add_dependencies(header_check header_check_${id})
  else()
    message(FATAL_ERROR "headers in a folder without a row in layers.toml: ${id}")
  endif()
endforeach()
