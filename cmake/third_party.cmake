# The third-party libraries: all from Debian 12 packages (tools/setup installs them), all static.

set(OPENSSL_USE_STATIC_LIBS ON)
set(Protobuf_USE_STATIC_LIBS ON)
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(GTest REQUIRED)
find_package(fmt REQUIRED)
find_package(Boost 1.81 REQUIRED)

add_library(muster_asio INTERFACE)
target_link_libraries(muster_asio INTERFACE Threads::Threads)
target_compile_definitions(muster_asio INTERFACE
  BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_BOOST_COROUTINE BOOST_ERROR_CODE_HEADER_ONLY)

# The terminal's full screen (muster top).
add_library(muster_ncurses INTERFACE)
target_link_libraries(muster_ncurses INTERFACE ncursesw tinfo)

# Boost.JSON is built here once: Debian ships no static library of it.
file(WRITE "${CMAKE_BINARY_DIR}/boost_json.cc.new" "#include <boost/json/src.hpp>\n")
configure_file("${CMAKE_BINARY_DIR}/boost_json.cc.new" "${CMAKE_BINARY_DIR}/boost_json.cc" COPYONLY)
add_library(muster_boost_json STATIC "${CMAKE_BINARY_DIR}/boost_json.cc")
target_compile_options(muster_boost_json PRIVATE -w)

# {fmt} is compiled here once: Debian ships no static library of it, and header-only it is compiled
# into every file that formats, a fifth of a cold build.
# What its headers leave to such a library, besides functions, are these two templates.
file(WRITE "${CMAKE_BINARY_DIR}/fmt.cc.new" [[
#include <fmt/format-inl.h>
template fmt::detail::thousands_sep_result<char> fmt::detail::thousands_sep_impl<char>(
    fmt::detail::locale_ref);
template char fmt::detail::decimal_point_impl<char>(fmt::detail::locale_ref);
]])
configure_file("${CMAKE_BINARY_DIR}/fmt.cc.new" "${CMAKE_BINARY_DIR}/fmt.cc" COPYONLY)
add_library(muster_fmt STATIC "${CMAKE_BINARY_DIR}/fmt.cc")
target_compile_options(muster_fmt PRIVATE -w)

# Generated protobuf code. muster_proto: our own messages; only the module wire may include them.
# muster_hadoop_proto: Hadoop's, for the modules under hadoop; apart, so that neither rebuilds the
# other.
find_package(Protobuf REQUIRED)

# Compiled as two batches, because most of the time goes into protobuf's own headers. Batches name
# files relative to ROOT, so that what ccache stored serves every checkout.
function(muster_add_protos target root)
  set(generated)
  set(batch_0)
  set(batch_1)
  set(turn 0)
  foreach(proto IN LISTS ARGN)
    file(RELATIVE_PATH relative "${CMAKE_SOURCE_DIR}/proto" "${proto}")
    string(REGEX REPLACE "\\.proto$" "" stem "${relative}")
    set(out "${root}/${stem}.pb")
    add_custom_command(OUTPUT "${out}.cc" "${out}.h"
      COMMAND protobuf::protoc --proto_path=${CMAKE_SOURCE_DIR}/proto
              --cpp_out=lite:${root} "${proto}"
      DEPENDS "${proto}")
    list(APPEND generated "${out}.cc" "${out}.h")
    string(APPEND batch_${turn} "#include \"${stem}.pb.cc\"\n")
    math(EXPR turn "1 - ${turn}")
  endforeach()
  file(MAKE_DIRECTORY "${root}")
  set_source_files_properties(${generated} PROPERTIES HEADER_FILE_ONLY TRUE)
  set(batches)
  foreach(turn 0 1)
    set(batch "${CMAKE_BINARY_DIR}/batch/${target}_${turn}.cc")
    file(CONFIGURE OUTPUT "${batch}" CONTENT "${batch_${turn}}")
    list(APPEND batches "${batch}")
  endforeach()
  set_source_files_properties(${batches} PROPERTIES OBJECT_DEPENDS "${generated}")
  add_library(${target} STATIC ${batches} ${generated})
  target_compile_options(${target} PRIVATE -w)
  target_include_directories(${target} SYSTEM PUBLIC "${root}")
  target_link_libraries(${target} PUBLIC protobuf::libprotobuf-lite)
endfunction()

file(GLOB proto_files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/proto/muster/*/*/*.proto")
muster_add_protos(muster_proto "${CMAKE_BINARY_DIR}/proto" ${proto_files})
file(GLOB proto_files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/proto/hadoop/*.proto")
muster_add_protos(muster_hadoop_proto "${CMAKE_BINARY_DIR}/hadoop_proto" ${proto_files})
# A message per block or per heartbeat, never one per byte.
target_compile_options(muster_hadoop_proto PRIVATE $<$<CONFIG:Release>:-Oz>)
