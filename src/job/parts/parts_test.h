#pragma once

#include "job/parts/cause.h"
#include "job/parts/deps.h"
#include "job/parts/lives.h"
#include "job/parts/timers.h"
#include "job/parts/turn.h"
#include "job/plan.h"
#include "job/state.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace muster::job {

inline constexpr RoleIndex kFirstRole{0};

inline TaskId first_role_task(uint32_t index) { return {kFirstRole, index}; }

/// A job of one role for the tests of single parts.
inline Plan plan_of(uint32_t tasks, spec::Membership membership = spec::Membership::Independent) {
  Plan plan;
  plan.job = JobId("parts-000000");
  plan.roles.push_back(
      {.name = "worker", .tasks = tasks, .tasks_min = tasks, .membership = membership});
  return plan;
}

/// What a part builds on, with the life cycles driven by hand.
struct Ground {
  explicit Ground(Plan the_plan) : plan(std::move(the_plan)) {}
  Ground(const Ground&) = delete;
  Ground& operator=(const Ground&) = delete;

  /// Makes a ready container for one task, and places the task's next attempt in it.
  void place(TaskId id, const std::string& container) {
    const ContainerId name(container);
    const Container& granted = lives.grant({.container = name, .host = HostName("h-" + container)});
    lives.assign(granted, id.role, {id});
    lives.move(granted, ContainerState::Launching);
    lives.ready(granted, "127.0.0.1:4000");
    place_again(id, container);
  }
  void place_again(TaskId id, const std::string& container) {
    const auto number = static_cast<uint32_t>(lives.task(id).attempts.size()) + 1;
    lives.place(id, *lives.find(ContainerId(container)), 0, number);
  }
  /// Lets the task run in `generation`.
  void run(TaskId id, const std::string& container, uint32_t generation = 1) {
    place(id, container);
    start(id, generation);
  }
  void run_again(TaskId id, const std::string& container, uint32_t generation) {
    place_again(id, container);
    start(id, generation);
  }
  void start(TaskId id, uint32_t generation) {
    lives.join(id, {.host = "127.0.0.1", .port = 5000, .named_ports = {}});
    lives.tell_to_start(id, Generation(generation));
    lives.run(id, 100);
  }
  /// Its attempt fails, and awaits the decision about it.
  Cause fail(TaskId id, FailureKind kind) {
    Exit exit{.exit_code = 1};
    exit.failure = Failure{.class_name = "test", .kind = kind, .evidence = "", .hint = ""};
    lives.end(id, exit, TaskState::Waiting);
    return cause_of_exit(id, lives.task(id).attempts.back(), exit, turn.now);
  }
  /// Takes out those of the actions so far that are of type A.
  template <class A>
  std::vector<A> take() {
    std::vector<A> taken;
    for (const Action& action : std::exchange(turn.actions, {})) {
      if (const A* wanted = std::get_if<A>(&action)) {
        taken.push_back(*wanted);
      }
    }
    return taken;
  }

  Plan plan;
  State state;
  Turn turn;
  Timers timers{turn};
  Lives lives{plan, turn, state};
  Deps deps{
      .plan = plan, .turn = turn, .timers = timers, .lives = lives, .chronicle = state.chronicle};
};

}  // namespace muster::job
