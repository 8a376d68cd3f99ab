# The seed runs of the simulator: programs of their own, so that a failing seed is a command line.
# The gate runs them at the lowest priority, beside tests of real processes: the limit is for hangs.

if(BUILD_TESTING AND EXISTS "${CMAKE_SOURCE_DIR}/sim/core/main.cc")
  add_executable(core_sim sim/core/main.cc)
  target_link_libraries(core_sim PRIVATE muster_sim)
  add_test(NAME sim.core_seeds COMMAND core_sim --seeds 1..2000 --probes)
  add_test(NAME sim.core_seeds_twice COMMAND core_sim --seeds 1..200 --twice)
  add_test(NAME sim.core_replay
    COMMAND core_sim --replay "${CMAKE_SOURCE_DIR}/test/replay/core_seeds.txt")
  set_tests_properties(sim.core_seeds sim.core_seeds_twice sim.core_replay
    PROPERTIES LABELS "sim;program" TIMEOUT 2400)

  add_executable(full_sim sim/full/main.cc)
  target_link_libraries(full_sim PRIVATE muster_sim)
  add_test(NAME sim.full_seeds COMMAND full_sim --seeds 1..100 --twice)
  add_test(NAME sim.yarn_seeds COMMAND full_sim --yarn --seeds 1..100 --twice)
  add_test(NAME sim.full_replay
    COMMAND full_sim --replay "${CMAKE_SOURCE_DIR}/test/replay/full_seeds.txt")
  add_test(NAME sim.yarn_replay
    COMMAND full_sim --yarn --replay "${CMAKE_SOURCE_DIR}/test/replay/yarn_seeds.txt")
  set_tests_properties(sim.full_seeds sim.yarn_seeds sim.full_replay sim.yarn_replay
    PROPERTIES LABELS "sim;program" TIMEOUT 2400)
endif()
