# Programs beside muster: fuzz targets, benchmarks, and the tests with real processes.

# fuzz/NAME_fuzz.cc defines LLVMFuzzerTestOneInput; fuzz/corpus/NAME/ holds its stored inputs. With
# MUSTER_FUZZ it is a fuzzer, NAME_fuzz; in every other build it replays the corpus as a unit test.
# It links the modules whose headers it includes (and what those use), so that it is built early.
file(GLOB fuzz_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/fuzz/*_fuzz.cc")
if(fuzz_sources AND BUILD_TESTING AND NOT MUSTER_FUZZ)
  add_library(fuzz_replay OBJECT "${CMAKE_SOURCE_DIR}/fuzz/replay.cc")
  muster_precompile_test(fuzz_replay)
endif()
foreach(source IN LISTS fuzz_sources)
  get_filename_component(target "${source}" NAME_WE)
  string(REGEX REPLACE "_fuzz$" "" name "${target}")
  if(MUSTER_FUZZ)
    add_executable(${target} "${source}")
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  elseif(BUILD_TESTING)
    add_executable(${target} "${source}" $<TARGET_OBJECTS:fuzz_replay>)
    muster_precompile_test(${target})
    add_test(NAME unit.fuzz.${name}
      COMMAND ${target} "${CMAKE_SOURCE_DIR}/fuzz/corpus/${name}")
    set_tests_properties(unit.fuzz.${name} PROPERTIES LABELS "unit;program" TIMEOUT 120)
  endif()
  if(TARGET ${target})
    file(STRINGS "${source}" includes REGEX "^#include \"[a-z_/]+/[a-z_0-9]+\\.h\"")
    foreach(include IN LISTS includes)
      string(REGEX REPLACE "^#include \"([a-z_/]+)/[^/]*$" "\\1" module "${include}")
      while(NOT module IN_LIST MUSTER_NAMES AND module MATCHES "/")
        string(REGEX REPLACE "/[^/]*$" "" module "${module}")
      endwhile()
      string(REPLACE "/" "_" module "${module}")
      target_link_libraries(${target} PRIVATE muster_${module})
    endforeach()
  endif()
endforeach()

# bench/NAME_bench.cc: google-benchmark programs; `make bench` runs them. The other sources there
# are what they share. With sanitizers, where nobody would run them, they are compiled only.
file(GLOB bench_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/bench/*_bench.cc")
file(GLOB bench_shared CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/bench/*.cc")
list(FILTER bench_shared EXCLUDE REGEX "_bench\\.cc$")
if(bench_sources)
  find_package(benchmark REQUIRED)
  add_library(bench_shared OBJECT ${bench_shared})
  target_link_libraries(bench_shared PRIVATE
    ${MUSTER_TEST_MODULES} ${MUSTER_MODULES} muster_settings benchmark::benchmark_main)
  if(MUSTER_SANITIZE)
    muster_precompile_test(bench_shared)
  endif()
endif()
foreach(source IN LISTS bench_sources)
  get_filename_component(target "${source}" NAME_WE)
  if(MUSTER_SANITIZE)
    add_library(${target} OBJECT "${source}")
    muster_precompile_test(${target})
  else()
    add_executable(${target} "${source}" $<TARGET_OBJECTS:bench_shared>)
  endif()
  target_link_libraries(${target} PRIVATE
    ${MUSTER_TEST_MODULES} ${MUSTER_MODULES} muster_settings benchmark::benchmark_main)
endforeach()

# Sets `variable` to the value of a line `# KEY: value` of the file, else to the default.
function(muster_setting variable file key default)
  file(STRINGS "${file}" line REGEX "^# ${key}: [a-z0-9]+$" LIMIT_COUNT 1)
  string(REGEX REPLACE "^# ${key}: " "" value "${line}")
  if(value STREQUAL "")
    set(value ${default})
  endif()
  set(${variable} ${value} PARENT_SCOPE)
endfunction()

# test/LABEL/test_*.py: real processes, driven by the pinned pytest; each file is one test. They
# find the program under test in $MUSTER_BINARY. A file may state its limit in seconds:
# `# timeout: 600`, and, where its tests mostly wait, how many of them run at once: `# together: 4`.
# One of test/spark may ask to run on the newest Spark, too: `# also: newest`. Those with the same
# line `# application: NAME` are one test, spark.NAME, to which the longest of their limits applies:
# they share an application of Spark, whose three Java processes take 12 s of processor time.
if(BUILD_TESTING AND EXISTS "${CMAKE_SOURCE_DIR}/src/app/main.cc")
  foreach(label IN ITEMS local spark web)
    set(pytest "${CMAKE_SOURCE_DIR}/tools/pytest")
    set(environment "MUSTER_BINARY=$<TARGET_FILE:muster>;PYTHONDONTWRITEBYTECODE=1")
    if(label STREQUAL "spark")
      if(NOT TARGET muster_feed_library)
        continue()
      endif()
      list(APPEND pytest --environment spark)
      list(APPEND environment "PYTHONPATH=${CMAKE_SOURCE_DIR}/python/src"
        "MUSTER_FEED_LIBRARY=$<TARGET_FILE:muster_feed_library>")
    endif()
    set(applications "")
    file(GLOB pytest_files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/test/${label}/test_*.py")
    foreach(file IN LISTS pytest_files)
      get_filename_component(stem "${file}" NAME_WE)
      string(REGEX REPLACE "^test_" "" stem "${stem}")
      muster_setting(limit "${file}" timeout 300)
      muster_setting(together "${file}" together "")
      if(together)
        set(together -n ${together})
      endif()
      muster_setting(application "${file}" application "")
      if(application)
        list(APPEND applications ${application})
        list(APPEND files_of_${application} "${file}")
        if(NOT limit_of_${application} GREATER limit)
          set(limit_of_${application} ${limit})
        endif()
      else()
        add_test(NAME ${label}.${stem} WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
          COMMAND ${pytest} -q ${together} "${file}")
        set_tests_properties(${label}.${stem} PROPERTIES LABELS ${label} TIMEOUT ${limit}
          ENVIRONMENT "${environment}")
      endif()
      muster_setting(also "${file}" also "")
      if(also)
        add_test(NAME ${label}.${stem}.${also} WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
          COMMAND "${CMAKE_SOURCE_DIR}/tools/pytest" --environment ${label}_${also} -q "${file}")
        set_tests_properties(${label}.${stem}.${also} PROPERTIES LABELS ${label} TIMEOUT ${limit}
          ENVIRONMENT "${environment}")
      endif()
    endforeach()
    list(REMOVE_DUPLICATES applications)
    foreach(application IN LISTS applications)
      add_test(NAME ${label}.${application} WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
        COMMAND ${pytest} -q ${files_of_${application}})
      set_tests_properties(${label}.${application} PROPERTIES LABELS ${label}
        TIMEOUT ${limit_of_${application}} ENVIRONMENT "${environment}")
    endforeach()
  endforeach()
endif()

# The programs by which test/hadoop speaks to real daemons, step by step; they lie beside the
# program under test. By rpc_probe the speed of calls is measured, too. Each is compiled in one go,
# with the precompiled headers of the product's hot code: one by one they took twice the time.
function(muster_probe_sources target folder)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/test/hadoop/${folder}/*.cc")
  muster_batches(batches ${target} "${sources}" ${MUSTER_BATCH})
  target_sources(${target} PRIVATE ${batches})
  target_include_directories(${target} PRIVATE "${CMAKE_SOURCE_DIR}/test/hadoop/${folder}")
  target_compile_options(${target} PRIVATE ${MUSTER_HARDENING})
  muster_precompile(${target} product TRUE)
endfunction()

if(BUILD_TESTING)
  add_library(hadoop_probe STATIC)
  muster_probe_sources(hadoop_probe probe)
  target_include_directories(hadoop_probe PUBLIC "${CMAKE_SOURCE_DIR}/test/hadoop/probe")
  target_link_libraries(hadoop_probe PUBLIC muster_hadoop_krb5 muster_boost_json)
  foreach(module IN ITEMS rpc yarn)
    add_executable(${module}_probe)
    muster_probe_sources(${module}_probe ${module}_probe)
    target_link_libraries(${module}_probe PRIVATE muster_hadoop_${module} hadoop_probe)
    add_dependencies(${module}_probe muster_krb5)
  endforeach()
  add_executable(hdfs_probe)
  muster_probe_sources(hdfs_probe hdfs_probe)
  target_link_libraries(hdfs_probe PRIVATE muster_hadoop_hdfs)
endif()

# test/hadoop/test_*.py: each runs on the newest Hadoop, on a bed of real daemons of the variant
# that it names in a line of its own, `# bed: ha` (else plain). What touches the wire or the life of
# a job (rpc, fs, yarn, HA, Kerberos, failures, restarts) has a line `# hadoop: each` and runs on
# every version, because that is where these differ. ctest starts a bed before its tests and ends it
# after them; it also ends with ctest. Two beds are up at a time, so that memory and cores suffice
# beside the other tests: the plain one of the newest version, whose tests take longest of all, and
# the others one after the other. The beds come first, because they take longest. Some files are
# not for the plain bed though they could be, so that both queues end at about the same time.
set(bed "${CMAKE_SOURCE_DIR}/tools/hadoop/bed")
set(bed_links "${CMAKE_BINARY_DIR}/beds")
set(hadoop_versions 3.3.6 3.4.3)
list(GET hadoop_versions -1 newest_hadoop)
if(BUILD_TESTING AND EXISTS "${CMAKE_SOURCE_DIR}/src/app/main.cc")
  file(GLOB pytest_files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/test/hadoop/test_*.py")
  foreach(version IN LISTS hadoop_versions)
    set(beds "")
    foreach(file IN LISTS pytest_files)
      get_filename_component(stem "${file}" NAME_WE)
      string(REGEX REPLACE "^test_" "" stem "${stem}")
      muster_setting(wanted "${file}" hadoop newest)
      if(NOT wanted STREQUAL "each" AND NOT version STREQUAL newest_hadoop)
        continue()
      endif()
      if(stem STREQUAL "spark" AND NOT TARGET muster_feed_library)
        continue()
      endif()
      muster_setting(limit "${file}" timeout 900)
      muster_setting(variant "${file}" bed plain)
      set(id ${variant}.${version})
      add_test(NAME hadoop.${stem}.${version} WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
        COMMAND "${CMAKE_SOURCE_DIR}/tools/pytest" -q "${file}" --hadoop=${version} --lent)
      set_tests_properties(hadoop.${stem}.${version} PROPERTIES LABELS hadoop
        TIMEOUT ${limit} COST 1000
        FIXTURES_REQUIRED bed.${id} RESOURCE_LOCK bed.${id}
        ENVIRONMENT "MUSTER_BINARY=$<TARGET_FILE:muster>;MUSTER_HADOOP_BEDS=${bed_links}")
      # What Spark feeds goes through the library; where none is built there is no such test.
      if(stem STREQUAL "spark")
        set_property(TEST hadoop.${stem}.${version} APPEND PROPERTY
          ENVIRONMENT "MUSTER_FEED_LIBRARY=$<TARGET_FILE:muster_feed_library>")
      endif()
      list(APPEND beds ${variant})
    endforeach()
    list(REMOVE_DUPLICATES beds)
    foreach(variant IN LISTS beds)
      set(id ${variant}.${version})
      set(queue others)
      if(id STREQUAL "plain.${newest_hadoop}")
        set(queue longest)
      endif()
      set(at --version ${version} --variant ${variant} --beds "${bed_links}")
      add_test(NAME hadoop.up.${id} COMMAND "${bed}" up ${at} --with-parent)
      add_test(NAME hadoop.down.${id} COMMAND "${bed}" down ${at})
      set_tests_properties(hadoop.up.${id} PROPERTIES LABELS hadoop TIMEOUT 600 COST 1000
        FIXTURES_SETUP bed.${id} DEPENDS "${last_bed_of_${queue}}")
      set_tests_properties(hadoop.down.${id} PROPERTIES LABELS hadoop TIMEOUT 300 COST 1000
        FIXTURES_CLEANUP bed.${id})
      set(last_bed_of_${queue} hadoop.down.${id})
    endforeach()
  endforeach()
endif()

# The tests that follow run none of our C++ code or only look at its output: once is enough.
if(MUSTER_SANITIZE)
  set(MUSTER_TEST_TOOLS OFF)
else()
  set(MUSTER_TEST_TOOLS ${BUILD_TESTING})
endif()

# The self-tests of the lint checks: each must be able to fail.
if(MUSTER_TEST_TOOLS AND EXISTS "${CMAKE_SOURCE_DIR}/tools/lint/tests")
  add_test(NAME unit.lint WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}/tools/lint"
    COMMAND ${MUSTER_PYTHON} -B -m unittest discover -q -s tests -t .)
  set_tests_properties(unit.lint PROPERTIES LABELS unit TIMEOUT 120)
endif()

# What `make test` does with tests that fail, that never start, and with its own end.
if(MUSTER_TEST_TOOLS AND EXISTS "${CMAKE_SOURCE_DIR}/tools/gate/tests")
  add_test(NAME unit.gate WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}/tools/gate"
    COMMAND ${MUSTER_PYTHON} -B -m unittest discover -q -s tests -t .)
  set_tests_properties(unit.gate PROPERTIES LABELS unit TIMEOUT 120)
endif()

# The table of `make bench`, without measuring anything.
if(MUSTER_TEST_TOOLS AND EXISTS "${CMAKE_SOURCE_DIR}/tools/measure/tests")
  add_test(NAME unit.measure WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}/tools/measure"
    COMMAND ${MUSTER_PYTHON} -B -m unittest discover -q -s tests -t .)
  set_tests_properties(unit.measure PROPERTIES LABELS unit TIMEOUT 60)
endif()

# How mutants are generated. Where the compiler's syntax tree cannot be read (tools/setup mutants)
# the tests of what reads it say that they are skipped.
if(MUSTER_TEST_TOOLS AND EXISTS "${CMAKE_SOURCE_DIR}/tools/mutation/tests")
  add_test(NAME unit.mutation WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}/tools/mutation"
    COMMAND ${MUSTER_PYTHON} -B -m unittest discover -q -s tests -t .)
  set_tests_properties(unit.mutation PROPERTIES LABELS unit TIMEOUT 120)
endif()

# The generated pages of docs/reference are those of this build.
if(MUSTER_TEST_TOOLS AND EXISTS "${CMAKE_SOURCE_DIR}/src/app/main.cc")
  add_test(NAME unit.reference
    COMMAND ${MUSTER_PYTHON} -B "${CMAKE_SOURCE_DIR}/tools/reference" --check
      --binary $<TARGET_FILE:muster>)
  set_tests_properties(unit.reference PROPERTIES LABELS unit TIMEOUT 60)
endif()

# The slow ones first: what test/costs.txt says of a test. Those of the beds before all
# others, because they take one after the other.
set(test_costs "${CMAKE_SOURCE_DIR}/test/costs.txt")
if(BUILD_TESTING AND EXISTS "${test_costs}")
  set_property(DIRECTORY "${CMAKE_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    "${test_costs}")
  get_property(names DIRECTORY "${CMAKE_SOURCE_DIR}" PROPERTY TESTS)
  file(STRINGS "${test_costs}" rows REGEX "^[a-z]")
  foreach(row IN LISTS rows)
    string(REGEX MATCH "^([^ ]+) ([0-9]+)$" _ "${row}")
    set(name "${CMAKE_MATCH_1}")
    set(cost "${CMAKE_MATCH_2}")
    if(name MATCHES "^hadoop[.]")
      math(EXPR cost "${cost} + 1000")
    endif()
    if(name IN_LIST names)
      set_tests_properties(${name} PROPERTIES COST ${cost})
    endif()
  endforeach()
endif()

# Target test_programs: the programs of the tests with the label `program` (of unit and sim), and
# the benchmarks, so that these compile. The gate builds them with sanitizers, and only so.
# Target process_programs: muster (CMakeLists.txt), what the tests of real processes run beside it,
# and the simulator of the machine.
add_custom_target(test_programs)
add_custom_target(process_programs)
get_property(targets DIRECTORY "${CMAKE_SOURCE_DIR}" PROPERTY BUILDSYSTEM_TARGETS)
foreach(target IN LISTS targets)
  get_target_property(type ${target} TYPE)
  if(target STREQUAL "core_sim")
    add_dependencies(process_programs core_sim)
    add_dependencies(test_programs core_sim)
  elseif(target MATCHES "_probe$|^muster_feed_library$|^muster_java$" AND
      NOT target STREQUAL "hadoop_probe")
    add_dependencies(process_programs ${target})
  elseif(type STREQUAL "EXECUTABLE" OR target MATCHES "_bench$|^bench_shared$")
    add_dependencies(test_programs ${target})
  endif()
endforeach()
