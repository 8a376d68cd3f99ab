#include "base/overloaded.h"
#include "job/unheard.h"
#include "sim/core/core_world.h"
#include "sim/core/plan_maker.h"
#include "sim/core/trace.h"

#include <chrono>
#include <map>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

namespace muster::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kFaultPhase = minutes(3);
constexpr Duration kHealBound = minutes(90);
/// A longer one never ends: the agent hangs, and only its silence gives it away.
constexpr Duration kLongestCut = seconds(22);

}  // namespace

ClusterModel::Around CoreRun::cluster_around() {
  return {
      .world = world_,
      .faults = faults_,
      .truth = truth_,
      .tell = [this](const job::Fact& fact) { hear_cluster(fact); },
      .start_agent = [this](const auto& container,
                            const auto& host) { start_agent(container, host); },
      .end_agent = [this](const auto& container, TrueEnd how) { end_agent(container, how); },
      .wind_down = [this](const auto& container, Duration within) { wind_down(container, within); },
      .host_dies = [](const auto&) {},
      .isolate = [this](const auto& container,
                        Duration lasts) { lines_.cut(container, lasts, {}); },
      .launched_again = [this](const auto& container) { redial(container); }};
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
          .recovered =
              [this](const job::Machine& machine) {
                for (const auto& checker : checkers_) {
                  checker->recovered(machine);
                }
              },
          .broken = [this](std::string what) { broken("replay", std::move(what)); },
          .crashed = [this] { lines_.all_broke(); },
          .hears =
              [this](const job::ContainerId& container) {
                const AgentModel* agent = find_agent(container);
                return agent != nullptr && agent->alive() && lines_.heard(container);
              },
          .ask_report = [this](const job::ContainerId& container) { redial(container); }};
}

AgentSurroundings CoreRun::agent_around() {
  return {
      .world = world_,
      .faults = faults_,
      .truth = truth_,
      .plan = plan_,
      .tell = [this](const auto& from, const job::Fact& fact) { hear(from, fact); },
      .process_died = [this](const TrueAttempt& attempt) { process_died(attempt); },
      .ask_commit = [this](const auto& from, job::AttemptId attempt,
                           job::Generation generation) { ask_commit(from, attempt, generation); }};
}

AgentModel* CoreRun::find_agent(const job::ContainerId& container) {
  const auto found = agents_.find(container);
  return found == agents_.end() ? nullptr : found->second.get();
}

void CoreRun::hear(const job::ContainerId& container, const job::Fact& fact) {
  if (lines_.up(container) && faults_.strikes(Fault::BrokenConnections)) {
    lines_.broke(container);
    redial(container);
    return;
  }
  const int copies = faults_.strikes(Fault::DoubledFacts) ? 2 : 1;
  for (int i = 0; i < copies; ++i) {
    lines_.to_master(container, [this, fact] { master_.feed(fact); });
  }
}

void CoreRun::hear_cluster(const job::Fact& fact) {
  const int copies = faults_.strikes(Fault::DoubledFacts) ? 2 : 1;
  for (int i = 0; i < copies; ++i) {
    lines_.from_cluster([this, fact] { master_.feed(fact); });
  }
}

void CoreRun::act(job::Epoch epoch, const job::Action& action) {
  for (const auto& checker : checkers_) {
    checker->released(action);
  }
  const auto to_agent = [&](const job::ContainerId& container) { order(epoch, container, action); };
  std::visit(
      Overloaded{[&](const job::RequestContainer& request) { cluster_.request(request); },
                 [&](const job::CancelRequest& cancel) { cluster_.cancel(cancel.request); },
                 [&](const job::LaunchAgent& launch) { cluster_.launch(launch.container); },
                 [&](const job::ReleaseContainer& release) { give_back(release.container); },
                 [&](const job::PrepareAttempt& prepare) { to_agent(prepare.container); },
                 [&](const job::StartAttempt& start) { to_agent(start.container); },
                 [&](const job::StopAttempt& stop) { to_agent(stop.container); },
                 [&](const job::Reconcile&) {
                   cluster_.reconcile();
                   dial_all();
                 },
                 // The master does these itself.
                 [](const OneOf<job::SetDeadline, job::ClearDeadline, job::Finish> auto&) {}},
      action);
}

// As master::Performer does.
void CoreRun::give_back(const job::ContainerId& container) {
  master_.liveness().forget(container);
  const bool unheard = job::ended_unheard(master_.machine().state(), container);
  const auto confirm = unheard ? cluster::Confirm::Yes : cluster::Confirm::No;
  for (const auto& checker : checkers_) {
    checker->given_back(container, confirm);
  }
  cluster_.release(container, confirm);
}

// If nothing is slow, it ends at once.
void CoreRun::wind_down(const job::ContainerId& container, Duration within) {
  if (within <= milliseconds(200)) {
    end_agent(container, TrueEnd::Stopped);
    return;
  }
  world_.after(world_.random().between(Duration::zero(), within),
               [this, container] { end_agent(container, TrueEnd::Stopped); });
}

void CoreRun::order(job::Epoch epoch, const job::ContainerId& container,
                    const job::Action& action) {
  if (lines_.up(container) && faults_.strikes(Fault::BrokenConnections)) {
    lines_.broke(container);
    redial(container);
    return;
  }
  lines_.to_agent(container, [this, epoch, container, action] {
    if (AgentModel* agent = find_agent(container)) {
      agent->order(epoch, action);
      check_started();
    }
  });
}

