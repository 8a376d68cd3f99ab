#include "job/machine.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <deque>

/// What deciding costs: steps a second in small jobs, and whole starts of large gangs.
namespace muster::job {
namespace {

Plan workers(uint32_t tasks, spec::Membership membership) {
  Plan plan;
  plan.job = JobId("bench-000000");
  plan.roles.push_back({.name = "worker",
                        .tasks = tasks,
                        .tasks_min = tasks,
                        .resources = {.memory_bytes = 1ULL << 30, .vcores = 1},
                        .membership = membership});
  plan.roles.front().restart.process = UINT32_MAX;
  plan.roles.front().restart.backoff_low = Duration::zero();
  plan.roles.front().restart.backoff_high = Duration::zero();
  return plan;
}

/// Answers every action as a world without faults would, and counts the facts.
class Answerer {
 public:
  explicit Answerer(Plan plan) : machine_(std::move(plan)) {}

  void tell(const Fact& fact) {
    ++facts_;
    now_ += Duration(1);
    for (Action& action : machine_.apply(now_, fact)) {
      open_.push_back(std::move(action));
    }
  }

  void answer_all() {
    while (!open_.empty()) {
      const Action action = std::move(open_.front());
      open_.pop_front();
      answer(action);
    }
  }

  [[nodiscard]] const Machine& machine() const { return machine_; }
  [[nodiscard]] int64_t facts() const { return facts_; }

 private:
  void answer(const Action& action) {
    if (const auto* ask = std::get_if<RequestContainer>(&action)) {
      const uint32_t nth = ask->request.value;
      tell(ContainerGranted{ask->request, ContainerId(fmt::format("c{}", nth)),
                            HostName(fmt::format("h{}", nth % 500))});
    } else if (const auto* launch = std::get_if<LaunchAgent>(&action)) {
      tell(AgentJoined{launch->container, "127.0.0.1:4000"});
    } else if (const auto* prepare = std::get_if<PrepareAttempt>(&action)) {
      tell(AttemptJoined{prepare->attempt, {.host = "127.0.0.1", .port = 5000, .named_ports = {}}});
    } else if (const auto* start = std::get_if<StartAttempt>(&action)) {
      tell(AttemptStarted{start->attempt, 100});
    } else if (const auto* stop = std::get_if<StopAttempt>(&action)) {
      tell(AttemptEnded{stop->attempt, Exit{.signal = 15}});
    } else if (const auto* release = std::get_if<ReleaseContainer>(&action)) {
      tell(ContainerEnded{.container = release->container, .kind = ContainerEndKind::Released});
    }
  }

  Machine machine_;
  Time now_{};
  std::deque<Action> open_;
  int64_t facts_ = 0;
};

void expect(benchmark::State& state, bool holds, const char* what) {
  if (!holds) {
    state.SkipWithError(what);
  }
}

/// From the first ask to all running.
void gather_a_gang(benchmark::State& state) {
  int64_t facts = 0;
  for (auto _ : state) {
    Answerer world(workers(static_cast<uint32_t>(state.range(0)), spec::Membership::Static));
    world.tell(JobStarted{});
    world.answer_all();
    facts += world.facts();
    expect(state, world.machine().state().phase == JobPhase::Running, "the gang does not run");
  }
  state.SetItemsProcessed(facts);
}
BENCHMARK(gather_a_gang)->Arg(4)->Arg(100)->Arg(1000)->Arg(10000)->Unit(benchmark::kMillisecond);

/// A whole small job: started, run, ended, released.
void live_a_small_job(benchmark::State& state) {
  int64_t facts = 0;
  for (auto _ : state) {
    Answerer world(workers(4, spec::Membership::Static));
    world.tell(JobStarted{});
    world.answer_all();
    for (uint32_t i = 0; i < 4; ++i) {
      world.tell(AttemptEnded{{{RoleIndex(0), i}, 1}, Exit{.exit_code = 0}});
    }
    world.answer_all();
    facts += world.facts();
    expect(state, world.machine().state().phase == JobPhase::Ended, "the job does not end");
  }
  state.SetItemsProcessed(facts);
}
BENCHMARK(live_a_small_job)->Unit(benchmark::kMicrosecond);

/// One failing process of many, restarted in its place.
void restart_one_of(benchmark::State& state) {
  Answerer world(workers(static_cast<uint32_t>(state.range(0)), spec::Membership::Independent));
  world.tell(JobStarted{});
  world.answer_all();
  const int64_t before = world.facts();
  for (auto _ : state) {
    const Task& task = world.machine().state().task({RoleIndex(0), 1});
    world.tell(AttemptEnded{{task.id, task.attempts.back().number}, Exit{.exit_code = 1}});
    world.answer_all();
  }
  state.SetItemsProcessed(world.facts() - before);
}
BENCHMARK(restart_one_of)->Arg(4)->Arg(1000)->Iterations(2000)->Unit(benchmark::kMicrosecond);

/// A gang that starts again because one of it failed.
void restart_a_gang(benchmark::State& state) {
  Answerer world(workers(static_cast<uint32_t>(state.range(0)), spec::Membership::Static));
  world.tell(JobStarted{});
  world.answer_all();
  for (auto _ : state) {
    const Task& task = world.machine().state().task({RoleIndex(0), 1});
    world.tell(AttemptEnded{{task.id, task.attempts.back().number}, Exit{.exit_code = 1}});
    world.answer_all();
  }
}
BENCHMARK(restart_a_gang)->Arg(100)->Arg(1000)->Iterations(10)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace muster::job
