#include "sim/core/agent_model.h"

#include "base/overloaded.h"

#include <csignal>
#include <utility>
#include <variant>

namespace muster::sim {
namespace {

using job::AttemptReport;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

}  // namespace

job::Exit exit_of(int32_t code, std::string class_name, job::FailureKind kind, job::Remedy remedy) {
  job::Exit exit;
  exit.exit_code = code;
  if (code != 0) {
    exit.failure = job::Failure{std::move(class_name), kind, remedy, "evidence", ""};
  }
  return exit;
}

job::Exit killed_by(int32_t signal, std::string class_name, job::FailureKind kind) {
  job::Exit exit;
  exit.signal = signal;
  exit.failure = job::Failure{std::move(class_name), kind, job::Remedy::Restart, "evidence", ""};
  return exit;
}

AgentModel::AgentModel(AgentSurroundings surroundings, job::ContainerId container,
                       job::HostName host)
    : around_(std::move(surroundings)), container_(std::move(container)), host_(std::move(host)) {}

void AgentModel::order(job::Epoch epoch, const job::Action& action) {
  if (!alive_ || epoch < epoch_) {
    return;
  }
  epoch_ = epoch;
  std::visit(Overloaded{[&](const job::PrepareAttempt& told) { prepare(told); },
                        [&](const job::StartAttempt& told) { start(told); },
                        [&](const job::StopAttempt& told) { stop(told); },
                        // These are for others.
                        [](const OneOf<job::RequestContainer, job::CancelRequest, job::LaunchAgent,
                                       job::ReleaseContainer, job::SetDeadline, job::ClearDeadline,
                                       job::Reconcile, job::Finish> auto&) {}},
             action);
}

void AgentModel::prepare(const job::PrepareAttempt& prepare) {
  const auto found = processes_.find(prepare.attempt);
  if (found != processes_.end()) {
    // Told again, so it answers again.
    if (found->second.report.phase == AttemptReport::Phase::Joined) {
      around_.tell(container_, job::AttemptJoined{prepare.attempt, found->second.report.address});
    }
    return;
  }
  Process& process = processes_[prepare.attempt];
  process.report.attempt = prepare.attempt;
  process.life = ++lives_;
  const uint64_t life = process.life;
  if (around_.faults.strikes(Fault::PrepareFails)) {
    end(prepare.attempt, TrueEnd::Origin,
        exit_of(126, "disk.full", job::FailureKind::Resource, job::Remedy::Elsewhere), true);
    return;
  }
  const uint16_t port = prepare.keep_port != 0
                            ? prepare.keep_port
                            : static_cast<uint16_t>(20000 + around_.world.random().below(20000));
  const Duration takes =
      around_.world.random().between(Duration(milliseconds(1)), Duration(milliseconds(50)));
  around_.world.after(takes, [this, attempt = prepare.attempt, life, port] {
    const auto process = processes_.find(attempt);
    if (!alive_ || process == processes_.end() || process->second.life != life ||
        process->second.report.phase != AttemptReport::Phase::Preparing) {
      return;
    }
    process->second.report.phase = AttemptReport::Phase::Joined;
    process->second.report.address = {.host = host_.value, .port = port, .named_ports = {}};
    around_.tell(container_, job::AttemptJoined{attempt, process->second.report.address});
  });
}

void AgentModel::start(const job::StartAttempt& start) {
  if (start.generation < generation_) {
    return;
  }
  generation_ = start.generation;
  const auto found = processes_.find(start.attempt);
  if (found == processes_.end()) {
    // The agent said that it had joined, and the master had never heard of it.
    Process& unknown = processes_[start.attempt];
    unknown.report.attempt = start.attempt;
    unknown.life = ++lives_;
    end(start.attempt, TrueEnd::Origin,
        exit_of(127, "agent.unknown_attempt", job::FailureKind::Infrastructure,
                job::Remedy::Restart),
        true);
    return;
  }
  if (found->second.report.phase != AttemptReport::Phase::Joined) {
    return;
  }
  found->second.report.phase = AttemptReport::Phase::Running;
  found->second.report.generation = start.generation;
  around_.truth.newest[start.attempt] = around_.truth.attempts.size();
  around_.truth.attempts.push_back({.id = start.attempt,
                                    .generation = start.generation,
                                    .container = container_,
                                    .host = host_,
                                    .started = around_.world.now(),
                                    .ended = std::nullopt,
                                    .end = TrueEnd::Success,
                                    .exit = {}});
  around_.tell(container_, job::AttemptStarted{start.attempt, static_cast<int32_t>(1000 + lives_)});
  live(start.attempt, found->second.life);
}

void AgentModel::live(job::AttemptId attempt, uint64_t life) {
  Random& random = around_.world.random();
  const Duration lasts = random.between(Duration(milliseconds(20)), Duration(seconds(20)));
  save(attempt, life);
  around_.world.after(lasts, [this, attempt, life] {
    const auto process = processes_.find(attempt);
    if (!alive_ || process == processes_.end() || process->second.life != life ||
        process->second.stopping) {
      return;
    }
    if (around_.faults.strikes(Fault::ProgramFails) && around_.faults.strikes(Fault::ProgramLies)) {
      around_.truth.liars.insert(attempt);
      end(attempt, TrueEnd::Origin,
          exit_of(1, "peer.lost", job::FailureKind::PeerLoss, job::Remedy::Restart), true);
      return;
    }
    if (around_.faults.strikes(Fault::ProgramFails)) {
      const bool hopeless = around_.world.random().chance(10);
      end(attempt, TrueEnd::Origin,
          exit_of(hopeless ? 3 : 1, hopeless ? "user.import" : "program.exit",
                  hopeless ? job::FailureKind::User : job::FailureKind::Program,
                  hopeless ? job::Remedy::GiveUp : job::Remedy::Restart),
          true);
      return;
    }
    end(attempt, TrueEnd::Success, exit_of(0, "", job::FailureKind::Program, job::Remedy::Restart),
        true);
  });
}

void AgentModel::save(job::AttemptId attempt, uint64_t life) {
  around_.world.after(around_.world.random().between(Duration(seconds(1)), Duration(seconds(8))),
                      [this, attempt, life] {
                        const auto process = processes_.find(attempt);
                        if (!alive_ || process == processes_.end() ||
                            process->second.life != life ||
                            process->second.report.phase != AttemptReport::Phase::Running) {
                          return;
                        }
                        around_.ask_commit(container_, attempt, process->second.report.generation);
                        save(attempt, life);
                      });
}

void AgentModel::stop(const job::StopAttempt& stop) {
  const auto found = processes_.find(stop.attempt);
  if (found == processes_.end()) {
    return;
  }
  Process& process = found->second;
  const uint64_t life = process.life;
  const auto end_as_told = [this, attempt = stop.attempt, life](int signal) {
    const auto running = processes_.find(attempt);
    if (alive_ && running != processes_.end() && running->second.life == life) {
      end(attempt, TrueEnd::Stopped, killed_by(signal, "stopped", job::FailureKind::Stopped), true);
    }
  };
  if (process.stopping) {
    // Told again, perhaps to hurry up.
    around_.world.after(stop.grace, [end_as_told] { end_as_told(SIGKILL); });
    return;
  }
  switch (process.report.phase) {
    case AttemptReport::Phase::Ended:
      around_.tell(container_, job::AttemptEnded{stop.attempt, *process.report.exit});
      return;
    case AttemptReport::Phase::Preparing:
    case AttemptReport::Phase::Joined:
      end(stop.attempt, TrueEnd::Stopped, killed_by(SIGTERM, "stopped", job::FailureKind::Stopped),
          true);
      return;
    case AttemptReport::Phase::Running:
      break;
  }
  process.stopping = true;
  const bool obeys = around_.world.random().chance(80);
  const Duration takes =
      obeys ? around_.world.random().between(Duration::zero(), stop.grace) : stop.grace;
  around_.world.after(takes, [end_as_told, obeys] { end_as_told(obeys ? SIGTERM : SIGKILL); });
}

void AgentModel::end(job::AttemptId attempt, TrueEnd how, job::Exit exit, bool tell) {
  Process& process = processes_.at(attempt);
  if (process.report.phase == AttemptReport::Phase::Ended) {
    return;
  }
  const bool ran = process.report.phase == AttemptReport::Phase::Running;
  process.report.phase = AttemptReport::Phase::Ended;
  process.report.exit = exit;
  process.ended = around_.world.now();
  if (how == TrueEnd::Origin) {
    around_.truth.origins.insert(attempt);
  }
  if (ran) {
    TrueAttempt& truth = around_.truth.attempts[around_.truth.newest.at(attempt)];
    truth.ended = around_.world.now();
    truth.end = how;
    truth.exit = exit;
    if (how == TrueEnd::Origin) {
      around_.process_died(truth);
    }
  }
  if (tell) {
    around_.tell(container_, job::AttemptEnded{attempt, std::move(exit)});
  }
}

void AgentModel::peer_lost(const TrueAttempt& peer) {
  for (auto& [attempt, process] : processes_) {
    const bool concerned = alive_ && process.report.phase == AttemptReport::Phase::Running &&
                           process.report.generation == peer.generation && !process.stopping;
    if (!concerned || around_.faults.strikes(Fault::ProgramHangs)) {
      continue;
    }
    const uint64_t life = process.life;
    const Duration notices =
        around_.world.random().between(Duration(milliseconds(1)), Duration(milliseconds(200)));
    around_.world.after(notices, [this, id = attempt, life, lost = peer.id] {
      const auto running = processes_.find(id);
      if (alive_ && running != processes_.end() && running->second.life == life &&
          running->second.report.phase == AttemptReport::Phase::Running &&
          !running->second.stopping) {
        around_.truth.caused_by.emplace(id, lost);
        end(id, TrueEnd::Victim,
            exit_of(1, "peer.lost", job::FailureKind::PeerLoss, job::Remedy::Restart), true);
      }
    });
  }
}

std::optional<job::AgentReported> AgentModel::report(job::Epoch epoch) {
  if (epoch < epoch_) {
    return std::nullopt;
  }
  epoch_ = epoch;
  job::AgentReported report;
  report.container = container_;
  report.address = host_.value + ":7000";
  report.epoch = epoch_;
  report.generation = generation_;
  for (const auto& [attempt, process] : processes_) {
    job::AttemptReport& line = report.attempts.emplace_back(process.report);
    if (line.exit) {
      line.exit->age = around_.world.now() - process.ended;
    }
  }
  if (around_.faults.strikes(Fault::AgentLies)) {
    lie(report);
  }
  return report;
}

// Hides an attempt of its own, or names one of somebody else's, which may never have lived.
void AgentModel::lie(job::AgentReported& report) {
  Random& random = around_.world.random();
  around_.truth.origin_containers.insert(container_);
  if (!report.attempts.empty() && random.chance(50)) {
    report.attempts.erase(report.attempts.begin() +
                          static_cast<std::ptrdiff_t>(random.below(report.attempts.size())));
    return;
  }
  const auto role = static_cast<uint16_t>(random.below(around_.plan.roles.size()));
  const auto index = static_cast<uint32_t>(random.below(around_.plan.roles[role].tasks + 1));
  const job::AttemptId other{{job::RoleIndex{role}, index},
                             static_cast<uint32_t>(1 + random.below(4))};
  if (processes_.contains(other)) {
    return;
  }
  job::AttemptReport lie;
  lie.attempt = other;
  lie.phase = static_cast<AttemptReport::Phase>(
      random.below(static_cast<uint64_t>(AttemptReport::Phase::Ended) + 1));
  lie.generation = generation_;
  if (lie.phase == AttemptReport::Phase::Ended) {
    lie.exit = exit_of(0, "", job::FailureKind::Program, job::Remedy::Restart);
  }
  report.attempts.push_back(std::move(lie));
}

void AgentModel::die(TrueEnd how) {
  if (!alive_) {
    return;
  }
  for (auto& [attempt, process] : processes_) {
    if (process.report.phase != AttemptReport::Phase::Ended) {
      end(attempt, how, killed_by(SIGKILL, "container.lost", job::FailureKind::Infrastructure),
          false);
    }
  }
  alive_ = false;
}

}  // namespace muster::sim
