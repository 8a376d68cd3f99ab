# muster_precompile(TARGET) and muster_precompile_test(TARGET): the files of TARGET begin with the
# headers that most of them include anyway, read once: reading them is half of the time a test takes
# to compile. MUSTER_PRECOMPILED says for which: `all` (the sanitized builds), `tests`, or none.
#
# A precompiled header hides what a file forgot to include. So the product's own files go without in
# the release build, which every change goes through first, and tests go without in the dev build.

if(MUSTER_PRECOMPILED AND NOT MUSTER_PRECOMPILED MATCHES "^(all|tests)$")
  message(FATAL_ERROR "MUSTER_PRECOMPILED is `${MUSTER_PRECOMPILED}`: all, tests, or empty")
endif()
if(MUSTER_PRECOMPILED)
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/precompiled.cc" CONTENT "")
  add_library(muster_precompiled OBJECT "${CMAKE_BINARY_DIR}/precompiled.cc")
  target_link_libraries(muster_precompiled PRIVATE muster_fmt GTest::gmock)
  # Without the headers' times in it, what ccache stored stays right when nothing else changes.
  target_compile_options(muster_precompiled PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  target_precompile_headers(muster_precompiled PRIVATE
    <algorithm> <array> <charconv> <chrono> <expected> <filesystem> <fstream> <functional> <map>
    <memory> <optional> <set> <span> <string> <string_view> <variant> <vector>
    <fmt/format.h> <gmock/gmock.h> <gtest/gtest.h>)
  if(MUSTER_PRECOMPILED STREQUAL "tests")
    target_compile_options(muster_precompiled PRIVATE -O0)
  endif()
endif()

function(muster_precompile target)
  if(MUSTER_PRECOMPILED STREQUAL "all")
    target_precompile_headers(${target} REUSE_FROM muster_precompiled)
  endif()
endfunction()

# What a test calls is optimised as in the product; the test itself, run once, need not be.
function(muster_precompile_test target)
  if(MUSTER_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM muster_precompiled)
  endif()
  if(MUSTER_PRECOMPILED STREQUAL "tests")
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()
