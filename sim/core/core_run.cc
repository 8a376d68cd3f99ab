#include "sim/core/core_run.h"

#include "sim/core/agent_model.h"
#include "sim/core/checker.h"
#include "sim/core/cluster_model.h"
#include "sim/core/master_model.h"
#include "sim/core/plan_maker.h"
#include "sim/core/probes.h"
#include "sim/core/trace.h"
#include "sim/core/truth.h"
#include "sim/world.h"

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace muster::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kFaultPhase = minutes(3);
constexpr Duration kHealBound = minutes(90);

/// One run: the models, the checkers and the wires between them.
class CoreRun {
 public:
  explicit CoreRun(const CoreOptions& options)
      : options_(options),
        world_(options.seed),
        plan_(make_plan(world_.random().fork())),
        faults_(world_.random().fork(), options.without),
        checkers_(make_checkers(plan_)),
        cluster_(cluster_around()),
        master_(master_around()) {}

  CoreResult run();

 private:
  ClusterModel::Around cluster_around();
  MasterModel::Around master_around();
  AgentSurroundings agent_around();

  void act(job::Epoch epoch, const job::Action& action);
  void order(job::Epoch epoch, const job::ContainerId& container, const job::Action& action);
  void start_agent(const job::ContainerId& container, const job::HostName& host);
  void end_agent(const job::ContainerId& container, TrueEnd how);
  void dial_all();
  void dial(const job::ContainerId& container);
  void hear(const job::ContainerId& container, job::Fact fact);
  void process_died(const TrueAttempt& attempt);
  void ask_commit(job::AttemptId attempt, job::Generation started_in);
  void disturb();
  void check_started();
  void heal();
  [[nodiscard]] Duration travel();
  void broken(std::string_view who, std::string what);
  AgentModel* find_agent(const job::ContainerId& container);

  CoreOptions options_;
  World world_;
  job::Plan plan_;
  Faults faults_;
  Truth truth_;
  std::vector<std::unique_ptr<Checker>> checkers_;
  Probes probes_;
  std::map<job::ContainerId, std::unique_ptr<AgentModel>> agents_;
  std::map<job::ContainerId, Time> deaf_until_;
  std::set<job::ContainerId> introduced_;
  ClusterModel cluster_;
  MasterModel master_;
  size_t checked_starts_ = 0;
  std::string failure_;
};

ClusterModel::Around CoreRun::cluster_around() {
  return {.world = world_,
          .faults = faults_,
          .truth = truth_,
          .tell = [this](job::Fact fact) { hear({}, std::move(fact)); },
          .start_agent = [this](const auto& container,
                                const auto& host) { start_agent(container, host); },
          .end_agent = [this](const auto& container, TrueEnd how) { end_agent(container, how); }};
}

MasterModel::Around CoreRun::master_around() {
  return {.world = world_,
          .faults = faults_,
          .plan = plan_,
          .applied =
              [this](const job::Fact& fact, std::span<const job::Action> actions,
                     const job::Machine& machine) {
                if (options_.trace) {
                  trace(world_.now(), plan_, fact, actions);
                }
                probes_.observe(fact, actions, machine);
                for (const auto& checker : checkers_) {
                  checker->applied(world_.now(), fact, actions, machine);
                }
              },
          .act = [this](job::Epoch epoch, const job::Action& action) { act(epoch, action); },
          .broken = [this](std::string what) { broken("replay", std::move(what)); },
          .hears =
              [this](const job::ContainerId& container) {
                const AgentModel* agent = find_agent(container);
                return agent != nullptr && agent->alive() && deaf_until_[container] <= world_.now();
              }};
}

AgentSurroundings CoreRun::agent_around() {
  return {.world = world_,
          .faults = faults_,
          .truth = truth_,
          .plan = plan_,
          .tell = [this](const auto& from, job::Fact fact) { hear(from, std::move(fact)); },
          .process_died = [this](const TrueAttempt& attempt) { process_died(attempt); },
          .ask_commit = [this](const auto&, job::AttemptId attempt,
                               job::Generation generation) { ask_commit(attempt, generation); }};
}

Duration CoreRun::travel() {
  Random& random = world_.random();
  return faults_.strikes(Fault::SlowMessages)
             ? random.between(Duration(milliseconds(100)), Duration(seconds(4)))
             : random.between(Duration(milliseconds(1)), Duration(milliseconds(5)));
}

