#pragma once

#include "base/result.h"
#include "framework/seat.h"
#include "job/plan.h"
#include "spec/policy.h"
#include "spec/spec.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace muster::framework {

using Variables = std::map<std::string, std::string>;

/// What a framework proposes for one role where the user left it open.
struct RoleProposal {
  spec::Membership membership = spec::Membership::Independent;
  spec::Success success = spec::Success::Required;
  spec::Failure failure = spec::Failure::FailsJob;
  bool ranked =
      true;  ///< Its tasks take part in the training itself: they count in RANK and TASK_NUM.
};

/// Which GPUs a task sees: those it was given, or all of its container (ranks then choose by
/// LOCAL_RANK).
enum class GpuSight : uint8_t { Own, Container };

/// Everything that Muster knows about one framework, as data and pure functions. A new one is a
/// file with such a value and a row in `framework_table.cc`.
struct Framework {
  spec::Framework name;
  std::string_view python_module;  ///< What its programs import; empty if it is no library.
  spec::Barrier barrier = spec::Barrier::Gang;
  GpuSight gpu_sight = GpuSight::Own;
  bool has_rendezvous = false;  ///< Its ranks find each other by a store served beside rank 0.
  bool has_tensorboard = true;  ///< The chief, or the role `tensorboard`, is given TB_PORT.

  /// Proposes for a role of `spec`.
  RoleProposal (*propose)(const spec::Spec& spec, const spec::Role& role);
  /// Refuses a Plan that the framework cannot run, with the reason.
  Status (*check)(const job::Plan& plan);
  /// Adds the framework's own variables for the task on `seat`.
  Status (*add_variables)(const Seat& seat, Variables& variables);
  /// Adds what applies only if neither the user nor the task's environment says otherwise.
  void (*add_defaults)(const Seat& seat, Variables& defaults) = nullptr;
};

/// Returns the row of that framework, or nullptr if this version has none.
[[nodiscard]] const Framework* find_framework(spec::Framework name);

/// Returns the Python module that the job's programs import ("tensorflow", "torch"), or "".
[[nodiscard]] std::string_view python_module(const spec::Spec& spec);

/// Returns what every framework proposes for roles that only accompany the training.
[[nodiscard]] bool is_companion(std::string_view role_name);
[[nodiscard]] RoleProposal companion_proposal();

/// A check for frameworks that can run any Plan.
[[nodiscard]] Status accept_plan(const job::Plan& plan);

/// The check for collective training: at least one role is ranked, and no ranked role restarts or
/// runs alone.
[[nodiscard]] Status check_collective(const job::Plan& plan);

}  // namespace muster::framework
