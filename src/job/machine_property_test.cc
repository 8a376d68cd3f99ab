#include "job/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>

/// Whatever comes, in whatever order, the machine neither fails nor breaks its promises.
namespace muster::job {
namespace {

using namespace std::chrono_literals;

/// Draws plans and facts by seed.
class Chance {
 public:
  explicit Chance(uint64_t seed) : engine_(seed) {}
  uint32_t below(uint32_t bound) { return static_cast<uint32_t>(engine_() % bound); }
  bool one_in(uint32_t n) { return below(n) == 0; }

 private:
  std::mt19937_64 engine_;
};

RolePlan draw_role(Chance& chance, uint16_t index) {
  RolePlan role;
  role.name = "role" + std::to_string(index);
  role.tasks = 1 + chance.below(3);
  role.tasks_min = role.tasks;
  role.tasks_per_container = 1 + chance.below(2);
  role.membership = static_cast<spec::Membership>(chance.below(4));
  if (role.membership == spec::Membership::Elastic) {
    role.tasks_min = 1 + chance.below(role.tasks);
  }
  role.success = static_cast<spec::Success>(chance.below(3));
  role.failure = static_cast<spec::Failure>(chance.below(3));
  role.restart = {.process = chance.below(3),
                  .container = chance.below(3),
                  .host = chance.below(2),
                  .job = chance.below(2),
                  .infrastructure = chance.below(4)};
  if (chance.one_in(2)) {
    role.restart.backoff_low = role.restart.backoff_high = Duration::zero();
  }
  for (uint16_t other = 0; other < index; ++other) {
    if (chance.one_in(4)) {
      role.after.push_back({RoleIndex(other), static_cast<spec::Condition>(chance.below(3))});
    }
    if (chance.one_in(6)) {
      role.deadline_after =
          GroupDeadline{.roles = {RoleIndex(other)},
                        .in = 10s,
                        .then = static_cast<spec::DeadlineAction>(chance.below(2))};
    }
  }
  return role;
}

Plan draw_plan(Chance& chance) {
  Plan plan;
  plan.job = JobId("random-000000");
  plan.seed = chance.below(1000);
  plan.barrier = static_cast<spec::Barrier>(chance.below(2));
  const auto roles = static_cast<uint16_t>(1 + chance.below(3));
  for (uint16_t i = 0; i < roles; ++i) {
    plan.roles.push_back(draw_role(chance, i));
  }
  if (chance.one_in(3)) {
    plan.deadlines.queue = plan.deadlines.gather = 30s;
    plan.deadlines.run = 10min;
  }
  if (chance.one_in(3)) {
    plan.gang.hold = 20s;
  }
  plan.stop_on_first_failure = chance.one_in(8);
  plan.chief = TaskId{RoleIndex(0), 0};
  plan.chief_failure_fails_job = chance.one_in(4);
  return plan;
}

/// Facts about small numbers of things, so that many of them refer to something that exists.
class FactDrawer {
 public:
  FactDrawer(Chance& chance, const Machine& machine) : chance_(chance), machine_(machine) {}

  /// Keeps what the machine asked for, so that draw() can answer.
  void note(const std::vector<Action>& actions) {
    open_.insert(open_.end(), actions.begin(), actions.end());
  }

  Fact draw() {
    if (!open_.empty() && !chance_.one_in(3)) {
      const size_t at = chance_.below(static_cast<uint32_t>(open_.size()));
      const Action action = open_[at];
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(at));
      if (const std::optional<Fact> fact = answer(action)) {
        return *fact;
      }
    }
    return draw_any();
  }

 private:
  std::optional<Fact> answer(const Action& action) {
    if (const auto* ask = std::get_if<RequestContainer>(&action)) {
      return ContainerGranted{ask->request, ContainerId("g" + std::to_string(++grants_)), host()};
    }
    if (const auto* launch = std::get_if<LaunchAgent>(&action)) {
      return AgentJoined{launch->container, "a:1"};
    }
    if (const auto* prepare = std::get_if<PrepareAttempt>(&action)) {
      return AttemptJoined{prepare->attempt, address()};
    }
    if (const auto* start = std::get_if<StartAttempt>(&action)) {
      return AttemptStarted{start->attempt, 7};
    }
    if (const auto* stop = std::get_if<StopAttempt>(&action)) {
      return AttemptEnded{stop->attempt, exit()};
    }
    if (const auto* release = std::get_if<ReleaseContainer>(&action)) {
      return ContainerEnded{.container = release->container, .kind = ContainerEndKind::Released};
    }
    if (const auto* set = std::get_if<SetDeadline>(&action); set != nullptr && chance_.one_in(2)) {
      return DeadlinePassed{set->deadline};
    }
    return std::nullopt;
  }

