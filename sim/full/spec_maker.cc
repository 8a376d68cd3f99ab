#include "sim/full/spec_maker.h"

#include <array>
#include <string>
#include <string_view>

namespace muster::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::array<std::string_view, 4> kNames = {"chief", "worker", "ps", "helper"};

template <class T, size_t N>
T one_of(Random& random, const std::array<T, N>& choices) {
  return choices[random.below(N)];
}

spec::Restart make_restart(Random& random) {
  spec::Restart restart;
  restart.process = static_cast<uint32_t>(random.below(4));
  restart.container = static_cast<uint32_t>(random.below(3));
  restart.host = static_cast<uint32_t>(random.below(3));
  restart.job = random.chance(20) ? 1 : 0;
  restart.infrastructure = random.chance(70) ? 20 : static_cast<uint32_t>(random.below(4));
  restart.window = random.chance(30) ? std::optional<Duration>(seconds(30)) : std::nullopt;
  restart.backoff.low = random.between(Duration(milliseconds(10)), Duration(seconds(2)));
  restart.backoff.high =
      restart.backoff.low * static_cast<Duration::rep>(random.between(uint64_t{1}, uint64_t{8}));
  return restart;
}

spec::Role make_role(Random& random, std::string_view name, spec::Membership membership) {
  spec::Role role;
  role.name = name;
  role.tasks = static_cast<uint32_t>(
      random.between(uint64_t{1}, name == "worker" ? uint64_t{4} : uint64_t{2}));
  role.membership = membership;
  role.memory = spec::Bytes(1ULL << 30);  // Without a limit nobody ends what takes too much.
  if (membership == spec::Membership::Elastic) {
    role.max = role.tasks + 1;
    role.min = role.tasks;
    role.tasks = *role.max;
  }
  role.tasks_per_container =
      random.chance(25) ? static_cast<uint32_t>(random.between(uint64_t{1}, role.tasks)) : 1;
  role.success = one_of(random, std::array{spec::Success::Required, spec::Success::Required,
                                           spec::Success::Ignored, spec::Success::EndsJob});
  role.failure = one_of(random, std::array{spec::Failure::FailsJob, spec::Failure::FailsJob,
                                           spec::Failure::Tolerated, spec::Failure::Ignored});
  if (role.failure == spec::Failure::Tolerated && role.success != spec::Success::Required) {
    role.failure = spec::Failure::FailsJob;
  }
  role.restart = make_restart(random);
  if (random.chance(20)) {
    role.ports = {"http"};
  }
  return role;
}

void add_orders(Random& random, spec::Spec& spec) {
  for (size_t later = 1; later < spec.roles.size(); ++later) {
    if (random.chance(20)) {
      spec.roles[later].after.push_back(
          {.role = spec.roles[random.below(later)].name,
           .condition = one_of(random, std::array{spec::Condition::Ended, spec::Condition::Running,
                                                  spec::Condition::Succeeded})});
    }
  }
}

/// Removes the settings for restarts from some jobs, and gives some roles a deadline soon after
/// others end. Drawn last, so that everything else of a seed stays as it was.
void add_later_drawings(Random& random, spec::Spec& spec) {
  if (random.chance(25)) {
    for (spec::Role& role : spec.roles) {
      role.restart = spec::Restart{};
    }
  }
  for (size_t later = 1; later < spec.roles.size(); ++later) {
    if (random.chance(15)) {
      spec.roles[later].deadline_after = spec::DeadlineAfter{
          .roles = {spec.roles[random.below(later)].name},
          .in = random.between(Duration(seconds(1)), Duration(minutes(1))),
          .then =
              one_of(random, std::array{spec::DeadlineAction::Fail, spec::DeadlineAction::Ignore})};
    }
  }
}

std::optional<Duration> few_minutes(Random& random) {
  return random.between(Duration(seconds(10)), Duration(minutes(3)));
}

}  // namespace

spec::Spec make_spec(Random random) {
  spec::Spec spec;
  spec.name = "sim";
  spec.command = "python3 train.py";
  spec.barrier = random.chance(75) ? spec::Barrier::Gang : spec::Barrier::AsGranted;
  const auto memberships = std::array{spec::Membership::Static, spec::Membership::Rejoin,
                                      spec::Membership::Elastic, spec::Membership::Independent};
  const bool one_kind = random.chance(60);
  const spec::Membership common = one_of(random, memberships);
  const uint64_t roles = random.between(uint64_t{1}, kNames.size());
  bool matters = false;
  for (uint64_t i = 0; i < roles; ++i) {
    spec.roles.push_back(
        make_role(random, kNames[i], one_kind ? common : one_of(random, memberships)));
    matters = matters || spec.roles.back().success != spec::Success::Ignored;
  }
  if (!matters) {
    spec.roles.front().success = spec::Success::Required;
  }
  add_orders(random, spec);
  spec.deadlines.stop = random.between(Duration(milliseconds(100)), Duration(seconds(5)));
  // Never none: only this deadline notices an agent that hangs before its first word.
  spec.deadlines.join = random.between(Duration(minutes(1)), Duration(minutes(3)));
  spec.deadlines.run = random.chance(25) ? std::optional<Duration>(minutes(20)) : std::nullopt;
  spec.deadlines.queue = random.chance(10) ? few_minutes(random) : std::nullopt;
  spec.deadlines.gather = random.chance(15) ? few_minutes(random) : std::nullopt;
  if (random.chance(50)) {
    spec.checkpoint.to = kMirror;
    spec.checkpoint.by = random.chance(50) ? spec::CheckpointBy::Chief : spec::CheckpointBy::Each;
    spec.checkpoint.resume = one_of(
        random, std::array{spec::Resume::Restarts, spec::Resume::Always, spec::Resume::Never});
  }
  if (random.chance(50)) {
    spec.liveness.suspect = seconds(2);
    spec.liveness.lost = random.between(Duration(seconds(6)), Duration(seconds(10)));
  }
  spec.liveness.orphan =
      random.chance(25) ? std::optional<Duration>(seconds(20)) : std::optional<Duration>();
  add_later_drawings(random, spec);
  return spec;
}

}  // namespace muster::sim
