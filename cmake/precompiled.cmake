# muster_precompile(TARGET RING HOT) and muster_precompile_test(TARGET): the files of TARGET begin
# with the headers that most of them include anyway, read once: reading them is half of the time
# that a test takes to compile. MUSTER_PRECOMPILED says how: `together`, one for all files (the
# sanitized builds, which compile all of them alike); `apart`, one for each way in which the release
# build compiles; or not at all.
#
# A precompiled header hides what a file forgot to include. The dev build, clang-tidy and
# header_check, which compile each file by itself, notice it.

if(NOT MUSTER_PRECOMPILED MATCHES "^(together|apart|)$")
  message(FATAL_ERROR "MUSTER_PRECOMPILED is `${MUSTER_PRECOMPILED}`: together, apart, or empty")
endif()
set(muster_precompiled_headers
  <algorithm> <array> <charconv> <chrono> <expected> <filesystem> <fstream> <functional> <map>
  <memory> <optional> <set> <span> <string> <string_view> <variant> <vector> <fmt/format.h>)

# Makes muster_precompiled_KIND, compiled with the other arguments.
function(muster_add_precompiled kind)
  set(target muster_precompiled_${kind})
  set(empty "${CMAKE_BINARY_DIR}/precompiled_${kind}.cc")
  file(CONFIGURE OUTPUT "${empty}" CONTENT "")
  add_library(${target} OBJECT "${empty}")
  # Without the headers' times in it, what ccache stored stays right when nothing else changes.
  target_compile_options(${target} PRIVATE ${ARGN} "SHELL:-Xclang -fno-pch-timestamp")
  target_link_libraries(${target} PRIVATE muster_fmt)
  set(headers ${muster_precompiled_headers})
  if(kind STREQUAL "test")
    target_link_libraries(${target} PRIVATE GTest::gmock)
    list(APPEND headers <gmock/gmock.h> <gtest/gtest.h>)
  endif()
  target_precompile_headers(${target} PRIVATE ${headers})
endfunction()

if(MUSTER_PRECOMPILED STREQUAL "apart")
  muster_add_precompiled(test -O0)
  muster_add_precompiled(hot ${MUSTER_HARDENING})
  muster_add_precompiled(cold ${MUSTER_HARDENING} $<$<CONFIG:Release>:-Oz>)
elseif(MUSTER_PRECOMPILED STREQUAL "together")
  muster_add_precompiled(test)
endif()

function(muster_precompile target ring hot)
  if(MUSTER_PRECOMPILED STREQUAL "together")
    target_precompile_headers(${target} REUSE_FROM muster_precompiled_test)
  elseif(MUSTER_PRECOMPILED STREQUAL "apart" AND NOT ring STREQUAL "test")
    if(hot)
      target_precompile_headers(${target} REUSE_FROM muster_precompiled_hot)
    else()
      target_precompile_headers(${target} REUSE_FROM muster_precompiled_cold)
    endif()
  endif()
endfunction()

# What a test calls is optimised as in the product; the test itself, run once, need not be.
function(muster_precompile_test target)
  if(MUSTER_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM muster_precompiled_test)
  endif()
  if(MUSTER_PRECOMPILED STREQUAL "apart")
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()
