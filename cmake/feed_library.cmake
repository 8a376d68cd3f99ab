# libmuster_feed.so: the C interface of src/feed for Python's ctypes, built as everything else is:
# for tests and benchmarks on this machine.

if(MUSTER_SANITIZE OR NOT TARGET muster_feed)
  return()
endif()

file(GLOB feed_sources CONFIGURE_DEPENDS
  "${CMAKE_SOURCE_DIR}/src/feed/*.cc" "${CMAKE_SOURCE_DIR}/src/base/*.cc")
list(FILTER feed_sources EXCLUDE REGEX "_test\\.cc$")
add_library(muster_feed_library SHARED ${feed_sources})
set_target_properties(muster_feed_library PROPERTIES
  OUTPUT_NAME muster_feed POSITION_INDEPENDENT_CODE ON)
target_include_directories(muster_feed_library PRIVATE "${CMAKE_SOURCE_DIR}/src")
target_link_libraries(muster_feed_library PRIVATE muster_settings fmt::fmt-header-only)
# Python's symbols come from the process that loads it; everything but mf_* stays inside.
target_link_options(muster_feed_library PRIVATE
  -static-libstdc++ -static-libgcc
  "-Wl,--version-script=${CMAKE_SOURCE_DIR}/cmake/feed_library.map")
set_property(TARGET muster_feed_library APPEND PROPERTY
  LINK_DEPENDS "${CMAKE_SOURCE_DIR}/cmake/feed_library.map")
