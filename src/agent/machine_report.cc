#include "agent/machine.h"
#include "base/check.h"

namespace muster::agent {
namespace {

job::AttemptReport::Phase reported(Phase phase) {
  switch (phase) {
    case Phase::Waiting:
    case Phase::Preparing:
      return job::AttemptReport::Phase::Preparing;
    case Phase::Joined:
    case Phase::Starting:
      return job::AttemptReport::Phase::Joined;
    case Phase::Running:
      return job::AttemptReport::Phase::Running;
    case Phase::Ended:
      return job::AttemptReport::Phase::Ended;
  }
  MUSTER_CHECK(false, "a phase out of its range");
}

}  // namespace

job::AgentReported Machine::report(HostTime now) const {
  job::AgentReported report;
  report.container = settings_.container;
  report.address = settings_.address;
  report.epoch = epoch_;
  report.generation = generation_;
  for (const auto& [id, attempt] : attempts_) {
    job::AttemptReport& line = report.attempts.emplace_back();
    line.attempt = id;
    line.phase = reported(attempt.phase);
    line.address = attempt.address;
    line.generation = attempt.generation;
    if (attempt.phase == Phase::Ended) {
      line.exit = attempt.exit;
      line.exit->age = now - attempt.ended_at;
    }
  }
  return report;
}

const job::View* Machine::view(job::Generation generation) const {
  return view_ && view_->generation == generation ? &*view_ : nullptr;
}

bool Machine::stopping(job::AttemptId id) const {
  const auto found = attempts_.find(id);
  return found != attempts_.end() && found->second.stop.has_value();
}

std::optional<Phase> Machine::phase(job::AttemptId id) const {
  const auto found = attempts_.find(id);
  return found == attempts_.end() ? std::nullopt : std::optional(found->second.phase);
}

}  // namespace muster::agent
