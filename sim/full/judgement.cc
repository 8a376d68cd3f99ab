#include "sim/full/judgement.h"

#include "job/describe.h"
#include "sim/core/trace.h"
#include "sim/full/spec_maker.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <variant>

namespace muster::sim {

Judgement::Judgement(Setting& setting, const Around& around)
    : setting_(setting),
      around_(around),
      checkers_(make_checkers(setting.plan)),
      watch_(setting.plan, setting.truth),
      shadow_(around.disk, setting.plan, shadow_handlers()) {
  around_.disk.created = [this](job::Epoch epoch) { shadow_.created(epoch); };
  around_.disk.grown = [this](job::Epoch epoch) { shadow_.grown(epoch); };
  around_.disk.arrived = [this](job::Epoch epoch, uint64_t digest) {
    shadow_.arrived(epoch, digest);
  };
}

Judgement::~Judgement() {
  around_.disk.created = nullptr;
  around_.disk.grown = nullptr;
  around_.disk.arrived = nullptr;
}

LogShadow::Handlers Judgement::shadow_handlers() {
  return {.logged = [this](const eventlog::Record& record,
                           const job::Machine& machine) { logged(record, machine); },
          .applied = [this](const eventlog::Record& record, std::span<const job::Action> actions,
                            const job::Machine& machine) { applied(record, actions, machine); },
          .broken = [this](std::string what) { broken("log", std::move(what)); }};
}

void Judgement::broken(std::string_view who, std::string what) {
  if (failure_.empty() && !what.empty()) {
    failure_ = std::string(who) + ": " + std::move(what);
  }
}

void Judgement::logged(const eventlog::Record& record, const job::Machine& machine) {
  if (const auto* commit = std::get_if<job::CheckpointCommitted>(&record.fact)) {
    grants_.emplace(commit->generation, commit->name);
    for (const auto& checker : checkers_) {
      checker->committed(commit->attempt, commit->generation, machine);
    }
  }
}

void Judgement::applied(const eventlog::Record& record, std::span<const job::Action> actions,
                        const job::Machine& machine) {
  if (around_.trace) {
    trace(setting_.world.now(), setting_.plan, record.fact, actions);
  }
  setting_.world.note(machine.digest());
  probes_.observe(record.fact, actions, machine);
  broken("agents", watch_.logged(record.fact, actions));
  for (const auto& checker : checkers_) {
    checker->applied(record.at, record.fact, actions, machine);
    checker->replayed(record.at, record.fact, actions, machine);
  }
}

void Judgement::started(const os::SpawnOptions& options) {
  const TrueAttempt& attempt = setting_.truth.attempts.back();
  broken("agents", watch_.started(attempt));
  for (const auto& checker : checkers_) {
    checker->started(attempt, setting_.truth, machine());
  }
  const auto view = options.env.find("MUSTER_VIEW");
  if (view == options.env.end()) {
    broken("one view", "a program was started without MUSTER_VIEW");
    return;
  }
  const auto [known, is_new] = views_.try_emplace(attempt.generation, view->second);
  if (!is_new && known->second != view->second) {
    broken("one view", fmt::format("two programs of generation {} see different views",
                                   attempt.generation.value));
  }
}

void Judgement::given_back(const job::ContainerId& container, cluster::Confirm confirm) {
  for (const auto& checker : checkers_) {
    checker->released(job::ReleaseContainer{container});
    checker->given_back(container, confirm);
  }
}

void Judgement::left_cluster(const job::Outcome& outcome) {
  for (const auto& checker : checkers_) {
    checker->released(job::Finish{outcome});
  }
}

void Judgement::look_at_mirror() { broken("mirror", mirror_.look(around_.tree, kMirror, grants_)); }

void Judgement::check_end(std::span<const job::ContainerId> living_agents,
                          const std::string& summary) {
  shadow_.check_replay();
  look_at_mirror();
  for (const job::ContainerId& container : living_agents) {
    broken("nothing stays", "the agent of " + container.value + " outlives the job");
  }
  for (const TrueAttempt& attempt : setting_.truth.attempts) {
    if (!attempt.ended) {
      broken("nothing stays", to_string(setting_.plan, attempt.id) + " outlives the job");
    }
  }
  if (summary.empty()) {
    broken("summary", "the job has ended and no summary was written");
  }
  const std::optional<job::Outcome>& outcome = machine().state().outcome;
  if (outcome && !summary.contains(fmt::format(R"("result":"{}")", to_string(outcome->result)))) {
    broken("summary", "the summary tells another result than the log");
  }
  for (const auto& checker : checkers_) {
    checker->finished(machine(), setting_.truth);
  }
  collect();
}

void Judgement::collect() {
  for (const auto& checker : checkers_) {
    if (!checker->broken().empty()) {
      broken(checker->name(), checker->broken());
    }
  }
}

}  // namespace muster::sim