  Fact draw_any() {
    switch (chance_.below(24)) {
      case 0:
      case 1:
      case 2:
        return ContainerGranted{RequestId(1 + chance_.below(10)), container(), host()};
      case 3:
        return RequestRefused{RequestId(1 + chance_.below(10)),
                              chance_.one_in(8) ? RefusalKind::NeverFits : RefusalKind::Transient,
                              "no"};
      case 4:
        return LaunchFailed{container(), "no"};
      case 5:
      case 6:
      case 7:
        return AgentJoined{container(), "a:1"};
      case 8:
        return report();
      case 9:
        return AgentSuspected{container()};
      case 10:
        return AgentLost{container(), static_cast<LossReason>(chance_.below(3))};
      case 11:
      case 12:
      case 13:
        return AttemptJoined{attempt(), address()};
      case 14:
      case 15:
        return AttemptStarted{attempt(), 7};
      case 16:
      case 17:
        return AttemptEnded{attempt(), exit()};
      case 18:
        return ContainerEnded{.container = container(),
                              .kind = static_cast<ContainerEndKind>(chance_.below(7))};
      case 19:
        return CheckpointCommitted{attempt(), Generation(chance_.below(4)), "x"};
      case 20:
        return PreemptionNoticed{container(), 5s};
      case 21:
        return DeadlinePassed{DeadlineId(1 + chance_.below(40))};
      case 22:
        return seldom();
      default:
        return HostReported{host(), static_cast<HostHealth>(chance_.below(4))};
    }
  }

  ContainerId container() {
    return ContainerId((chance_.one_in(4) ? "c" : "g") + std::to_string(1 + chance_.below(12)));
  }
  HostName host() { return HostName("h" + std::to_string(chance_.below(4))); }
  Address address() {
    return {.host = "h", .port = static_cast<uint16_t>(5000 + chance_.below(3)), .named_ports = {}};
  }

  // Mostly the last attempt of a task that exists.
  AttemptId attempt() {
    const TaskId task{RoleIndex(static_cast<uint16_t>(chance_.below(4))), chance_.below(4)};
    if (chance_.one_in(8) || task.role.value >= machine_.plan().roles.size() ||
        task.index >= machine_.plan().role(task.role).tasks) {
      return {task, chance_.below(5)};
    }
    const std::vector<Attempt>& attempts = machine_.state().task(task).attempts;
    return {task, attempts.empty() ? 1 : attempts.back().number};
  }

  Exit exit() {
    if (chance_.one_in(2)) {
      return {.exit_code = 0};
    }
    Exit failed{.exit_code = 1, .age = Duration(chance_.below(1000))};
    if (!chance_.one_in(10)) {
      failed.failure = Failure{.class_name = "x",
                               .kind = static_cast<FailureKind>(chance_.below(6)),
                               .remedy = static_cast<Remedy>(chance_.below(4))};
    }
    return failed;
  }

  Fact report() {
    AgentReported reported{.container = container(), .generation = Generation(chance_.below(5))};
    for (uint32_t i = chance_.below(4); i > 0; --i) {
      AttemptReport each{.attempt = attempt(),
                         .phase = static_cast<AttemptReport::Phase>(chance_.below(4)),
                         .address = address(),
                         .generation = Generation(chance_.below(5))};
      if (each.phase == AttemptReport::Phase::Ended && !chance_.one_in(5)) {
        each.exit = exit();
      }
      reported.attempts.push_back(each);
    }
    return reported;
  }

  Fact seldom() {
    switch (chance_.below(12)) {
      case 0:
        return StopAsked{"chance"};
      case 1:
      case 2:
        return MasterRecovered{Epoch(2 + chance_.below(3))};
      case 3:
        return JobStarted{};
      case 4:
        return EndpointPublished{attempt(), "x", "y"};
      case 5:
        return chance_.below(2) == 0 ? Fact(SessionOpened{attempt(), "who", "from", "exec", "what"})
                                     : Fact(SessionDetached{attempt(), "who", "from", "shell 1"});
      default:
        return HeadroomReported{
            .memory_bytes = chance_.below(1000), .vcores = 1, .gpus = 0, .hosts = chance_.below(9)};
    }
  }