void CoreRun::start_agent(const job::ContainerId& container, const job::HostName& host) {
  agents_[container] = std::make_unique<AgentModel>(agent_around(), container, host);
  introduce(container);
}

// A new agent calls until somebody answers.
void CoreRun::introduce(const job::ContainerId& container) {
  const AgentModel* agent = find_agent(container);
  if (!agent->alive() || lines_.up(container)) {
    return;
  }
  if (!master_.alive()) {
    world_.after(seconds(1), [this, container] { introduce(container); });
    return;
  }
  lines_.dialled(container);
  hear(container, job::AgentJoined{container, agent->host().value + ":7000"});
}

void CoreRun::end_agent(const job::ContainerId& container, TrueEnd how) {
  AgentModel* agent = find_agent(container);
  if (agent == nullptr || !agent->alive()) {
    return;
  }
  agent->die(how);
  lines_.broke(container);
  if (how == TrueEnd::Origin) {
    const bool known_dead = world_.random().chance(50);
    world_.after(milliseconds(5), [this, container, known_dead] {
      master_.liveness().closed(container, HostTime{world_.now().time_since_epoch()}, known_dead);
    });
  }
}

void CoreRun::dial_all() {
  for (const auto& [id, container] : master_.machine().state().containers) {
    if (container.state != job::ContainerState::Gone) {
      redial(id);
    }
  }
}

void CoreRun::redial(const job::ContainerId& container) {
  world_.after(lines_.travel() + milliseconds(50), [this, container] { dial(container); });
}

// Nobody answers: the master stops dialling after a while.
void CoreRun::give_up(const job::ContainerId& container) {
  world_.after(plan_.liveness.lost, [this, container, epoch = master_.epoch()] {
    if (master_.alive() && master_.epoch() == epoch) {
      master_.feed(job::AgentLost{container, job::LossReason::Unreachable});
    }
  });
}

// The agent's answer to a new connection is its report.
void CoreRun::dial(const job::ContainerId& container) {
  if (!master_.alive()) {
    return;  // Its successor dials.
  }
  AgentModel* agent = find_agent(container);
  if (agent == nullptr || !agent->alive()) {
    if (agent != nullptr && cluster_.known_gone(container)) {
      master_.feed(job::AgentLost{container, job::LossReason::Unreachable});
    }
    return;
  }
  if (lines_.silent(container)) {
    give_up(container);
    return;
  }
  if (const Time until = lines_.cut_until(container); until > world_.now()) {
    world_.at(until, [this, container] { redial(container); });
    return;
  }
  if (std::optional<job::AgentReported> report = agent->report(master_.epoch())) {
    lines_.dialled(container);
    master_.feed(std::move(*report));
  }
}

void CoreRun::process_died(const TrueAttempt& attempt) {
  const bool talks = plan_.role(attempt.id.task.role).membership != spec::Membership::Independent;
  if (!talks) {
    return;
  }
  for (const auto& [container, agent] : agents_) {
    if (container != attempt.container) {
      agent->peer_lost(attempt);
    }
  }
}

void CoreRun::ask_commit(const job::ContainerId& from, job::AttemptId attempt,
                         job::Generation started_in) {
  lines_.to_master(from, [this, attempt, started_in] {
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
    const uint64_t kind = random.below(4);
    truth_.origin_containers.insert(victim->first);
    if (lasts > kLongestCut) {
      lines_.silence(victim->first);
    } else {
      lines_.cut(victim->first, lasts, {.to_agent = kind != 0, .to_master = kind != 1});
    }
  }
  if (faults_.strikes(Fault::StopAsked) && random.chance(10)) {
    truth_.stop_asked = true;
    master_.feed(job::StopAsked{
        .by = "somebody",
        .how = random.chance(50) ? job::StopHow::Interrupt : job::StopHow::Terminate});
  }
  world_.after(random.between(Duration(milliseconds(500)), Duration(milliseconds(1500))),
               [this] { disturb(); });
}

void CoreRun::heal() {
  faults_.heal();
  lines_.heal();
}

void CoreRun::broken(std::string_view who, std::string what) {
  if (failure_.empty()) {
    failure_ = std::string(who) + ": " + std::move(what);
  }
}

SeedResult CoreRun::run() {
  master_.start();
  world_.after(world_.random().between(Duration::zero(), Duration(seconds(1))),
               [this] { disturb(); });
  world_.at(Time{kFaultPhase}, [this] { heal(); });
  const auto over = [this] { return master_.finished() || !failure_.empty(); };
  if (!world_.run_until(Time{kFaultPhase + kHealBound}, over)) {
    const job::State& state = master_.machine().state();
    broken("progress", std::string("the job is still ") + std::string(to_string(state.phase)) +
                           " long after all faults ended" +
                           (state.chronicle.waits_for().empty()
                                ? ""
                                : ", waiting for " + state.chronicle.waits_for()));
  }
  // What was under way when the job ended must no longer change anything.
  (void)world_.run_until(world_.now() + seconds(30), [this] { return !failure_.empty(); });
  master_.check_replay([this](Time now, const job::Fact& fact, std::span<const job::Action> actions,
                              const job::Machine& machine) {
    for (const auto& checker : checkers_) {
      checker->replayed(now, fact, actions, machine);
    }
  });
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

SeedResult run_core(const SeedRun& options) { return CoreRun(options).run(); }

}  // namespace muster::sim
