# muster_precompile(TARGET): with MUSTER_PRECOMPILED, the files of TARGET begin with the headers
# that most of them include anyway, read once: reading them is most of the time a file takes. Only
# the sanitized builds have it. A precompiled header hides what a file forgot to include; the ci
# build, which every change goes through first, goes without.

if(MUSTER_PRECOMPILED)
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/precompiled.cc" CONTENT "")
  add_library(muster_precompiled OBJECT "${CMAKE_BINARY_DIR}/precompiled.cc")
  target_link_libraries(muster_precompiled PRIVATE fmt::fmt-header-only GTest::gmock)
  # Without the headers' times in it, what ccache stored stays right when nothing else changes.
  target_compile_options(muster_precompiled PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  target_precompile_headers(muster_precompiled PRIVATE
    <algorithm> <array> <charconv> <chrono> <expected> <filesystem> <fstream> <functional> <map>
    <memory> <optional> <set> <span> <string> <string_view> <variant> <vector>
    <fmt/format.h> <gmock/gmock.h> <gtest/gtest.h>)
endif()

function(muster_precompile target)
  if(MUSTER_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM muster_precompiled)
  endif()
endfunction()
