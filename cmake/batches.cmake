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
  muster_slice(batches "${name}" "${sources}" ${count} muster_write_batch)
  set(${variable} ${batches} PARENT_SCOPE)
endfunction()

# As muster_batches, for test files, whose helpers may have the same names (batch_tests.py).
function(muster_test_batches variable name sources count)
  muster_slice(batches "${name}" "${sources}" ${count} muster_write_test_batch)
  set(${variable} ${batches} PARENT_SCOPE)
endfunction()

# Has `write` make a batch of each COUNT of SOURCES, and lists the batches; without COUNT SOURCES.
function(muster_slice variable name sources count write)
  set(batches ${sources})
  if(count GREATER 0)
    set(batches)
    list(LENGTH sources left)
    set(from 0)
    while(from LESS left)
      list(LENGTH batches index)
      list(SUBLIST sources ${from} ${count} slice)
      set(batch "${CMAKE_BINARY_DIR}/batch/${name}_${index}.cc")
      cmake_language(CALL ${write} "${batch}" "${slice}")
      list(APPEND batches "${batch}")
      math(EXPR from "${from} + ${count}")
    endwhile()
  endif()
  set(${variable} ${batches} PARENT_SCOPE)
endfunction()

function(muster_write_batch batch sources)
  set(content "")
  foreach(source IN LISTS sources)
    file(RELATIVE_PATH relative "${CMAKE_SOURCE_DIR}" "${source}")
    string(APPEND content "#include \"${relative}\"  // NOLINT\n")
  endforeach()
  file(CONFIGURE OUTPUT "${batch}" CONTENT "${content}")
  set_source_files_properties("${batch}" PROPERTIES
    INCLUDE_DIRECTORIES "${CMAKE_SOURCE_DIR}")
endfunction()

function(muster_write_test_batch batch sources)
  set(names)
  foreach(source IN LISTS sources)
    file(RELATIVE_PATH relative "${CMAKE_SOURCE_DIR}" "${source}")
    list(APPEND names "${relative}")
  endforeach()
  cmake_path(GET batch STEM name)
  add_custom_command(OUTPUT "${batch}"
    COMMAND "${CMAKE_SOURCE_DIR}/cmake/batch_tests.py" "${CMAKE_SOURCE_DIR}" "${batch}" ${names}
    DEPENDS "${CMAKE_SOURCE_DIR}/cmake/batch_tests.py" ${sources}
    COMMENT "Joining tests of ${name}" VERBATIM)
endfunction()
