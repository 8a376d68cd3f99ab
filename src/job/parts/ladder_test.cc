#include "job/parts/ladder.h"

#include "job/parts/parts_test.h"

#include <gtest/gtest.h>

#include <chrono>

namespace muster::job {
namespace {

using namespace std::chrono_literals;

Cause program_failure(uint32_t task) {
  Cause cause;
  cause.first.attempt = {first_role_task(task), 1};
  cause.first.exit_code = 1;
  cause.first.failure.kind = FailureKind::Program;
  return cause;
}

Plan plan_with(RestartBudget budget) {
  Plan plan = plan_of(2);
  plan.roles.front().restart = budget;
  return plan;
}

constexpr bool kOneHost = true;

TEST(Ladder, ClimbsUntilEverythingIsSpent) {
  const Plan plan = plan_with({.process = 1, .container = 1, .host = 1});
  Ladder ladder(plan);
  EXPECT_EQ(ladder.climb(program_failure(0), !kOneHost, Time(1s)), Rung::Process);
  EXPECT_EQ(ladder.climb(program_failure(0), !kOneHost, Time(2s)), Rung::Container);
  EXPECT_EQ(ladder.climb(program_failure(0), !kOneHost, Time(3s)), Rung::Host);
  EXPECT_EQ(ladder.climb(program_failure(0), !kOneHost, Time(4s)), std::nullopt);
  EXPECT_EQ(ladder.climb(program_failure(1), !kOneHost, Time(4s)), Rung::Process);
}

TEST(Ladder, KeepsAProgramThatEndsByItselfInItsPlace) {
  const Plan plan = plan_with(
      {.process = 1, .container = 1, .container_for_program = false, .host_for_program = false});
  Ladder ladder(plan);
  EXPECT_EQ(ladder.climb(program_failure(0), !kOneHost, Time(3s)), Rung::Process);
  EXPECT_EQ(ladder.climb(program_failure(0), !kOneHost, Time(4s)), std::nullopt);
  Cause killed = program_failure(0);
  killed.first.exit_code = 128 + 9;
  EXPECT_EQ(ladder.climb(killed, !kOneHost, Time(5s)), Rung::Container);
}

TEST(Ladder, TakesASignalsCodeForASignalUpToTheLast) {
  const Plan plan = plan_with(
      {.process = 0, .container = 4, .container_for_program = false, .host_for_program = false});
  for (const int32_t code : {129, 192}) {
    Ladder ladder(plan);
    Cause killed = program_failure(0);
    killed.first.exit_code = code;
    EXPECT_EQ(ladder.climb(killed, !kOneHost, Time(1s)), Rung::Container) << code;
  }
  for (const int32_t code : {128, 193}) {
    Ladder ladder(plan);
    Cause chosen = program_failure(0);
    chosen.first.exit_code = code;
    EXPECT_EQ(ladder.climb(chosen, !kOneHost, Time(1s)), std::nullopt) << code;
  }
}

TEST(Ladder, TriesNoOtherHostWhereThereIsNone) {
  const Plan plan = plan_with({.process = 0, .container = 0, .host = 2});
  Ladder ladder(plan);
  EXPECT_EQ(ladder.climb(program_failure(0), kOneHost, Time(1s)), std::nullopt);
  Cause of_host = program_failure(0);
  of_host.rung = Rung::Host;
  EXPECT_EQ(ladder.climb(of_host, kOneHost, Time(2s)), Rung::Host);
}

// A smaller count on any rung never means more tries.
TEST(Ladder, GivesFewerTriesForASmallerBudget) {
  const auto tries = [](uint32_t process, bool moves, uint32_t container) {
    const Plan plan = plan_with({.process = process,
                                 .container = container,
                                 .container_for_program = moves,
                                 .host_for_program = false});
    Ladder ladder(plan);
    uint32_t count = 1;
    while (ladder.climb(program_failure(0), !kOneHost, Time(1s))) {
      ++count;
    }
    return count;
  };
  EXPECT_EQ(tries(3, false, 3), 4U);
  EXPECT_EQ(tries(1, false, 3), 2U);
  EXPECT_EQ(tries(0, false, 3), 1U);
  EXPECT_EQ(tries(3, true, 0), 4U);
  EXPECT_EQ(tries(3, true, 1), 5U);
}

TEST(Ladder, WaitsTwiceAsLongAfterASecondCharge) {
  const Plan plan = plan_with({.process = 3, .backoff_low = 10s, .backoff_high = 60s});
  Ladder ladder(plan);
  const auto whole_seconds = [&] {
    return std::chrono::floor<std::chrono::seconds>(
               ladder.wait_of(first_role_task(0), 1, Time(5s))) /
           10s;
  };
  ASSERT_TRUE(ladder.charge(Rung::Process, first_role_task(0), Time(1s)));
  EXPECT_EQ(whole_seconds(), 1);
  ASSERT_TRUE(ladder.charge(Rung::Process, first_role_task(0), Time(2s)));
  EXPECT_EQ(whole_seconds(), 2);
}

TEST(Ladder, SharesTheJobsRungBetweenAllTasks) {
  const Plan plan = plan_with({.job = 1});
  Ladder ladder(plan);
  EXPECT_TRUE(ladder.charge(Rung::Job, first_role_task(0), Time(1s)));
  EXPECT_FALSE(ladder.charge(Rung::Job, first_role_task(1), Time(2s)));
  const RestartNote note = ladder.note(Rung::Job, program_failure(1), 3s, 4, Time(2s));
  EXPECT_EQ(note.nth, 1U);
  EXPECT_EQ(note.limit, 1U);
  EXPECT_EQ(note.others, 4U);
}

}  // namespace
}  // namespace muster::job
