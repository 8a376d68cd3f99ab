#include "sim/full/full_world.h"

#include "base/check.h"
#include "eventlog/derive_plan.h"
#include "sim/full/spec_maker.h"
#include "spec/write/serialize.h"

#include <fmt/format.h>

#include <utility>

namespace muster::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kFaultsLast = minutes(3);
constexpr Duration kHealWithin = minutes(90);
constexpr Duration kAfterTheEnd = seconds(45);  // Longer than any isolated host is left alone.
constexpr std::string_view kJob = "sim-000001";

master::MasterOptions make_master_options(Random& random) {
  master::MasterOptions options;
  options.job = job::JobId{std::string(kJob)};
  options.plan_json = spec::to_json(make_spec(random.fork()));
  options.seed = random.next();
  options.plan_of = eventlog::derive_plan;
  options.listen.host = "master";
  options.logs_folder = "/job/logs";
  options.version = "sim";
  return options;
}

job::Plan derived_plan(const master::MasterOptions& options) {
  Result<job::Plan> plan = options.plan_of(options.plan_json, options.job.value, options.seed);
  MUSTER_CHECK(plan.has_value(), plan.has_value() ? "" : plan.error().message);
  return std::move(*plan);
}

verdict::Classifier make_classifier() {
  auto made = verdict::Classifier::make({});
  MUSTER_CHECK(made.has_value(), "the built-in rules compile");
  return std::move(*made);
}

}  // namespace

FullWorld::FullWorld(const SeedRun& options)
    : world_(options.seed),
      master_options_(make_master_options(world_.random())),
      plan_(derived_plan(master_options_)),
      faults_(world_.random().fork(), options.without, kFaultCount),
      agents_start_masters_(world_.random().chance(50) && !options.yarn),
      network_loop_(world_, {.booted = {}, .wall_offset = {}, .late_max = {}, .pool_takes = {}}),
      network_(network_loop_),
      pacing_(world_, faults_),
      log_(world_, options.trace),
      classifier_(make_classifier()),
      judgement_({.world = world_,
                  .disk = disk_,
                  .plan = plan_,
                  .truth = truth_,
                  .tree = tree_,
                  .trace = options.trace}),
      cluster_({.world = world_,
                .faults = faults_,
                .truth = truth_,
                .plan = plan_,
                .pacing = pacing_,
                .loop = network_loop_,
                .network = network_,
                .sink = log_,
                .judgement = judgement_,
                .agents = agents_,
                .masters = masters_},
               options.yarn),
      agents_(agents_around()),
      masters_({.world = world_,
                .faults = faults_,
                .pacing = pacing_,
                .network = network_,
                .disk = disk_,
                .sink = log_,
                .cluster = cluster_,
                .judgement = judgement_,
                .options = master_options_,
                .agents_start_them = agents_start_masters_}),
      disturber_({.world = world_,
                  .faults = faults_,
                  .truth = truth_,
                  .disk = disk_,
                  .network = network_,
                  .agents = agents_,
                  .masters = masters_,
                  .judgement = judgement_}) {
  network_.latency = [this](const std::string&, const std::string&) { return pacing_.travel(); };
  network_.lets_send = [this](const std::string& from) {
    MasterProcess* const process = masters_.named(from);
    return process == nullptr || process->may_act();
  };
}

Agents::Around FullWorld::agents_around() {
  return {
      .world = world_,
      .faults = faults_,
      .truth = truth_,
      .plan = plan_,
      .classifier = classifier_,
      .network = network_,
      .tree = tree_,
      .sink = log_,
      .pacing = pacing_,
      .starter = masters_,
      .program_started = [this](const os::SpawnOptions& options) { judgement_.started(options); },
      .ended = [this](const job::ContainerId& container) { cluster_.agent_ended(container); }};
}

void FullWorld::run_to_the_end() {
  const auto failed = [this] { return !judgement_.failure().empty(); };
  if (!world_.run_until(Time{kFaultsLast + kHealWithin},
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
    // What was under way when the job ended must change nothing any more.
    (void)world_.run_until(world_.now() + kAfterTheEnd, failed);
    judgement_.check_end(agents_.living(), masters_.summary());
  }
}

SeedResult FullWorld::run() {
  world_.after({}, [this] { masters_.start(); });
  world_.after(world_.random().between(Duration::zero(), Duration(seconds(1))),
               [this] { disturber_.disturb(); });
  world_.at(Time{kFaultsLast}, [this] { faults_.heal(); });
  run_to_the_end();
  judgement_.collect();
  return {.failure = judgement_.failure(),
          .faults = faults_.names(),
          .hash = world_.hash(),
          .steps = world_.steps(),
          .facts = judgement_.facts(),
          .probes = reached()};
}

std::set<std::string> FullWorld::reached() const {
  std::set<std::string> all = judgement_.reached();
  all.insert(log_.seen().begin(), log_.seen().end());
  return all;
}

SeedResult run_full(const SeedRun& options) { return FullWorld(options).run(); }

}  // namespace muster::sim
