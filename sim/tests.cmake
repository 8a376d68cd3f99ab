# The seed runs of the simulator: programs of their own, so that a failing seed is a command line.

if(BUILD_TESTING AND EXISTS "${CMAKE_SOURCE_DIR}/sim/core/main.cc")
  add_executable(core_sim sim/core/main.cc)
  target_link_libraries(core_sim PRIVATE muster_sim_core)
  # Seeds cost fifty times as much with sanitizers: many are tried as users' compiler flags make the
  # machine, beside the tests of real processes, and a few of them with sanitizers.
  if(MUSTER_SANITIZE)
    add_test(NAME sim.core_seeds COMMAND core_sim --seeds 1..200 --twice)
    set(core_labels sim program)
  else()
    add_test(NAME sim.core_seeds COMMAND core_sim --seeds 1..10000 --probes)
    add_test(NAME sim.core_seeds_twice COMMAND core_sim --seeds 1..500 --twice)
    set_tests_properties(sim.core_seeds_twice PROPERTIES LABELS sim TIMEOUT 2400)
    set(core_labels sim)
  endif()
  add_test(NAME sim.core_replay
    COMMAND core_sim --replay "${CMAKE_SOURCE_DIR}/test/replay/core_seeds.txt")
  set_tests_properties(sim.core_seeds sim.core_replay
    PROPERTIES LABELS "${core_labels}" TIMEOUT 2400)

  # The gate runs these, with sanitizers, at the lowest priority: the limit is for hangs.
  add_executable(full_sim sim/full/main.cc)
  target_link_libraries(full_sim PRIVATE muster_sim_full)
  add_test(NAME sim.full_seeds COMMAND full_sim --seeds 1..100)
  add_test(NAME sim.full_seeds_twice COMMAND full_sim --seeds 1..25 --twice)
  add_test(NAME sim.yarn_seeds COMMAND full_sim --yarn --seeds 1..100)
  add_test(NAME sim.yarn_seeds_twice COMMAND full_sim --yarn --seeds 1..25 --twice)
  add_test(NAME sim.full_replay
    COMMAND full_sim --replay "${CMAKE_SOURCE_DIR}/test/replay/full_seeds.txt")
  add_test(NAME sim.yarn_replay
    COMMAND full_sim --yarn --replay "${CMAKE_SOURCE_DIR}/test/replay/yarn_seeds.txt")
  set_tests_properties(sim.full_seeds sim.full_seeds_twice sim.yarn_seeds sim.yarn_seeds_twice
    sim.full_replay sim.yarn_replay
    PROPERTIES LABELS "sim;program" TIMEOUT 2400)
endif()