  Chance& chance_;
  const Machine& machine_;
  std::vector<Action> open_;
  uint32_t grants_ = 0;
};

/// Checks what must hold after every fact.
void expect_promises(const Machine& machine) {
  const State& state = machine.state();
  std::map<ContainerId, uint32_t> live;
  for (const std::vector<Task>& role : state.tasks) {
    for (const Task& task : role) {
      for (size_t i = 0; i + 1 < task.attempts.size(); ++i) {
        ASSERT_EQ(task.attempts[i].state, AttemptState::Ended);
        ASSERT_LT(task.attempts[i].number, task.attempts[i + 1].number);
      }
      const bool active =
          !task.attempts.empty() && task.attempts.back().state != AttemptState::Ended;
      ASSERT_EQ(active, task.state == TaskState::Active);
      if (active) {
        ++live[task.attempts.back().container];
      }
    }
  }
  for (const auto& [id, container] : state.containers) {
    ASSERT_EQ(container.live, live[id]) << id.value;
    ASSERT_TRUE(container.state != ContainerState::Gone || container.live == 0);
  }
  ASSERT_TRUE(machine.tallies_hold());
  ASSERT_TRUE(std::ranges::is_sorted(state.view.members, {}, &Member::task));
}

void expect_sound(const Machine& machine, const std::vector<Action>& actions) {
  const State& state = machine.state();
  for (const Action& action : actions) {
    if (const auto* start = std::get_if<StartAttempt>(&action)) {
      const Attempt* attempt = state.find_attempt(start->attempt);
      ASSERT_NE(attempt, nullptr);
      ASSERT_EQ(attempt->generation, start->generation);
      ASSERT_LE(start->generation, state.view.generation);
    }
    if (const auto* set = std::get_if<SetDeadline>(&action)) {
      ASSERT_FALSE(set->waits_for.empty());
    }
    if (std::holds_alternative<Finish>(action)) {
      ASSERT_EQ(state.phase, JobPhase::Ended);
    }
  }
}

class MachineProperty : public ::testing::TestWithParam<uint64_t> {};

template <size_t N>
void add(std::array<uint32_t, N>& sum, const std::array<uint32_t, N>& more) {
  for (size_t i = 0; i < N; ++i) {
    sum[i] += more[i];
  }
}

// The tables list no transition that cannot happen: random facts take every one.
TEST(MachineTransitions, AreAllTaken) {
  TransitionCounts taken;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Chance chance(seed);
    Machine machine(draw_plan(chance));
    FactDrawer facts(chance, machine);
    facts.note(machine.apply(Time{}, JobStarted{}));
    for (int i = 0; i < 300; ++i) {
      facts.note(machine.apply(Time(Duration(i) * 100'000), facts.draw()));
    }
    add(taken.container, machine.transitions().container);
    add(taken.attempt, machine.transitions().attempt);
    add(taken.task, machine.transitions().task);
    add(taken.phase, machine.transitions().phase);
  }
  EXPECT_THAT(taken.container, ::testing::Each(::testing::Gt(0U)));
  EXPECT_THAT(taken.attempt, ::testing::Each(::testing::Gt(0U)));
  EXPECT_THAT(taken.task, ::testing::Each(::testing::Gt(0U)));
  EXPECT_THAT(taken.phase, ::testing::Each(::testing::Gt(0U)));
}

TEST_P(MachineProperty, KeepsItsPromisesWhateverComes) {
  for (uint64_t seed = GetParam() * 50; seed < (GetParam() + 1) * 50; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Chance chance(seed);
    const Plan plan = draw_plan(chance);
    Machine machine(plan);
    FactDrawer facts(chance, machine);
    std::vector<std::pair<Time, Fact>> log = {{Time{}, JobStarted{}}};
    facts.note(machine.apply(Time{}, JobStarted{}));
    Time now{};
    for (int i = 0; i < 400; ++i) {
      now += Duration(chance.below(2'000'000));
      log.emplace_back(now, facts.draw());
      const std::vector<Action> actions = machine.apply(now, log.back().second);
      facts.note(actions);
      expect_sound(machine, actions);
      expect_promises(machine);
      if (HasFatalFailure()) {
        return;
      }
    }
    Machine again(plan);
    for (const auto& [at, fact] : log) {
      (void)again.apply(at, fact);
    }
    ASSERT_EQ(again.digest(), machine.digest());
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, MachineProperty, ::testing::Range<uint64_t>(0, 6));

}  // namespace
}  // namespace muster::job