AgentModel* CoreRun::find_agent(const job::ContainerId& container) {
  const auto found = agents_.find(container);
  return found == agents_.end() ? nullptr : found->second.get();
}

void CoreRun::hear(const job::ContainerId& container, job::Fact fact) {
  const bool from_agent = !container.value.empty();
  if (from_agent && faults_.strikes(Fault::BrokenConnections)) {
    // This one is lost with its connection; the agent dials again and reports everything.
    world_.after(travel() + milliseconds(100), [this, container] { dial(container); });
    return;
  }
  const int copies = faults_.strikes(Fault::DoubledFacts) ? 2 : 1;
  for (int i = 0; i < copies; ++i) {
    const Time arrives =
        std::max(world_.now() + travel(), from_agent ? deaf_until_[container] : Time{});
    world_.at(arrives, [this, fact] { master_.feed(fact); });
  }
}

void CoreRun::act(job::Epoch epoch, const job::Action& action) {
  if (const auto* request = std::get_if<job::RequestContainer>(&action)) {
    cluster_.request(*request);
  } else if (const auto* cancel = std::get_if<job::CancelRequest>(&action)) {
    cluster_.cancel(cancel->request);
  } else if (const auto* launch = std::get_if<job::LaunchAgent>(&action)) {
    cluster_.launch(launch->container);
  } else if (const auto* release = std::get_if<job::ReleaseContainer>(&action)) {
    master_.liveness().forget(release->container);
    cluster_.release(release->container);
  } else if (const auto* prepare = std::get_if<job::PrepareAttempt>(&action)) {
    order(epoch, prepare->container, action);
  } else if (const auto* start = std::get_if<job::StartAttempt>(&action)) {
    order(epoch, start->container, action);
  } else if (const auto* stop = std::get_if<job::StopAttempt>(&action)) {
    order(epoch, stop->container, action);
  } else if (std::holds_alternative<job::Reconcile>(action)) {
    cluster_.reconcile();
    dial_all();
  }
}

void CoreRun::order(job::Epoch epoch, const job::ContainerId& container,
                    const job::Action& action) {
  if (faults_.strikes(Fault::BrokenConnections)) {
    world_.after(travel() + milliseconds(100), [this, container] { dial(container); });
    return;
  }
  const Time arrives = std::max(world_.now() + travel(), deaf_until_[container]);
  world_.at(arrives, [this, epoch, container, action] {
    if (AgentModel* agent = find_agent(container)) {
      agent->order(epoch, action);
      check_started();
    }
  });
}

void CoreRun::start_agent(const job::ContainerId& container, const job::HostName& host) {
  agents_[container] = std::make_unique<AgentModel>(agent_around(), container, host);
  introduced_.insert(container);
  hear(container, job::AgentJoined{container, host.value + ":7000"});
}

void CoreRun::end_agent(const job::ContainerId& container, TrueEnd how) {
  AgentModel* agent = find_agent(container);
  if (agent == nullptr || !agent->alive()) {
    return;
  }
  agent->die(how);
  if (how == TrueEnd::Origin) {
    world_.after(milliseconds(5), [this, container] {
      master_.liveness().closed(container, HostTime{world_.now().time_since_epoch()}, false);
    });
  }
}

void CoreRun::dial_all() {
  for (const auto& [id, container] : master_.machine().state().containers) {
    if (container.state != job::ContainerState::Gone) {
      dial(id);
    }
  }
}

void CoreRun::dial(const job::ContainerId& container) {
  AgentModel* agent = find_agent(container);
  if (!master_.alive()) {
    world_.after(seconds(1), [this, container] { dial(container); });
    return;
  }
  if (agent == nullptr || !agent->alive()) {
    if (introduced_.contains(container) && cluster_.known_gone(container)) {
      master_.feed(job::AgentLost{container, job::LossReason::Unreachable});
    }
    return;
  }
  const Time arrives = std::max(world_.now() + travel(), deaf_until_[container]);
  world_.at(arrives, [this, container] {
    AgentModel* there = find_agent(container);
    if (there == nullptr || !there->alive() || !master_.alive()) {
      return;
    }
    if (std::optional<job::AgentReported> report = there->report(master_.epoch())) {
      master_.feed(std::move(*report));
    }
  });
}

