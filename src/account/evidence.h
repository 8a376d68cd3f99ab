#pragma once

#include "account/account.h"
#include "account/ledger.h"
#include "job/plan.h"
#include "spec/policy.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::account {

/// What is known about one task; about its last measured attempt, unless stated otherwise. What was
/// not measured is nullopt.
struct TaskEvidence {
  std::string name;    ///< "worker:3"
  job::HostName host;  ///< Of its last attempt.
  Duration ran{};      ///< From its last attempt's start to its end, or to now.
  /// Its last attempt ended well: nothing is left that could need more.
  bool whole = false;
  std::optional<uint64_t> memory_peak_bytes;  ///< Of all its attempts.
  bool over_memory = false;                   ///< An attempt was ended for its memory.
  CoreUse cores;  ///< From its first step on; `peak`: of all its attempts.
  GpuUse gpu;     ///< `mean`: from its first step on; `memory_peak_bytes`: of all its attempts.
  std::optional<Duration> step;
  std::optional<double> waiting;  ///< The share of time in which it waited for others.
  MainWaits waits;
  DiskUse disk;
  Hindrances hindrances;
  Growths growths;
  HostUse host_use;  ///< Of its host.
};

struct RoleEvidence {
  std::string name;
  uint32_t tasks = 0;
  uint32_t tasks_min = 0;
  uint32_t tasks_per_container = 1;
  job::Resources requested;  ///< Per task.
  spec::Membership membership = spec::Membership::Independent;
  Duration granted{};
  ByClass classes{};
  std::vector<TaskEvidence> members;
  std::vector<Time> first_grants;  ///< Of the containers of its first gathering, ascending.
};

/// A file that jobs of one name sent to the cluster, and how often its content had changed.
struct StagedAgain {
  std::string name;
  uint64_t bytes = 0;
  uint32_t uploads = 0;
  uint32_t submissions = 0;
};

/// Everything that a rule may judge by. Measurements may be missing; a rule that lacks one that it
/// needs stays silent.
struct Evidence {
  Account account;
  spec::Barrier barrier = spec::Barrier::Gang;
  std::vector<RoleEvidence> roles;
  std::vector<Failed> failures;
  std::vector<Commit> commits;
  Duration ran{};  ///< Wall time from the first start to the end or to now.
  std::optional<Duration> checkpoint_cost;   ///< How long one checkpoint holds up the work.
  std::optional<Duration> checkpoint_every;  ///< The median time between two.
  uint32_t restarts_allowed = 0;             ///< `restart.process`, of the role that failed most.
  std::vector<StagedAgain> staged;
};

/// Gathers what `ledger` knows at `until`.
[[nodiscard]] Evidence evidence_of(const Ledger& ledger, Time until, const Signs& signs,
                                   const Uses& uses, const HostUses& hosts = {});

/// Returns the interval between checkpoints that costs the least: `cost` is how long one holds up
/// the work, `between_failures` the mean time between failures. Daly's higher-order estimate, which
/// is Young's sqrt(2 * cost * between_failures) for small costs (J. W. Young, "A first order
/// approximation to the optimum checkpoint interval", CACM 17(9), 1974; J. T. Daly, "A higher order
/// estimate of the optimum checkpoint interval for restart dumps", FGCS 22(3), 2006).
[[nodiscard]] Duration best_checkpoint_interval(Duration cost, Duration between_failures);

}  // namespace muster::account
