# libmuster_feed.so: the C interface of src/feed for Python's ctypes. It runs on every glibc since
# 2.17, whatever this machine has: it is linked against stand-ins of the C library (tools/stand_in)
# that hold what was there then, at the versions of then. `make lint` checks the outcome.

if(MUSTER_SANITIZE OR NOT TARGET muster_feed)
  return()
endif()

set(feed_library_files "${CMAKE_SOURCE_DIR}/cmake/feed_library")
set(feed_library_folder "${CMAKE_BINARY_DIR}/feed_library")
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(feed_library_loader ld-linux-x86-64.so.2)
else()
  set(feed_library_loader ld-linux-aarch64.so.1)
endif()

set(feed_stand_ins)
# libpthread by its name, too: its functions were not yet in libc then.
foreach(name IN ITEMS libc.so.6 libpthread.so.0 libm.so.6 ${feed_library_loader})
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${name}
    OUTPUT_VARIABLE real OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(stand_in "${feed_library_folder}/${name}")
  add_custom_command(OUTPUT "${stand_in}"
    COMMAND ${MUSTER_PYTHON} -B "${CMAKE_SOURCE_DIR}/tools/stand_in" --readelf ${CMAKE_READELF}
            --newest 2.17 --to "${feed_library_folder}" "${real}"
    COMMAND ${CMAKE_C_COMPILER} -shared -nostdlib -fuse-ld=lld-19 -Wl,-soname,${name}
            "-Wl,--version-script=${stand_in}.map" -o "${stand_in}" "${stand_in}.s"
    BYPRODUCTS "${stand_in}.s" "${stand_in}.map"
    DEPENDS "${CMAKE_SOURCE_DIR}/tools/stand_in" "${real}" VERBATIM)
  list(APPEND feed_stand_ins "${stand_in}")
endforeach()
add_custom_target(muster_feed_stand_ins DEPENDS ${feed_stand_ins})

file(GLOB feed_sources CONFIGURE_DEPENDS
  "${CMAKE_SOURCE_DIR}/src/feed/*.cc" "${CMAKE_SOURCE_DIR}/src/base/*.cc")
list(FILTER feed_sources EXCLUDE REGEX "_test\\.cc$")

# Makes the library TARGET, `lib${output}.so`, of the sources.
function(muster_add_feed_library target output sources)
  muster_batches(batches ${target} "${sources}" ${MUSTER_BATCH})
  add_library(${target} SHARED ${batches} "${feed_library_files}/young.cc")
  add_dependencies(${target} muster_feed_stand_ins)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${output} POSITION_INDEPENDENT_CODE ON
    LINK_DEPENDS "${feed_library_files}/exports.map;${feed_stand_ins}")
  target_include_directories(${target} PRIVATE "${CMAKE_SOURCE_DIR}/src")
  target_link_libraries(${target} PRIVATE muster_settings fmt::fmt-header-only)
  # Python's symbols come from the process that loads it; everything but mf_* stays inside. The
  # unwinder is the process's: it must be the only one.
  target_link_options(${target} PRIVATE
    -fuse-ld=lld-19 -nodefaultlibs -Wl,-s -Wl,--gc-sections
    "-Wl,--version-script=${feed_library_files}/exports.map")
  target_link_libraries(${target} PRIVATE
    -l:libstdc++.a -l:libgcc_s.so.1 -l:libgcc.a -Wl,--no-as-needed)
  foreach(stand_in IN LISTS feed_stand_ins)
    # As a flag, or CMake would name it by -l and write its folder into the library.
    target_link_libraries(${target} PRIVATE "-Wl,${stand_in}")
  endforeach()
endfunction()

muster_add_feed_library(muster_feed_library muster_feed "${feed_sources}")

# The same without what it knows of Python's memory, so that `make bench` can show what that brings.
list(FILTER feed_sources EXCLUDE REGEX "/python_layout\\.cc$")
list(APPEND feed_sources "${CMAKE_SOURCE_DIR}/bench/feed/python_layout_unknown.cc")
muster_add_feed_library(muster_feed_by_calls muster_feed_by_calls "${feed_sources}")
set_target_properties(muster_feed_by_calls PROPERTIES EXCLUDE_FROM_ALL ON)
