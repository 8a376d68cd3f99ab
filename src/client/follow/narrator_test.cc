#include "client/follow/narrator.h"

#include "client/follow/console_files_test.h"
#include "testing/fake_loop.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace muster::client {
namespace {

job::Plan plan_of_one() {
  job::Plan plan;
  plan.job = job::JobId("test-1");
  plan.roles.push_back({.name = "worker", .tasks = 1, .tasks_min = 1});
  return plan;
}

/// The loop's clock counts from when the machine was started.
TEST(Narrator, CountsTheTimeOfAJobWithoutFactsFromWhenItWasFollowed) {
  testing::FakeLoop loop;
  loop.advance(std::chrono::hours(5));
  ConsoleFiles screen;
  Narrator narrator({.loop = loop, .console = screen.console(), .events = nullptr},
                    {.job_id = "test-1"});
  loop.advance(std::chrono::seconds(3));
  narrator.show_phase(job::Machine(plan_of_one()));
  EXPECT_EQ(screen.err(), "muster: gathering: containers 0/1, joined 0/1 (3.0 s)\n");
}

TEST(Narrator, GoesOnFromTheTimeOfTheNewestFact) {
  testing::FakeLoop loop;
  loop.advance(std::chrono::hours(5));
  ConsoleFiles screen;
  Narrator narrator({.loop = loop, .console = screen.console(), .events = nullptr},
                    {.job_id = "test-1"});
  job::Machine machine(plan_of_one());
  const Time started(std::chrono::minutes(7));
  (void)machine.apply(started, job::JobStarted{});
  narrator.applied(machine, started, job::JobStarted{});
  EXPECT_EQ(screen.err(), "muster: gathering: containers 0/1, joined 0/1 (0 ms)\n");
}

TEST(Narrator, OfManyLinesOfOneKindTellsAFewAndCountsTheRest) {
  testing::FakeLoop loop;
  ConsoleFiles screen;
  Narrator narrator({.loop = loop, .console = screen.console(), .events = nullptr},
                    {.job_id = "test-1"});
  job::Machine machine(plan_of_one());
  (void)machine.apply(Time{}, job::JobStarted{});
  for (int number = 0; number < 50; ++number) {
    const job::HostReported sick{.host = job::HostName("h" + std::to_string(number)),
                                 .health = job::HostHealth::Unhealthy};
    (void)machine.apply(Time{}, sick);
    narrator.applied(machine, Time{}, sick);
  }
  EXPECT_TRUE(screen.err().ends_with("muster: host h7 is unhealthy\n")) << screen.err();
  loop.advance(std::chrono::seconds(1));
  EXPECT_TRUE(
      screen.err().ends_with("muster: host h7 is unhealthy\n"
                             "muster: 42 more like it; the last: host h49 is unhealthy\n"))
      << screen.err();
}

}  // namespace
}  // namespace muster::client
