#include "account/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <numeric>

namespace muster::account {
namespace {

using namespace std::chrono_literals;
using job::AttemptId;
using job::ContainerId;
using job::HostName;
using job::RequestId;
using job::TaskId;

job::Plan plan_of(uint32_t workers, spec::Membership membership, uint32_t per_container = 1) {
  job::Plan plan;
  plan.job = job::JobId("account-000000");
  job::RolePlan role;
  role.name = "worker";
  role.tasks = role.tasks_min = workers;
  role.tasks_per_container = per_container;
  role.membership = membership;
  role.resources.memory_bytes = 1ULL << 30;
  role.restart.backoff_low = role.restart.backoff_high = Duration::zero();
  plan.roles.push_back(role);
  return plan;
}

/// A job whose facts a test reports, second by second.
class World {
 public:
  explicit World(job::Plan plan) : ledger(std::move(plan)) { tell(0s, job::JobStarted{}); }

  void tell(Duration at, const job::Fact& fact) { ledger.apply(Time(at), fact); }
  void grant(Duration at, uint32_t request, const std::string& container) {
    tell(at, job::ContainerGranted{RequestId(request), ContainerId(container), HostName("h1")});
  }
  void join(Duration at, const std::string& container) {
    tell(at, job::AgentJoined{ContainerId(container), "h1:1"});
  }
  void joined(Duration at, uint32_t task, uint32_t number = 1) {
    tell(at, job::AttemptJoined{attempt(task, number),
                                {.host = "h1", .port = 5000, .named_ports = {}}});
  }
  void started(Duration at, uint32_t task, uint32_t number = 1) {
    tell(at, job::AttemptStarted{attempt(task, number), 7});
  }
  void succeeded(Duration at, uint32_t task, uint32_t number = 1) {
    tell(at, job::AttemptEnded{attempt(task, number),
                               {.exit_code = 0, .memory_peak_bytes = 100ULL << 20}});
  }
  void failed(Duration at, uint32_t task, uint32_t number = 1) {
    tell(at, job::AttemptEnded{attempt(task, number),
                               {.exit_code = 1,
                                .failure = job::Failure{.class_name = "program.exit",
                                                        .kind = job::FailureKind::Program}}});
  }
  void gone(Duration at, const std::string& container) {
    tell(at, job::ContainerEnded{.container = ContainerId(container),
                                 .kind = job::ContainerEndKind::Released});
  }
  static AttemptId attempt(uint32_t task, uint32_t number) {
    return {TaskId{job::RoleIndex(0), task}, number};
  }
  [[nodiscard]] Duration in(Class what, Duration until, const Signs& signs = {}) const {
    return ledger.account(Time(until), signs).classes[index_of(what)];
  }

