#include "sim/full/full_world.h"

#include "base/check.h"
#include "job/describe.h"
#include "sim/core/trace.h"
#include "sim/full/spec_maker.h"
#include "spec/write/serialize.h"

#include <fmt/format.h>

#include <utility>

namespace muster::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kFaultsLast = minutes(3);
constexpr Duration kHealWithin = minutes(90);
constexpr Duration kAfterTheEnd = seconds(45);  // Longer than any isolated host is left alone.
constexpr std::string_view kJob = "sim-000001";

job::Plan derived_plan(const std::string& plan_json, uint64_t seed) {
  Result<job::Plan> plan = eventlog::derive_plan(plan_json, std::string(kJob), seed);
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
    : options_(options),
      world_(options.seed),
      plan_json_(spec::to_json(make_spec(world_.random().fork()))),
      job_seed_(world_.random().next()),
      plan_(derived_plan(plan_json_, job_seed_)),
      faults_(world_.random().fork(), options.without, kFaultCount),
      agents_start_masters_(world_.random().chance(50) && !options.yarn),
      network_loop_(world_, {.booted = {}, .wall_offset = {}, .late_max = {}, .pool_takes = {}}),
      network_(network_loop_),
      log_(world_, options.trace),
      classifier_(make_classifier()),
      checkers_(make_checkers(plan_)),
      watch_(plan_, truth_),
      shadow_(disk_, plan_, shadow_handlers()),
      programs_(program_world()),
      starter_(*this) {
  if (options.yarn) {
    yarn_ = std::make_unique<YarnModel>(yarn_around());
  } else {
    cluster_ = std::make_unique<ClusterModel>(cluster_around());
  }
  disk_.created = [this](job::Epoch epoch) { shadow_.created(epoch); };
  disk_.grown = [this](job::Epoch epoch) { shadow_.grown(epoch); };
  disk_.arrived = [this](job::Epoch epoch, uint64_t digest) { shadow_.arrived(epoch, digest); };
  network_.latency = [this](const std::string&, const std::string&) { return travel(); };
  network_.lets_send = [this](const std::string& from) {
    MasterProcess* const process = master_named(from);
    return process == nullptr || process->may_act();
  };
}

FullWorld::~FullWorld() {
  master_.reset();
  replaced_.clear();
  buried_.clear();
  rogues_.clear();
  agents_.clear();
}

ProgramWorld FullWorld::program_world() {
  return {.world = world_,
          .faults = faults_,
          .truth = truth_,
          .plan = plan_,
          .classifier = classifier_,
          .started = [this](const os::SpawnOptions& options) { program_started(options); },
          .died = [this](const TrueAttempt& attempt) { program_died(attempt); },
          .tree = tree_};
}

ClusterModel::Around FullWorld::cluster_around() {
  return {
      .world = world_,
      .faults = faults_,
      .truth = truth_,
      .tell = [this](const job::Fact& fact) { hear_cluster(fact); },
      .start_agent = [this](const auto& container,
                            const auto&) { start_agent(orders_.at(container)); },
      .end_agent = [this](const auto& container, TrueEnd how) { end_agent(container, how); },
      .wind_down = [this](const auto& container, Duration within) { wind_down(container, within); },
      .host_dies = [this](const job::HostName& host) { host_dies(host); },
      .isolate = [this](const auto& container, Duration lasts) { isolate(container, lasts); },
      .launched_again = [](const auto&) {}};
}

YarnModel::Around FullWorld::yarn_around() {
  return {.world = world_,
          .faults = faults_,
          .truth = truth_,
          .loop = network_loop_,
          .start_agent =
              [this](const cluster::LaunchOrder& order) {
                orders_.try_emplace(order.container, order);
                start_agent(order);
              },
          .end_agent = [this](const auto& container, TrueEnd how) { end_agent(container, how); },
          .host_dies = [this](const job::HostName& host) { host_dies(host); },
          .isolate = [this](const auto& container, Duration lasts) { isolate(container, lasts); }};
}

LogShadow::Handlers FullWorld::shadow_handlers() {
  return {.logged = [this](const eventlog::Record& record,
                           const job::Machine& machine) { logged(record, machine); },
          .applied = [this](const eventlog::Record& record, std::span<const job::Action> actions,
                            const job::Machine& machine) { applied(record, actions, machine); },
          .broken = [this](std::string what) { broken("log", std::move(what)); }};
}

MasterProcess::Around FullWorld::master_around() {
  return {.world = world_,
          .network = network_,
          .disk = disk_,
          .place = place_,
          .sink = log_,
          .pace = pace_of("master" + std::to_string(masters_)),
          .open_link =
              [this](MasterProcess& process) {
                return yarn_ != nullptr ? open_yarn_link(process) : open_link(process);
              },
          .ends_job = [this](const MasterProcess& process) { master_ends_job(process); },
          .over = [this](MasterProcess* process,
                         const master::MasterEnd& end) { master_over(process, end); },
          .doomed =
              [this](MasterProcess* process) {
                if (process == master_.get()) {
                  master_dies(false);
                } else {
                  replaced_dies(process);
                }
              }};
}

master::MasterOptions FullWorld::master_options() const {
  master::MasterOptions options;
  options.job = job::JobId{std::string(kJob)};
  options.seed = job_seed_;
  options.plan_json = plan_json_;
  options.plan_of = eventlog::derive_plan;
  options.listen.host = "master";
  options.logs_folder = "/job/logs";
  options.version = "sim";
  return options;
}

Duration FullWorld::travel() {
  Random& random = world_.random();
  return faults_.strikes(Fault::SlowMessages)
             ? random.between(Duration(milliseconds(100)), Duration(seconds(4)))
             : random.between(Duration(std::chrono::microseconds(100)), Duration(milliseconds(5)));
}

ProcessLoop::Pace FullWorld::pace_of(const std::string& host) {
  ProcessLoop::Pace pace;
  pace.booted = world_.random().between(Duration(seconds(10)), Duration(std::chrono::hours(100)));
  const auto [offset, is_new] = wall_offsets_.try_emplace(host);
  if (is_new && faults_.strikes(Fault::ClocksDiffer)) {
    offset->second =
        world_.random().between(Duration::zero(), Duration(std::chrono::hours(2))) - minutes(60);
  }
  pace.wall_offset = offset->second;
  pace.pool_takes = [this](Random& random) {
    if (!faults_.strikes(Fault::SlowDisk)) {
      return random.between(Duration(std::chrono::microseconds(50)), Duration(milliseconds(5)));
    }
    // A shared disk that hangs outlives whoever waits for it.
    return random.chance(10) ? random.between(Duration(seconds(4)), Duration(seconds(40)))
                             : random.between(Duration(milliseconds(100)), Duration(seconds(4)));
  };
  return pace;
}

// ---- judgement

void FullWorld::broken(std::string_view who, std::string what) {
  if (failure_.empty() && !what.empty()) {
    failure_ = std::string(who) + ": " + std::move(what);
  }
}

void FullWorld::logged(const eventlog::Record& record, const job::Machine& machine) {
  if (const auto* commit = std::get_if<job::CheckpointCommitted>(&record.fact)) {
    grants_.emplace(commit->generation, commit->name);
    for (const auto& checker : checkers_) {
      checker->committed(commit->attempt, commit->generation, machine);
    }
  }
}

void FullWorld::applied(const eventlog::Record& record, std::span<const job::Action> actions,
                        const job::Machine& machine) {
  if (options_.trace) {
    trace(world_.now(), plan_, record.fact, actions);
  }
  world_.note(machine.digest());
  probes_.observe(record.fact, actions, machine);
  broken("agents", watch_.logged(record.fact, actions));
  for (const auto& checker : checkers_) {
    checker->applied(record.at, record.fact, actions, machine);
    checker->replayed(record.at, record.fact, actions, machine);
  }
}

void FullWorld::program_started(const os::SpawnOptions& options) {
  const TrueAttempt& attempt = truth_.attempts.back();
  broken("agents", watch_.started(attempt));
  for (const auto& checker : checkers_) {
    checker->started(attempt, truth_, shadow_.machine());
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

void FullWorld::program_died(const TrueAttempt& attempt) {
  const bool talks = plan_.role(attempt.id.task.role).membership != spec::Membership::Independent;
  if (!talks) {
    return;
  }
  // A copy: what it refers to goes when a program hears of it.
  const TrueAttempt dead = attempt;  // NOLINT(performance-unnecessary-copy-initialization)
  for (const auto& [container, agent] : agents_) {
    if (container != dead.container && agent->alive()) {
      agent->programs().peer_lost(dead);
    }
  }
}

void FullWorld::check_mirror() { broken("mirror", mirror_.look(tree_, kMirror, grants_)); }

void FullWorld::check_end() {
  shadow_.check_replay();
  check_mirror();
  for (const auto& [container, agent] : agents_) {
    if (agent->alive()) {
      broken("nothing stays", "the agent of " + container.value + " outlives the job");
    }
  }
  for (const TrueAttempt& attempt : truth_.attempts) {
    if (!attempt.ended) {
      broken("nothing stays", to_string(plan_, attempt.id) + " outlives the job");
    }
  }
  if (place_.summary.empty()) {
    broken("summary", "the job has ended and no summary was written");
  }
  const std::optional<job::Outcome>& outcome = shadow_.machine().state().outcome;
  if (outcome &&
      !place_.summary.contains(fmt::format(R"("result":"{}")", to_string(outcome->result)))) {
    broken("summary", "the summary tells another result than the log");
  }
  for (const auto& checker : checkers_) {
    checker->finished(shadow_.machine(), truth_);
    if (!checker->broken().empty()) {
      broken(checker->name(), checker->broken());
    }
  }
}

SeedResult FullWorld::run() {
  world_.after({}, [this] { start_master(); });
  world_.after(world_.random().between(Duration::zero(), Duration(seconds(1))),
               [this] { disturb(); });
  world_.at(Time{kFaultsLast}, [this] { heal(); });
  const auto failed = [this] { return !failure_.empty(); };
  if (!world_.run_until(Time{kFaultsLast + kHealWithin}, [&] { return over_ || failed(); })) {
    const job::State& state = shadow_.machine().state();
    broken(
        "progress",
        fmt::format("the job is still {} long after all faults ended{}{}{}", to_string(state.phase),
                    state.chronicle.waits_for().empty() ? "" : ", waiting for ",
                    state.chronicle.waits_for(), refused_.empty() ? "" : "; " + refused_));
  }
  if (!failed()) {
    // What was under way when the job ended must change nothing any more.
    (void)world_.run_until(world_.now() + kAfterTheEnd, failed);
    check_end();
  }
  for (const auto& checker : checkers_) {
    if (!checker->broken().empty()) {
      broken(checker->name(), checker->broken());
    }
  }
  return {.failure = failure_,
          .faults = faults_.names(),
          .hash = world_.hash(),
          .steps = world_.steps(),
          .facts = shadow_.size(),
          .probes = reached()};
}

std::set<std::string> FullWorld::reached() const {
  std::set<std::string> all = probes_.reached();
  all.insert(log_.seen().begin(), log_.seen().end());
  return all;
}

SeedResult run_full(const SeedRun& options) { return FullWorld(options).run(); }

}  // namespace muster::sim
