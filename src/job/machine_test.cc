#include "job/machine.h"

#include <gtest/gtest.h>

#include <chrono>

namespace muster::job {
namespace {

using namespace std::chrono_literals;

constexpr RoleIndex kWorker{0};

Plan two_workers() {
  Plan plan;
  plan.job = JobId("test-000000");
  plan.roles.push_back({.name = "worker", .tasks = 2, .tasks_min = 2});
  return plan;
}

/// Feeds facts at increasing times and keeps the actions of the last one.
class Driver {
 public:
  explicit Driver(Plan plan) : machine(std::move(plan)) {}

  const std::vector<Action>& tell(const Fact& fact) {
    now += 1ms;
    actions = machine.apply(now, fact);
    return actions;
  }
  template <class A>
  [[nodiscard]] std::vector<A> issued() const {
    std::vector<A> found;
    for (const Action& action : actions) {
      if (const A* wanted = std::get_if<A>(&action)) {
        found.push_back(*wanted);
      }
    }
    return found;
  }

  Machine machine;
  Time now{};
  std::vector<Action> actions;
};

AttemptId attempt_of(uint32_t index) { return {{kWorker, index}, 1}; }

Address address_of(uint32_t index) {
  return {.host = "127.0.0.1", .port = static_cast<uint16_t>(5000 + index)};
}

TEST(Machine, BringsTwoTasksThroughTheWholeLife) {
  Driver driver(two_workers());
  driver.tell(JobStarted{});
  ASSERT_EQ(driver.issued<RequestContainer>().size(), 2U);
  for (uint32_t i = 0; i < 2; ++i) {
    const ContainerId container("c" + std::to_string(i));
    driver.tell(ContainerGranted{RequestId(i + 1), container, HostName("h1")});
    ASSERT_EQ(driver.issued<LaunchAgent>().size(), 1U);
    driver.tell(AgentJoined{container, "127.0.0.1:9"});
    ASSERT_EQ(driver.issued<PrepareAttempt>().size(), 1U);
  }
  driver.tell(AttemptJoined{attempt_of(0), address_of(0)});
  EXPECT_TRUE(driver.issued<StartAttempt>().empty()) << "nobody starts before the barrier";
  driver.tell(AttemptJoined{attempt_of(1), address_of(1)});
  EXPECT_EQ(driver.issued<StartAttempt>().size(), 2U);
  EXPECT_EQ(driver.machine.state().view.members.size(), 2U);
  for (uint32_t i = 0; i < 2; ++i) {
    driver.tell(AttemptStarted{attempt_of(i), 100});
  }
  EXPECT_EQ(driver.machine.state().phase, JobPhase::Running);
  for (uint32_t i = 0; i < 2; ++i) {
    driver.tell(AttemptEnded{attempt_of(i), Exit{.exit_code = 0}});
  }
  EXPECT_EQ(driver.machine.state().phase, JobPhase::Stopping);
  for (uint32_t i = 0; i < 2; ++i) {
    driver.tell(ContainerEnded{.container = ContainerId("c" + std::to_string(i)),
                               .kind = ContainerEndKind::Released});
  }
  ASSERT_EQ(driver.issued<Finish>().size(), 1U);
  EXPECT_EQ(driver.issued<Finish>().front().outcome.result, JobResult::Succeeded);
}

TEST(Machine, BeginsOnceHoweverOftenItIsTold) {
  Driver driver(two_workers());
  driver.tell(JobStarted{});
  const auto started = driver.machine.state().started;
  EXPECT_TRUE(driver.tell(JobStarted{}).empty());
  EXPECT_EQ(driver.machine.state().started, started);
}

TEST(Machine, SaysHowManyGoWithATaskThatHangs) {
  Plan plan = two_workers();
  plan.roles.front().membership = spec::Membership::Static;
  plan.roles.front().stall.then = spec::StallAction::Restart;
  Driver driver(plan);
  driver.tell(JobStarted{});
  for (uint32_t i = 0; i < 2; ++i) {
    const ContainerId container("c" + std::to_string(i));
    driver.tell(ContainerGranted{RequestId(i + 1), container, HostName("h" + std::to_string(i))});
    driver.tell(AgentJoined{container, "127.0.0.1:9"});
    driver.tell(AttemptJoined{attempt_of(i), address_of(i)});
  }
  for (uint32_t i = 0; i < 2; ++i) {
    driver.tell(AttemptStarted{attempt_of(i), 100});
  }
  driver.tell(AttemptStalled{.attempt = attempt_of(0), .silent = 60s, .sure = Sureness::Certain});
  EXPECT_EQ(driver.issued<StopAttempt>().size(), 2U);
  const std::optional<RestartNote>& note = driver.machine.state().chronicle.restart();
  ASSERT_TRUE(note);
  EXPECT_EQ(note->cause.attempt, attempt_of(0));
  EXPECT_EQ(note->others, 1U);
}

TEST(Machine, RestartsAFailedProcessInItsPlace) {
  Plan plan = two_workers();
  plan.barrier = spec::Barrier::AsGranted;
  Driver driver(plan);
  driver.tell(JobStarted{});
  driver.tell(ContainerGranted{RequestId(1), ContainerId("c1"), HostName("h1")});
  driver.tell(AgentJoined{ContainerId("c1"), ""});
  driver.tell(AttemptJoined{attempt_of(0), address_of(0)});
  driver.tell(AttemptStarted{attempt_of(0), 100});
  driver.tell(AttemptEnded{attempt_of(0), Exit{.exit_code = 1}});
  const std::vector<SetDeadline> backoff = driver.issued<SetDeadline>();
  ASSERT_EQ(backoff.size(), 1U);
  EXPECT_GE(backoff.front().at - driver.now, 1s);
  EXPECT_LE(backoff.front().at - driver.now, 1100ms);
  driver.tell(DeadlinePassed{backoff.front().deadline});
  ASSERT_EQ(driver.issued<PrepareAttempt>().size(), 1U);
  EXPECT_EQ(driver.issued<PrepareAttempt>().front().attempt.number, 2U);
  EXPECT_EQ(driver.issued<PrepareAttempt>().front().restarts, 1U);
}

TEST(Machine, RemembersWhereAnAgentReportedLast) {
  Driver driver(two_workers());
  driver.tell(JobStarted{});
  driver.tell(ContainerGranted{RequestId(1), ContainerId("c1"), HostName("h1")});
  driver.tell(AgentJoined{ContainerId("c1"), "127.0.0.1:9"});
  const auto address = [&] {
    return driver.machine.state().containers.at(ContainerId("c1")).agent_address;
  };
  driver.tell(AgentReported{.container = ContainerId("c1"), .address = "127.0.0.1:10"});
  EXPECT_EQ(address(), "127.0.0.1:10");
  driver.tell(AgentReported{.container = ContainerId("c1"), .address = ""});
  EXPECT_EQ(address(), "127.0.0.1:10") << "a report without an address changes nothing";
}

TEST(Machine, LetsOnlyTheCurrentGenerationCommit) {
  Plan plan = two_workers();
  plan.barrier = spec::Barrier::AsGranted;
  Driver driver(plan);
  driver.tell(JobStarted{});
  driver.tell(ContainerGranted{RequestId(1), ContainerId("c1"), HostName("h1")});
  driver.tell(AgentJoined{ContainerId("c1"), ""});
  EXPECT_FALSE(driver.machine.may_commit(attempt_of(0), Generation(0)));
  driver.tell(AttemptJoined{attempt_of(0), address_of(0)});
  EXPECT_TRUE(driver.machine.may_commit(attempt_of(0), Generation(1)));
  EXPECT_FALSE(driver.machine.may_commit(attempt_of(0), Generation(2)));
  EXPECT_FALSE(driver.machine.may_commit(attempt_of(1), Generation(1)));
}

}  // namespace
}  // namespace muster::job
