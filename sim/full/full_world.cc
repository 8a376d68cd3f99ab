#include "sim/full/full_world.h"

#include "base/check.h"

#include <fmt/format.h>

#include <utility>

namespace muster::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kFaultsLast = minutes(3);
constexpr Duration kHealWithin = minutes(90);
constexpr Duration kAfterTheEnd = seconds(45);  // Longer than any isolated host is left alone.

verdict::Classifier make_classifier() {
  auto made = verdict::Classifier::make({});
  MUSTER_CHECK(made.has_value(), "the built-in rules compile");
  return std::move(*made);
}

}  // namespace

FullWorld::FullWorld(const SeedRun& options)
    : setting_(options),
      classifier_(make_classifier()),
      judgement_(setting_, {.disk = disk_, .tree = tree_, .trace = options.trace}),
      cluster_(setting_, {.judgement = judgement_, .agents = agents_, .masters = masters_},
               options.yarn),
      agents_(setting_, agents_around()),
      masters_(setting_, {.disk = disk_, .cluster = cluster_, .judgement = judgement_}),
      disturber_(setting_,
                 {.disk = disk_, .agents = agents_, .masters = masters_, .judgement = judgement_}) {
  setting_.network.lets_send = [this](const std::string& from) {
    MasterProcess* const process = masters_.named(from);
    return process == nullptr || process->may_act();
  };
}

Agents::Around FullWorld::agents_around() {
  return {
      .classifier = classifier_,
      .tree = tree_,
      .starter = masters_,
      .program_started = [this](const os::SpawnOptions& options) { judgement_.started(options); },
      .ended = [this](const job::ContainerId& container) { cluster_.agent_ended(container); }};
}

void FullWorld::run_to_the_end() {
  const auto failed = [this] { return !judgement_.failure().empty(); };
  if (!setting_.world.run_until(Time{kFaultsLast + kHealWithin},
                                [&] { return masters_.over() || failed(); })) {
    const job::State& state = judgement_.machine().state();
    const std::string& refused = masters_.refused();
    judgement_.broken(
        "progress",
        fmt::format("the job is still {} long after all faults ended{}{}{}", to_string(state.phase),
                    state.chronicle.waits_for().empty() ? "" : ", waiting for ",
                    state.chronicle.waits_for(), refused.empty() ? "" : "; " + refused));
  }
  if (!failed()) {
    // What was under way when the job ended must no longer change anything.
    (void)setting_.world.run_until(setting_.world.now() + kAfterTheEnd, failed);
    judgement_.check_end(agents_.living(), masters_.summary());
  }
}

SeedResult FullWorld::run() {
  setting_.world.after({}, [this] { masters_.start(); });
  setting_.world.after(setting_.world.random().between(Duration::zero(), Duration(seconds(1))),
                       [this] { disturber_.disturb(); });
  setting_.world.at(Time{kFaultsLast}, [this] { setting_.faults.heal(); });
  run_to_the_end();
  judgement_.collect();
  return {.failure = judgement_.failure(),
          .faults = setting_.faults.names(),
          .hash = setting_.world.hash(),
          .steps = setting_.world.steps(),
          .facts = judgement_.facts(),
          .probes = reached()};
}

std::set<std::string> FullWorld::reached() const {
  std::set<std::string> all = judgement_.reached();
  all.insert(setting_.log.seen().begin(), setting_.log.seen().end());
  return all;
}

SeedResult run_full(const SeedRun& options) { return FullWorld(options).run(); }

}  // namespace muster::sim
