#include "sim/core/plan_maker.h"

#include <array>
#include <string>

namespace muster::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::array<std::string_view, 4> kRoleNames = {"chief", "worker", "ps", "evaluator"};

template <class T, size_t N>
T pick(Random& random, const std::array<T, N>& choices) {
  return choices[random.below(N)];
}

job::RestartBudget make_budget(Random& random) {
  job::RestartBudget budget;
  budget.process = static_cast<uint32_t>(random.below(4));
  budget.container = static_cast<uint32_t>(random.below(3));
  budget.host = static_cast<uint32_t>(random.below(3));
  budget.job = random.chance(20) ? 1 : 0;
  budget.infrastructure = random.chance(70) ? 20 : static_cast<uint32_t>(random.below(4));
  budget.window = random.chance(30) ? std::optional<Duration>(seconds(30)) : std::nullopt;
  budget.backoff_low = random.between(Duration(milliseconds(10)), Duration(seconds(2)));
  budget.backoff_high =
      budget.backoff_low * static_cast<Duration::rep>(random.between(uint64_t{1}, uint64_t{8}));
  // Not drawn, so that stored seeds stay what they are.
  budget.container_for_program = budget.host_for_program = budget.backoff_low.count() % 2 == 0;
  return budget;
}

job::RolePlan make_role(Random& random, std::string_view name, spec::Membership membership,
                        uint32_t scale) {
  job::RolePlan role;
  role.name = name;
  role.tasks = static_cast<uint32_t>(
      random.between(uint64_t{1}, name == "worker" ? uint64_t{5} : uint64_t{2}));
  if (name == "worker") {
    role.tasks *= scale;
  }
  role.tasks_min = role.tasks;
  role.membership = membership;
  if (membership == spec::Membership::Elastic) {
    role.tasks_min = static_cast<uint32_t>(random.between(uint64_t{1}, role.tasks));
  }
  role.tasks_per_container =
      random.chance(25) ? static_cast<uint32_t>(random.between(uint64_t{1}, role.tasks)) : 1;
  role.resources = {.memory_bytes = 1ULL << 30, .vcores = 1, .gpus = 0, .other = {}};
  role.success = pick(random, std::array{spec::Success::Required, spec::Success::Required,
                                         spec::Success::Ignored, spec::Success::EndsJob});
  role.failure = pick(random, std::array{spec::Failure::FailsJob, spec::Failure::FailsJob,
                                         spec::Failure::Tolerated, spec::Failure::Ignored});
  // The specification refuses a tolerated failure of a role whose success nobody asks for.
  if (role.failure == spec::Failure::Tolerated && role.success != spec::Success::Required) {
    role.failure = spec::Failure::FailsJob;
  }
  role.restart = make_budget(random);
  return role;
}

void add_orders(Random& random, job::Plan& plan) {
  const auto roles = static_cast<uint16_t>(plan.roles.size());
  for (uint16_t later = 1; later < roles; ++later) {
    if (!random.chance(20)) {
      continue;
    }
    const auto earlier = static_cast<uint16_t>(random.below(later));
    plan.roles[later].after.push_back(
        {.role = job::RoleIndex{earlier},
         .condition = pick(random, std::array{spec::Condition::Ended, spec::Condition::Running,
                                              spec::Condition::Succeeded})});
  }
}

/// Gives some jobs the restart budgets of a specification that does not mention restarts, and gives
/// some roles a deadline soon after others end. Drawn last, so that everything else of a seed stays
/// as it was.
void add_later_drawings(Random& random, job::Plan& plan) {
  if (random.chance(25)) {
    for (job::RolePlan& role : plan.roles) {
      role.restart = job::RestartBudget{};
      role.restart.container_for_program = role.restart.host_for_program = false;
    }
  }
  for (size_t later = 1; later < plan.roles.size(); ++later) {
    if (random.chance(15)) {
      plan.roles[later].deadline_after = job::GroupDeadline{
          .roles = {job::RoleIndex{static_cast<uint16_t>(random.below(later))}},
          .in = random.between(Duration(seconds(1)), Duration(minutes(1))),
          .then =
              pick(random, std::array{spec::DeadlineAction::Fail, spec::DeadlineAction::Ignore})};
    }
  }
}

std::optional<Duration> some_minutes(Random& random) {
  return random.between(Duration(seconds(10)), Duration(minutes(3)));
}

}  // namespace

job::Plan make_plan(Random random) {
  job::Plan plan;
  plan.job = job::JobId{"sim-000000"};
  plan.name = "sim";
  plan.framework = "generic";
  plan.seed = random.next();
  plan.barrier = random.chance(75) ? spec::Barrier::Gang : spec::Barrier::AsGranted;
  const auto memberships = std::array{spec::Membership::Static, spec::Membership::Rejoin,
                                      spec::Membership::Elastic, spec::Membership::Independent};
  const bool one_kind = random.chance(60);
  const spec::Membership common = pick(random, memberships);
  const uint64_t roles = random.between(uint64_t{1}, kRoleNames.size());
  // A large gang now and then: small changes to it are worked into its old view.
  const uint32_t scale = plan.seed % 8 == 0 ? 4 : 1;
  bool matters = false;
  for (uint64_t i = 0; i < roles; ++i) {
    plan.roles.push_back(
        make_role(random, kRoleNames[i], one_kind ? common : pick(random, memberships), scale));
    matters = matters || plan.roles.back().success != spec::Success::Ignored;
  }
  if (!matters) {
    plan.roles.front().success = spec::Success::Required;
  }
  // Taken from the seed itself, so that everything else is drawn as before.
  for (job::RolePlan& role : plan.roles) {
    if (role.membership == spec::Membership::Static && plan.seed % 3 == 0) {
      role.tasks_min = 1 + static_cast<uint32_t>((plan.seed >> 8) % role.tasks);
    }
  }
  add_orders(random, plan);
  if (random.chance(50)) {
    plan.chief = job::TaskId{job::RoleIndex{0}, 0};
  }
  plan.deadlines.stop = random.between(Duration(milliseconds(100)), Duration(seconds(5)));
  plan.deadlines.join = random.chance(70) ? std::optional<Duration>(minutes(2)) : std::nullopt;
  plan.deadlines.run = random.chance(25) ? std::optional<Duration>(minutes(20)) : std::nullopt;
  plan.deadlines.queue = random.chance(10) ? some_minutes(random) : std::nullopt;
  plan.deadlines.gather = random.chance(15) ? some_minutes(random) : std::nullopt;
  if (random.chance(30)) {
    plan.gang.hold = random.between(Duration(seconds(5)), Duration(minutes(1)));
    plan.gang.back_off_low = seconds(1);
    plan.gang.back_off_high = seconds(20);
  }
  plan.stop_on_first_failure = random.chance(10);
  add_later_drawings(random, plan);
  return plan;
}

}  // namespace muster::sim
