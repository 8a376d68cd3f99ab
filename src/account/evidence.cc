#include "account/evidence.h"

#include "base/median.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace muster::account {
namespace {

/// Adds what one more attempt was measured to use; means are those at work, if known.
void add_use(const AttemptUse& use, TaskEvidence& evidence) {
  // Of two optionals, one that has no value is the smaller.
  const auto cores_peak = std::max(evidence.cores.peak, use.cores.peak);
  const auto gpu_memory_peak = std::max(evidence.gpu.memory_peak_bytes, use.gpu.memory_peak_bytes);
  evidence.memory_peak_bytes = std::max(evidence.memory_peak_bytes, use.memory_peak_bytes);
  evidence.cores = use.cores;
  evidence.cores.peak = cores_peak;
  evidence.cores.mean = use.at_work.cores ? use.at_work.cores : use.cores.mean;
  evidence.cores.wanted = use.at_work.cores_wanted ? use.at_work.cores_wanted : use.cores.wanted;
  evidence.gpu = use.gpu;
  evidence.gpu.mean = use.at_work.gpu ? use.at_work.gpu : use.gpu.mean;
  evidence.gpu.memory_peak_bytes = gpu_memory_peak;
  evidence.step = use.step;
  evidence.waiting = use.waiting;
  evidence.waits = use.waits;
  evidence.disk = use.disk;
  evidence.hindrances = use.hindrances;
  evidence.growths = use.growths;
}

TaskEvidence task_evidence(const Ledger& ledger, const job::Task& task, Time until,
                           const Uses& uses, const HostUses& hosts) {
  TaskEvidence evidence;
  evidence.name = job::to_string(ledger.machine().plan(), task.id);
  const job::State& state = ledger.machine().state();
  for (const job::Attempt& attempt : task.attempts) {
    const bool over = attempt.state == job::AttemptState::Ended;
    evidence.host = attempt.host;
    evidence.ran = attempt.started > Time{} ? (over ? attempt.ended : until) - attempt.started
                                            : Duration::zero();
    if (attempt.exit) {
      evidence.over_memory = evidence.over_memory || attempt.exit->over_memory;
      if (attempt.exit->memory_peak_bytes > 0) {
        evidence.memory_peak_bytes =
            std::max(evidence.memory_peak_bytes.value_or(0), attempt.exit->memory_peak_bytes);
      }
    }
    if (const auto use = uses.find({task.id, attempt.number}); use != uses.end()) {
      add_use(use->second, evidence);
    }
    // Servers are stopped once the job has succeeded; that is a good end, too.
    const bool job_succeeded = state.outcome && state.outcome->result == job::JobResult::Succeeded;
    evidence.whole = over && attempt.exit && (attempt.exit->succeeded() || job_succeeded);
  }
  if (const auto host = hosts.find(evidence.host); host != hosts.end()) {
    evidence.host_use = host->second;
  }
  return evidence;
}

std::vector<Time> first_grants(const job::State& state, job::RoleIndex role) {
  // A container that was granted after the job first ran replaces another one.
  Time ran = Time::max();
  for (const std::vector<job::Task>& tasks : state.tasks) {
    for (const job::Task& task : tasks) {
      for (const job::Attempt& attempt : task.attempts) {
        if (attempt.started > Time{}) {
          ran = std::min(ran, attempt.started);
        }
      }
    }
  }
  std::vector<Time> grants;
  for (const auto& [id, container] : state.containers) {
    if (!container.tasks.empty() && container.role == role && container.granted <= ran) {
      grants.push_back(container.granted);
    }
  }
  std::ranges::sort(grants);
  return ran == Time::max() ? std::vector<Time>() : grants;
}

RoleEvidence role_evidence(const Ledger& ledger, size_t index, const RoleAccount& account,
                           Time until, const Uses& uses, const HostUses& hosts) {
  const job::RolePlan& plan = ledger.machine().plan().roles[index];
  RoleEvidence role;
  role.name = plan.name;
  role.tasks = plan.tasks;
  role.tasks_min = plan.tasks_min;
  role.tasks_per_container = plan.tasks_per_container;
  role.requested = plan.resources;
  role.membership = plan.membership;
  role.granted = account.granted;
  role.classes = account.classes;
  for (const job::Task& task : ledger.machine().state().tasks[index]) {
    role.members.push_back(task_evidence(ledger, task, until, uses, hosts));
  }
  role.first_grants =
      first_grants(ledger.machine().state(), job::RoleIndex(static_cast<uint16_t>(index)));
  return role;
}

/// Returns the time from the first start on.
Duration time_run(const job::State& state, Time until) {
  Time first = until;
  for (const std::vector<job::Task>& tasks : state.tasks) {
    for (const job::Task& task : tasks) {
      for (const job::Attempt& attempt : task.attempts) {
        if (attempt.started > Time{}) {
          first = std::min(first, attempt.started);
        }
      }
    }
  }
  return until - first;
}

std::optional<Duration> median_gap(const std::vector<Commit>& commits) {
  std::vector<Duration> gaps;
  for (size_t i = 1; i < commits.size(); ++i) {
    if (commits[i].attempt == commits[i - 1].attempt) {
      gaps.push_back(commits[i].at - commits[i - 1].at);
    }
  }
  if (gaps.size() < 2) {
    return std::nullopt;
  }
  return median(std::move(gaps));
}

/// Returns the median length of the marks Saving.
std::optional<Duration> median_save(const Signs& signs) {
  std::vector<Duration> saves;
  for (const auto& [attempt, sign] : signs) {
    for (const Span& mark : sign.marks) {
      if (mark.what == Class::Saving) {
        saves.push_back(mark.to - mark.from);
      }
    }
  }
  if (saves.empty()) {
    return std::nullopt;
  }
  return median(std::move(saves));
}

}  // namespace

Evidence evidence_of(const Ledger& ledger, Time until, const Signs& signs, const Uses& uses,
                     const HostUses& hosts) {
  const job::Plan& plan = ledger.machine().plan();
  Evidence evidence;
  evidence.account = ledger.account(until, signs, uses);
  until = evidence.account.until;
  evidence.barrier = plan.barrier;
  for (size_t i = 0; i < plan.roles.size(); ++i) {
    evidence.roles.push_back(
        role_evidence(ledger, i, evidence.account.roles[i], until, uses, hosts));
    evidence.restarts_allowed = std::max(evidence.restarts_allowed, plan.roles[i].restart.process);
  }
  evidence.failures = ledger.failures();
  evidence.commits = ledger.commits();
  evidence.ran = time_run(ledger.machine().state(), until);
  evidence.checkpoint_cost = median_save(signs);
  evidence.checkpoint_every = median_gap(evidence.commits);
  return evidence;
}

Duration best_checkpoint_interval(Duration cost, Duration between_failures) {
  const auto delta = static_cast<double>(cost.count());
  const auto mean = static_cast<double>(between_failures.count());
  if (delta >= 2 * mean) {
    return between_failures;
  }
  const double ratio = delta / (2 * mean);
  const double interval =
      std::sqrt(2 * delta * mean) * (1 + std::sqrt(ratio) / 3 + ratio / 9) - delta;
  return Duration(std::llround(interval));
}

}  // namespace muster::account