void CoreRun::process_died(const TrueAttempt& attempt) {
  const bool talks = plan_.role(attempt.id.task.role).membership != spec::Membership::Independent;
  if (!talks) {
    return;
  }
  for (const auto& [container, agent] : agents_) {
    if (container != attempt.container) {
      agent->peer_lost(attempt.generation);
    }
  }
}

void CoreRun::ask_commit(job::AttemptId attempt, job::Generation started_in) {
  world_.after(travel(), [this, attempt, started_in] {
    if (!master_.alive() || !master_.machine().may_commit(attempt, started_in)) {
      return;
    }
    for (const auto& checker : checkers_) {
      checker->committed(attempt, started_in, master_.machine());
    }
    master_.feed(job::CheckpointCommitted{attempt, started_in, "step"});
  });
}

void CoreRun::check_started() {
  for (; checked_starts_ < truth_.attempts.size(); ++checked_starts_) {
    for (const auto& checker : checkers_) {
      checker->started(truth_.attempts[checked_starts_], truth_, master_.machine());
    }
  }
}

void CoreRun::disturb() {
  Random& random = world_.random();
  if (faults_.strikes(Fault::MasterCrashes)) {
    master_.crash();
  }
  if (faults_.strikes(Fault::MasterStalls)) {
    master_.stall(random.between(Duration(milliseconds(100)), Duration(seconds(20))));
  }
  if (faults_.strikes(Fault::LogUnavailable)) {
    master_.lose_log(random.between(Duration(milliseconds(100)), Duration(seconds(30))));
  }
  if (faults_.strikes(Fault::Partitions) && !agents_.empty()) {
    auto victim =
        std::next(agents_.begin(), static_cast<std::ptrdiff_t>(random.below(agents_.size())));
    const Duration lasts = random.between(Duration(seconds(1)), Duration(seconds(25)));
    deaf_until_[victim->first] = world_.now() + lasts;
    world_.after(lasts, [this, container = victim->first] { dial(container); });
  }
  if (faults_.strikes(Fault::StopAsked) && random.chance(10)) {
    truth_.stop_asked = true;
    master_.feed(job::StopAsked{"somebody"});
  }
  world_.after(seconds(1), [this] { disturb(); });
}

void CoreRun::heal() {
  faults_.heal();
  for (auto& [container, until] : deaf_until_) {
    until = std::min(until, world_.now());
  }
}

void CoreRun::broken(std::string_view who, std::string what) {
  if (failure_.empty()) {
    failure_ = std::string(who) + ": " + std::move(what);
  }
}

CoreResult CoreRun::run() {
  master_.start();
  world_.after(seconds(1), [this] { disturb(); });
  world_.at(Time{kFaultPhase}, [this] { heal(); });
  const auto over = [this] { return master_.finished() || !failure_.empty(); };
  if (!world_.run_until(Time{kFaultPhase + kHealBound}, over)) {
    const job::State& state = master_.machine().state();
    broken("progress", std::string("the job is still ") + std::string(to_string(state.phase)) +
                           " long after all faults ended" +
                           (state.waits_for.empty() ? "" : ", waiting for " + state.waits_for));
  }
  // What was under way when the job ended must change nothing any more.
  (void)world_.run_until(world_.now() + seconds(30), [this] { return !failure_.empty(); });
  master_.check_replay();
  for (const auto& checker : checkers_) {
    checker->finished(master_.machine(), truth_);
    if (!checker->broken().empty()) {
      broken(checker->name(), checker->broken());
    }
  }
  return {.failure = failure_,
          .faults = faults_.names(),
          .hash = world_.hash(),
          .steps = world_.steps(),
          .facts = master_.facts(),
          .probes = probes_.reached()};
}

std::string checker_of(const std::string& failure) { return failure.substr(0, failure.find(':')); }

}  // namespace

CoreResult run_core(const CoreOptions& options) { return CoreRun(options).run(); }

CoreOptions shrink(const CoreOptions& failing) {
  CoreOptions smallest = failing;
  const std::string checker = checker_of(run_core(failing).failure);
  for (size_t i = 0; i < kFaultCount; ++i) {
    CoreOptions fewer = smallest;
    fewer.trace = false;
    fewer.without.insert(static_cast<Fault>(i));
    if (checker_of(run_core(fewer).failure) == checker) {
      smallest = fewer;
    }
  }
  return smallest;
}

}  // namespace muster::sim