  Ledger ledger;
};

/// One task: granted at 2 s, started at 5 s, done at 65 s, its container gone at 66 s.
World small_job() {
  World world(plan_of(1, spec::Membership::Independent));
  world.grant(2s, 1, "c1");
  world.join(3s, "c1");
  world.joined(4s, 0);
  world.started(5s, 0);
  world.succeeded(65s, 0);
  world.gone(66s, "c1");
  return world;
}

TEST(Ledger, ClassesASmallJob) {
  const World world = small_job();
  const Account account = world.ledger.account(Time(100s));
  EXPECT_FALSE(account.running);
  EXPECT_EQ(account.granted, 64s);
  EXPECT_EQ(account.queued, 2s);
  EXPECT_EQ(account.classes[index_of(Class::Gathering)], 3s);
  EXPECT_EQ(account.classes[index_of(Class::Productive)], 60s);
  EXPECT_EQ(account.classes[index_of(Class::Ending)], 1s);
  EXPECT_DOUBLE_EQ(account.goodput().value_or(0), 60.0 / 64);
  EXPECT_EQ(account.starts, (StartsKnown{.by_step = 0, .by_output = 0, .unknown = 1}));
}

TEST(Ledger, TakesThePeakFromTheEnd) {
  const Account account = small_job().ledger.account(Time(100s));
  ASSERT_EQ(account.roles.size(), 1U);
  EXPECT_EQ(account.roles[0].memory_peak_bytes, 100ULL << 20);
  EXPECT_EQ(account.roles[0].memory_peak_task, "worker:0");
  EXPECT_EQ(account.roles[0].granted, 64s);
}

TEST(Ledger, CountsWhatComesBeforeTheFirstStepAsStarting) {
  const World world = small_job();
  const Signs step = {{World::attempt(0, 1), {.first_step = Time(25s), .first_output = Time(6s)}}};
  EXPECT_EQ(world.in(Class::Starting, 100s, step), 20s);
  EXPECT_EQ(world.in(Class::Productive, 100s, step), 40s);
  const Signs output = {{World::attempt(0, 1), {.first_output = Time(6s)}}};
  EXPECT_EQ(world.in(Class::Starting, 100s, output), 1s);
  EXPECT_EQ(world.ledger.account(Time(100s), output).starts.by_output, 1U);
}

TEST(Ledger, KnowsASignOnlyWithinTheRun) {
  const Signs late = {{World::attempt(0, 1), {.first_step = Time(500s)}}};
  EXPECT_EQ(small_job().in(Class::Starting, 600s, late), 60s);
  const Signs early = {{World::attempt(0, 1), {.first_step = Time(1s)}}};
  EXPECT_EQ(small_job().in(Class::Starting, 600s, early), 0s);
}

TEST(Ledger, MarksDivideTheWork) {
  const Signs marked = {{World::attempt(0, 1),
                         {.first_step = {},
                          .first_output = {},
                          .marks = {{Time(10s), Time(20s), Class::Saving},
                                    {Time(15s), Time(30s), Class::Stalled},
                                    {Time(60s), Time(90s), Class::Waiting}}}}};
  const World world = small_job();
  EXPECT_EQ(world.in(Class::Saving, 100s, marked), 10s);
  EXPECT_EQ(world.in(Class::Stalled, 100s, marked), 10s);
  EXPECT_EQ(world.in(Class::Waiting, 100s, marked), 5s);
  EXPECT_EQ(world.in(Class::Productive, 100s, marked), 35s);
}

TEST(Ledger, CountsARunningJobUpToNow) {
  World world(plan_of(1, spec::Membership::Independent));
  world.grant(2s, 1, "c1");
  world.join(3s, "c1");
  world.joined(4s, 0);
  world.started(5s, 0);
  const Account account = world.ledger.account(Time(105s));
  EXPECT_TRUE(account.running);
  EXPECT_EQ(account.granted, 103s);
  EXPECT_EQ(account.classes[index_of(Class::Productive)], 100s);
}

TEST(Ledger, QueuesWhileItHoldsNothing) {
  const World world(plan_of(1, spec::Membership::Independent));
  const Account account = world.ledger.account(Time(40s), {}, {}, 10s);
  EXPECT_EQ(account.queued, 50s);
  EXPECT_EQ(account.granted, 0s);
  EXPECT_EQ(account.goodput(), std::nullopt);
}

/// A task that fails at 65 s and runs again, from 70 s to 100 s.
World restarted_job(std::optional<Duration> committed) {
  World world(plan_of(1, spec::Membership::Independent));
  world.grant(2s, 1, "c1");
  world.join(3s, "c1");
  world.joined(4s, 0);
  world.started(5s, 0);
  if (committed) {
    world.tell(*committed,
               job::CheckpointCommitted{World::attempt(0, 1), job::Generation(1), "step-1"});
  }
  world.failed(65s, 0);
  world.joined(68s, 0, 2);
  world.started(70s, 0, 2);
  world.succeeded(100s, 0, 2);
  world.gone(101s, "c1");
  return world;
}

TEST(Ledger, WorkWithoutACheckpointIsRepeated) {
  const World world = restarted_job({});
  EXPECT_EQ(world.ledger.account(Time(200s)).guessed, 60s) << "it is not known better";
  EXPECT_EQ(world.in(Class::Repeated, 200s), 60s);
  EXPECT_EQ(world.in(Class::Productive, 200s), 30s);
  EXPECT_EQ(world.in(Class::Gathering, 200s), 3s + 5s);
}

TEST(Ledger, WorkUpToTheLastCommitCounts) {
  const World world = restarted_job(45s);
  EXPECT_EQ(world.in(Class::Repeated, 200s), 20s);
  EXPECT_EQ(world.in(Class::Productive, 200s), 40s + 30s);
}

TEST(Ledger, WhereTheNextAttemptBeganTellsWhatWasKept) {
  const World world = restarted_job({});
  Signs signs;
  AttemptSigns& first = signs[World::attempt(0, 1)];
  for (int i = 0; i <= 60; ++i) {
    first.steps.push_back({.at = Time(5s + i * 1s), .number = 100.0 + i});
  }
  const auto repeated = [&](double begun) {
    signs[World::attempt(0, 2)].steps = {{.at = Time(72s), .number = begun}};
    const Account account = world.ledger.account(Time(200s), signs);
    EXPECT_EQ(account.guessed, Duration::zero());
    return account.classes[index_of(Class::Repeated)];
  };
  EXPECT_EQ(repeated(140), 20s) << "it has a checkpoint that only it knows of";
  EXPECT_EQ(repeated(0), 60s);
  EXPECT_EQ(repeated(1000), 0s);
}

TEST(Ledger, WhatPeersReportTellsWhatWasKeptOfAll) {
  World world(plan_of(2, spec::Membership::Static));
  for (const uint32_t task : {0U, 1U}) {
    const std::string container = "c" + std::to_string(task + 1);
    world.grant(0s, task + 1, container);
    world.join(1s, container);
    world.joined(2s, task);
  }
  for (const uint32_t task : {0U, 1U}) {
    world.started(5s, task);
  }
  world.failed(65s, 1);
  world.failed(65s, 0);
  for (const uint32_t task : {0U, 1U}) {
    world.joined(68s, task, 2);
  }
  for (const uint32_t task : {0U, 1U}) {
    world.started(70s, task, 2);
  }
  for (const uint32_t task : {0U, 1U}) {
    world.succeeded(100s, task, 2);
    world.gone(101s, "c" + std::to_string(task + 1));
  }
  EXPECT_EQ(world.ledger.account(Time(200s)).guessed, 120s) << "nobody told";
  Signs signs;
  signs[World::attempt(0, 1)].steps = {{.at = Time(10s), .number = 0},
                                       {.at = Time(50s), .number = 40}};
  signs[World::attempt(0, 2)].steps = {{.at = Time(75s), .number = 40}};
  const Account account = world.ledger.account(Time(200s), signs);
  EXPECT_EQ(account.classes[index_of(Class::Repeated)], 30s);
  EXPECT_EQ(account.guessed, Duration::zero());
}

TEST(Ledger, ACommitThatNobodyRestoresKeepsNothing) {
  job::Plan plan = plan_of(1, spec::Membership::Independent);
  plan.spec.checkpoint.resume = spec::Resume::Never;
  World world(std::move(plan));
  world.grant(0s, 1, "c1");
  world.join(0s, "c1");
  world.joined(0s, 0);
  world.started(5s, 0);
  world.tell(45s, job::CheckpointCommitted{World::attempt(0, 1), job::Generation(1), "step-1"});
  world.failed(65s, 0);
  EXPECT_EQ(world.in(Class::Repeated, 65s), 60s);
}

TEST(Ledger, WaitsForPeersOnceDone) {
  World world(plan_of(2, spec::Membership::Static));
  world.grant(0s, 1, "c1");
  world.grant(0s, 2, "c2");
  world.join(1s, "c1");
  world.join(1s, "c2");
  world.joined(2s, 0);
  world.joined(2s, 1);
  world.started(3s, 0);
  world.started(3s, 1);
  world.succeeded(13s, 0);
  world.succeeded(43s, 1);
  world.gone(44s, "c1");
  world.gone(44s, "c2");
  EXPECT_EQ(world.in(Class::Waiting, 50s), 30s);
  EXPECT_EQ(world.in(Class::Productive, 50s), 10s + 40s);
  EXPECT_EQ(world.in(Class::Ending, 50s), 2s);
}

TEST(Ledger, DividesAContainerAmongItsTasks) {
  World world(plan_of(2, spec::Membership::Static, 2));
  world.grant(0s, 1, "c1");
  world.join(1s, "c1");
  world.joined(2s, 0);
  world.joined(2s, 1);
  world.started(4s, 0);
  world.started(4s, 1);
  world.succeeded(14s, 0);
  world.succeeded(44s, 1);
  world.gone(44s, "c1");
  const Account account = world.ledger.account(Time(50s));
  EXPECT_EQ(account.granted, 44s);
  EXPECT_EQ(account.containers, 1U);
  EXPECT_EQ(account.classes[index_of(Class::Waiting)], 15s);
  EXPECT_EQ(account.classes[index_of(Class::Productive)], 25s);
}

TEST(Ledger, AStallThatIsToldCounts) {
  World world(plan_of(1, spec::Membership::Independent));
  world.grant(0s, 1, "c1");
  world.join(0s, "c1");
  world.joined(0s, 0);
  world.started(5s, 0);
  world.tell(705s, job::AttemptStalled{World::attempt(0, 1), 600s});
  EXPECT_EQ(world.in(Class::Stalled, 805s), 700s);
  EXPECT_EQ(world.in(Class::Productive, 805s), 100s);
}

TEST(Ledger, AStallEndsWhereItMovesAgain) {
  World world(plan_of(1, spec::Membership::Independent));
  world.grant(0s, 1, "c1");
  world.join(0s, "c1");
  world.joined(0s, 0);
  world.started(5s, 0);
  world.tell(705s, job::AttemptStalled{World::attempt(0, 1), 600s});
  world.tell(755s, job::AttemptStalled{World::attempt(0, 1), 650s});
  world.tell(805s, job::AttemptStalled{World::attempt(0, 1), 0s});
  EXPECT_EQ(world.in(Class::Stalled, 905s), 700s);
  EXPECT_EQ(world.in(Class::Productive, 905s), 200s);
}

TEST(Ledger, PeersOfOneThatHangsWait) {
  World world(plan_of(2, spec::Membership::Static, 2));
  world.grant(0s, 1, "c1");
  world.join(1s, "c1");
  world.joined(2s, 0);
  world.joined(2s, 1);
  world.started(4s, 0);
  world.started(4s, 1);
  world.tell(704s, job::AttemptStalled{World::attempt(0, 1), 600s, job::Sureness::Likely});
  world.tell(804s, job::AttemptStalled{World::attempt(0, 1), 0s});
  EXPECT_EQ(world.in(Class::Stalled, 904s), 350s);
  EXPECT_EQ(world.in(Class::Waiting, 904s), 350s);
  EXPECT_EQ(world.in(Class::Productive, 904s), 200s);
}

TEST(Ledger, WhatAUserStoppedIsNotLost) {
  World world(plan_of(1, spec::Membership::Independent));
  world.grant(0s, 1, "c1");
  world.join(0s, "c1");
  world.joined(0s, 0);
  world.started(5s, 0);
  world.tell(65s, job::StopAsked{"alice"});
  world.tell(70s, job::AttemptEnded{World::attempt(0, 1), {.signal = 15}});
  world.gone(71s, "c1");
  EXPECT_EQ(world.in(Class::Productive, 100s), 60s);
  EXPECT_EQ(world.in(Class::Ending, 100s), 6s);
}

TEST(Ledger, TheGapOfADeadMasterIsCounted) {
  World world(plan_of(1, spec::Membership::Independent));
  world.grant(0s, 1, "c1");
  world.join(0s, "c1");
  world.joined(0s, 0);
  world.started(5s, 0);
  world.tell(305s, job::MasterRecovered{job::Epoch(2)});
  world.tell(306s, job::AgentReported{
                       .container = ContainerId("c1"),
                       .address = "h1:1",
                       .epoch = job::Epoch(2),
                       .generation = job::Generation(1),
                       .attempts = {{.attempt = World::attempt(0, 1),
                                     .phase = job::AttemptReport::Phase::Running,
                                     .address = {.host = "h1", .port = 5000, .named_ports = {}},
                                     .generation = job::Generation(1),
                                     .exit = {}}}});
  EXPECT_EQ(world.in(Class::Productive, 405s), 400s);
  EXPECT_EQ(world.ledger.account(Time(405s)).granted, 405s);
}

TEST(Ledger, ListsFailuresWithWhatTheyRan) {
  const World world = restarted_job({});
  const std::vector<Failed> failures = world.ledger.failures();
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_EQ(failures[0].ran, 60s);
  EXPECT_EQ(failures[0].class_name, "program.exit");
  EXPECT_EQ(failures[0].host, HostName("h1"));
  EXPECT_TRUE(failures[0].origin);
}

}  // namespace
}  // namespace muster::account
