#include "account/ledger.h"

#include "account/line_maker.h"
#include "base/overloaded.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace muster::account {
namespace {

using job::ContainerState;

bool asks_and_holds_nothing(const job::State& state, bool holds) {
  return !holds && state.phase == job::JobPhase::Gathering && !state.requests.empty();
}

/// The role's sums while they are built.
struct Means {
  double sum = 0;
  uint32_t count = 0;

  void add(const std::optional<double>& value) {
    if (value) {
      sum += *value;
      ++count;
    }
  }
  [[nodiscard]] std::optional<double> mean() const {
    return count == 0 ? std::nullopt : std::optional(sum / count);
  }
};

void add_use(const job::Plan& plan, const job::Task& task, const job::Attempt& attempt,
             const AttemptUse* use, RoleAccount& role) {
  std::optional<uint64_t> peak;
  if (attempt.exit && attempt.exit->memory_peak_bytes > 0) {
    peak = attempt.exit->memory_peak_bytes;
  }
  if (use != nullptr && use->memory_peak_bytes) {
    peak = std::max(peak.value_or(0), *use->memory_peak_bytes);
  }
  if (peak && *peak > role.memory_peak_bytes.value_or(0)) {
    role.memory_peak_bytes = peak;
    role.memory_peak_task = job::to_string(plan, task.id);
  }
}

RoleAccount role_account(const job::Plan& plan, const job::State& state, size_t index,
                         const Uses& uses) {
  RoleAccount role;
  role.name = plan.roles[index].name;
  role.tasks = plan.roles[index].tasks;
  role.requested = plan.roles[index].resources;
  Means cores;
  Means gpu;
  for (const job::Task& task : state.tasks[index]) {
    for (const job::Attempt& attempt : task.attempts) {
      const auto found = uses.find({task.id, attempt.number});
      const AttemptUse* const use = found == uses.end() ? nullptr : &found->second;
      add_use(plan, task, attempt, use, role);
      if (use != nullptr) {
        cores.add(use->cores.mean);
        gpu.add(use->gpu.mean);
        if (use->gpu.memory_peak_bytes > role.gpu_memory_peak_bytes) {
          role.gpu_memory_peak_bytes = use->gpu.memory_peak_bytes;
          role.gpu_memory_limit_bytes = use->gpu.memory_limit_bytes;
        }
      }
    }
  }
  role.cores_mean = cores.mean();
  role.gpu_mean = gpu.mean();
  return role;
}

StartsKnown starts_known(const job::State& state, const Signs& signs) {
  StartsKnown known;
  for (const std::vector<job::Task>& role : state.tasks) {
    for (const job::Task& task : role) {
      for (const job::Attempt& attempt : task.attempts) {
        if (attempt.started <= Time{}) {
          continue;
        }
        const auto found = signs.find({task.id, attempt.number});
        const AttemptSigns sign = found == signs.end() ? AttemptSigns{} : found->second;
        (sign.first_step     ? known.by_step
         : sign.first_output ? known.by_output
                             : known.unknown) += 1;
      }
    }
  }
  return known;
}

void add_line(const Line& line, ByClass& classes) {
  for (const Span& span : line.spans) {
    classes[index_of(span.what)] += (span.to - span.from) / line.slots;
  }
}

Duration length_of(const Line& line) {
  return line.spans.empty() ? Duration::zero() : line.spans.back().to - line.spans.front().from;
}

}  // namespace

std::string_view to_string(Class value) {
  switch (value) {
    case Class::Gathering:
      return "gathering";
    case Class::Starting:
      return "starting";
    case Class::Productive:
      return "productive";
    case Class::Repeated:
      return "repeated";
    case Class::Stalled:
      return "stalled";
    case Class::Waiting:
      return "waiting";
    case Class::Saving:
      return "saving";
    case Class::Ending:
      return "ending";
  }
  return "";
}

std::optional<double> Account::goodput() const {
  if (granted <= Duration::zero()) {
    return std::nullopt;
  }
  return static_cast<double>(classes[index_of(Class::Productive)].count()) /
         static_cast<double>(granted.count());
}

Ledger::Ledger(job::Plan plan) : machine_(std::move(plan)) {}

void Ledger::apply(Time now, const job::Fact& fact) {
  now = std::max(now, last_);
  if (asking_) {
    queued_ += now - last_;
  }
  last_ = now;
  const std::vector<job::Action> actions = machine_.apply(now, fact);
  note_fact(now, fact);
  note_actions(now, actions);
  if (!journal_.stopping && (machine_.state().phase == job::JobPhase::Stopping ||
                             machine_.state().phase == job::JobPhase::Ended)) {
    journal_.stopping = now;
  }
  asking_ = asks_and_holds_nothing(machine_.state(), !open_.empty());
}

