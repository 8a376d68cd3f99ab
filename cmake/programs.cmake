# Programs beside muster: fuzz targets, benchmarks, and the tests with real processes.

# fuzz/NAME_fuzz.cc defines LLVMFuzzerTestOneInput; fuzz/corpus/NAME/ holds its stored inputs. With
# MUSTER_FUZZ it is a fuzzer, NAME_fuzz; in every other build it replays the corpus as a unit test.
file(GLOB fuzz_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/fuzz/*_fuzz.cc")
foreach(source IN LISTS fuzz_sources)
  get_filename_component(target "${source}" NAME_WE)
  string(REGEX REPLACE "_fuzz$" "" name "${target}")
  if(MUSTER_FUZZ)
    add_executable(${target} "${source}")
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  elseif(BUILD_TESTING)
    add_executable(${target} "${source}" "${CMAKE_SOURCE_DIR}/fuzz/replay.cc")
    add_test(NAME unit.fuzz.${name}
      COMMAND ${target} "${CMAKE_SOURCE_DIR}/fuzz/corpus/${name}")
    set_tests_properties(unit.fuzz.${name} PROPERTIES LABELS unit TIMEOUT 120)
  endif()
  if(TARGET ${target})
    target_link_libraries(${target} PRIVATE ${MUSTER_MODULES} muster_settings)
  endif()
endforeach()

# bench/NAME_bench.cc: google-benchmark programs; `make bench` runs them. The other sources there
# are what they share.
file(GLOB bench_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/bench/*_bench.cc")
file(GLOB bench_shared CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/bench/*.cc")
list(FILTER bench_shared EXCLUDE REGEX "_bench\\.cc$")
if(bench_sources)
  find_package(benchmark REQUIRED)
endif()
foreach(source IN LISTS bench_sources)
  get_filename_component(target "${source}" NAME_WE)
  add_executable(${target} "${source}" ${bench_shared})
  target_link_libraries(${target} PRIVATE
    ${MUSTER_TEST_MODULES} ${MUSTER_MODULES} muster_settings benchmark::benchmark_main)
endforeach()

# test/LABEL/test_*.py: real processes, driven by the pinned pytest; each file is one test. They
# find the program under test in $MUSTER_BINARY. A file may state its limit in seconds:
# `# timeout: 600`.
if(BUILD_TESTING AND EXISTS "${CMAKE_SOURCE_DIR}/src/app/main.cc")
  foreach(label IN ITEMS local hadoop spark web)
    file(GLOB pytest_files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/test/${label}/test_*.py")
    foreach(file IN LISTS pytest_files)
      get_filename_component(stem "${file}" NAME_WE)
      string(REGEX REPLACE "^test_" "" stem "${stem}")
      file(STRINGS "${file}" limit REGEX "^# timeout: [0-9]+$" LIMIT_COUNT 1)
      string(REGEX REPLACE "^# timeout: " "" limit "${limit}")
      if(NOT limit)
        set(limit 300)
      endif()
      add_test(NAME ${label}.${stem} WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
        COMMAND "${CMAKE_SOURCE_DIR}/tools/pytest" -q "${file}")
      set_tests_properties(${label}.${stem} PROPERTIES LABELS ${label} TIMEOUT ${limit}
        ENVIRONMENT "MUSTER_BINARY=$<TARGET_FILE:muster>;PYTHONDONTWRITEBYTECODE=1")
    endforeach()
  endforeach()
endif()

# The self-tests of the lint checks: each must be able to fail.
if(BUILD_TESTING AND EXISTS "${CMAKE_SOURCE_DIR}/tools/lint/tests")
  add_test(NAME unit.lint WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}/tools/lint"
    COMMAND ${MUSTER_PYTHON} -B -m unittest discover -q -s tests -t .)
  set_tests_properties(unit.lint PROPERTIES LABELS unit TIMEOUT 120)
endif()

# The table of `make bench`, without measuring anything.
if(BUILD_TESTING AND EXISTS "${CMAKE_SOURCE_DIR}/tools/measure/tests")
  add_test(NAME unit.measure WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}/tools/measure"
    COMMAND ${MUSTER_PYTHON} -B -m unittest discover -q -s tests -t .)
  set_tests_properties(unit.measure PROPERTIES LABELS unit TIMEOUT 60)
endif()

# The generated pages of docs/reference are those of this build.
if(BUILD_TESTING AND EXISTS "${CMAKE_SOURCE_DIR}/src/app/main.cc")
  add_test(NAME unit.reference
    COMMAND ${MUSTER_PYTHON} -B "${CMAKE_SOURCE_DIR}/tools/reference" --check
      --binary $<TARGET_FILE:muster>)
  set_tests_properties(unit.reference PROPERTIES LABELS unit TIMEOUT 60)
endif()
