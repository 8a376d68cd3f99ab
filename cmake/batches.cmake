# muster_batches(VARIABLE NAME SOURCES COUNT): sets VARIABLE to sources that compile up to COUNT of
# SOURCES each, in place of these; with COUNT 0 to SOURCES themselves. Most of the time a file takes
# to compile goes into the headers it includes: 28 files of `job` took 65 s of processor time one by
# one and 13 s together. Sources are named relative to the tree, so that what ccache stored serves
# every checkout.
#
# The price: names in unnamed namespaces must differ within a module, and a forgotten #include can
# go unnoticed. The dev build, which compiles each file by itself, and header_check notice it.

set(MUSTER_BATCH 0 CACHE STRING "Sources of a module that are compiled together; 0: each alone")

function(muster_batches variable name sources count)
  if(count EQUAL 0)
    set(${variable} ${sources} PARENT_SCOPE)
    return()
  endif()
  set(batches)
  set(content "")
  set(held 0)
  foreach(source IN LISTS sources)
    file(RELATIVE_PATH relative "${CMAKE_SOURCE_DIR}" "${source}")
    string(APPEND content "#include \"${relative}\"  // NOLINT\n")
    math(EXPR held "${held} + 1")
    if(held EQUAL count)
      muster_write_batch(batches "${name}" "${content}")
      set(content "")
      set(held 0)
    endif()
  endforeach()
  if(held GREATER 0)
    muster_write_batch(batches "${name}" "${content}")
  endif()
  set(${variable} ${batches} PARENT_SCOPE)
endfunction()

# Writes one more batch of NAME and appends it to the list.
function(muster_write_batch list name content)
  list(LENGTH ${list} index)
  set(batch "${CMAKE_BINARY_DIR}/batch/${name}_${index}.cc")
  file(CONFIGURE OUTPUT "${batch}" CONTENT "${content}")
  set_source_files_properties("${batch}" PROPERTIES
    INCLUDE_DIRECTORIES "${CMAKE_SOURCE_DIR}")
  list(APPEND ${list} "${batch}")
  set(${list} ${${list}} PARENT_SCOPE)
endfunction()

# As muster_batches, for test files, whose helpers may have the same names (batch_tests.py).
function(muster_test_batches variable name sources count)
  if(count EQUAL 0)
    set(${variable} ${sources} PARENT_SCOPE)
    return()
  endif()
  set(batches)
  list(LENGTH sources left)
  set(from 0)
  while(from LESS left)
    list(SUBLIST sources ${from} ${count} held)
    set(names)
    foreach(source IN LISTS held)
      file(RELATIVE_PATH relative "${CMAKE_SOURCE_DIR}" "${source}")
      list(APPEND names "${relative}")
    endforeach()
    list(LENGTH batches index)
    set(batch "${CMAKE_BINARY_DIR}/batch/${name}_${index}.cc")
    add_custom_command(OUTPUT "${batch}"
      COMMAND "${CMAKE_SOURCE_DIR}/cmake/batch_tests.py" "${CMAKE_SOURCE_DIR}" "${batch}" ${names}
      DEPENDS "${CMAKE_SOURCE_DIR}/cmake/batch_tests.py" ${held}
      COMMENT "Joining tests of ${name}" VERBATIM)
    list(APPEND batches "${batch}")
    math(EXPR from "${from} + ${count}")
  endwhile()
  set(${variable} ${batches} PARENT_SCOPE)
endfunction()