void Ledger::note_actions(Time now, const std::vector<job::Action>& actions) {
  for (const job::Action& action : actions) {
    std::visit(
        Overloaded{
            [&](const job::StopAttempt& stop) { journal_.stops.try_emplace(stop.attempt, now); },
            [&](const job::ReleaseContainer& release) {
              const auto held = journal_.held.find(release.container);
              if (held != journal_.held.end() && !held->second.released) {
                held->second.released = now;
              }
            },
            [](const auto&) {},
        },
        action);
  }
}

void Ledger::note_fact(Time now, const job::Fact& fact) {
  const job::State& state = machine_.state();
  std::visit(Overloaded{
                 [&](const job::ContainerGranted& granted) {
                   const Journal::Held held{.granted = now, .released = {}, .gone = {}};
                   if (state.containers.contains(granted.container) &&
                       journal_.held.try_emplace(granted.container, held).second) {
                     open_.insert(granted.container);
                   }
                 },
                 [&](const job::ContainerEnded& ended) { note_gone(now, ended.container); },
                 [&](const job::HostReported&) {
                   for (const job::ContainerId& id : std::set<job::ContainerId>(open_)) {
                     note_gone(now, id);
                   }
                 },
                 [&](const job::AttemptStalled& stalled) { note_stall(now, stalled); },
                 [&](const job::CheckpointCommitted& commit) {
                   if (state.last_commit == commit) {
                     journal_.commits.push_back({.at = now, .attempt = commit.attempt});
                   }
                 },
                 [](const auto&) {},
             },
             fact);
}

// A silence of zero means that it moves again.
void Ledger::note_stall(Time now, const job::AttemptStalled& stalled) {
  std::vector<Journal::Stall>& stalls = journal_.stalls[stalled.attempt];
  if (stalled.silent > Duration::zero()) {
    stalls.push_back({.from = now - stalled.silent,
                      .told = now,
                      .over = {},
                      .for_all = stalled.sure != job::Sureness::Sign});
    return;
  }
  for (Journal::Stall& stall : stalls) {
    stall.over = stall.over.value_or(now);
  }
}

void Ledger::note_gone(Time now, const job::ContainerId& id) {
  const auto container = machine_.state().containers.find(id);
  if (container != machine_.state().containers.end() &&
      container->second.state == ContainerState::Gone && open_.erase(id) > 0) {
    journal_.held[id].gone = now;
  }
}

std::vector<Failed> Ledger::failures() const {
  std::vector<Failed> failures;
  for (const std::vector<job::Task>& role : machine_.state().tasks) {
    for (const job::Task& task : role) {
      for (const job::Attempt& attempt : task.attempts) {
        const bool failed = attempt.state == job::AttemptState::Ended &&
                            attempt.part.value_or(job::Part::Stopped) != job::Part::Stopped;
        if (!failed) {
          continue;
        }
        const bool known = attempt.exit && attempt.exit->failure;
        failures.push_back(
            {.at = attempt.ended,
             .ran = attempt.started > Time{} ? attempt.ended - attempt.started : Duration::zero(),
             .attempt = {task.id, attempt.number},
             .host = attempt.host,
             .class_name = known ? attempt.exit->failure->class_name : std::string(),
             .origin = attempt.part == job::Part::Origin});
      }
    }
  }
  std::ranges::sort(failures, {},
                    [](const Failed& failed) { return std::pair(failed.at, failed.attempt); });
  return failures;
}

std::vector<Line> Ledger::lines(Time until, const Signs& signs) const {
  const job::State& state = machine_.state();
  const bool over = state.phase == job::JobPhase::Ended;
  return LineMaker({.plan = machine_.plan(),
                    .state = state,
                    .journal = journal_,
                    .signs = signs,
                    .end = over ? state.ended : std::max(until, last_)})
      .make();
}

Account Ledger::account(Time until, const Signs& signs, const Uses& uses,
                        Duration queued_before) const {
  const job::State& state = machine_.state();
  Account account;
  account.running = state.phase != job::JobPhase::Ended;
  account.until = account.running ? std::max(until, last_) : state.ended;
  account.queued = queued_before + queued_;
  if (asking_) {
    account.queued += account.until - last_;
  }
  for (size_t i = 0; i < machine_.plan().roles.size(); ++i) {
    account.roles.push_back(role_account(machine_.plan(), state, i, uses));
  }
  account.starts = starts_known(state, signs);
  for (const Line& line : lines(account.until, signs)) {
    add_line(line, account.classes);
    const Duration length = length_of(line) / line.slots;
    account.granted += length;
    account.guessed += line.guessed / line.slots;
    account.containers += line.slot == 0 ? 1 : 0;
    if (!line.role) {
      ++account.given_back;
      continue;
    }
    RoleAccount& role = account.roles[line.role->value];
    add_line(line, role.classes);
    role.granted += length;
    role.containers += line.slot == 0 ? 1 : 0;
  }
  return account;
}

}  // namespace muster::account
