#include "agent/sampling/sample_queue.h"

#include <algorithm>
#include <chrono>

namespace muster::agent {
namespace {

/// The master no longer has room for older values.
constexpr Duration kAgeMax = std::chrono::minutes(10);
/// Per beat, so that it stays small; the rest goes with the next one.
constexpr size_t kTakenMax = 500;

}  // namespace

SampleQueue::Moment& SampleQueue::moment_of(std::optional<job::AttemptId> attempt, HostTime at) {
  const int64_t second =
      std::chrono::floor<std::chrono::seconds>(at.time_since_epoch() + wall_offset_).count();
  Moment& moment = waiting_[{second, attempt}];
  moment.at = std::max(moment.at, at);
  while (waiting_.size() > kMomentsMax) {
    const auto oldest = waiting_.begin();
    if (&oldest->second == &moment) {
      break;
    }
    waiting_.erase(oldest);
  }
  return moment;
}

bool SampleQueue::add(job::AttemptId attempt, metrics::NamedReading reading, Duration age) {
  if (!metrics::check_metric(reading.metric) ||
      !reading.metric.name.starts_with(metrics::kUserPrefix) || age > kAgeMax) {
    return false;
  }
  Own& own = own_[attempt];
  if (!own.names.contains(reading.metric.name)) {
    if (own.names.size() >= kNamesMax) {
      return false;
    }
    own.names.insert(reading.metric.name);
  }
  // The agent repeats the step, and the values that it derives from steps, every second.
  if (reading.metric.name == "user.step") {
    own.told += own.step == reading.value ? 0 : 1;
    own.step = reading.value;
  } else if (reading.metric.name != "user.step.rate" && reading.metric.name != "user.step.max") {
    ++own.told;
  }
  const HostTime at = loop_.now() - std::max(age, Duration{});
  const std::string name = reading.metric.name;
  moment_of(attempt, at).named.insert_or_assign(name, std::move(reading));
  return true;
}

void SampleQueue::measured(std::optional<job::AttemptId> attempt,
                           const std::vector<metrics::Reading>& readings,
                           std::vector<metrics::NamedReading> named) {
  if (readings.empty() && named.empty()) {
    return;
  }
  Moment& moment = moment_of(attempt, loop_.now());
  for (const metrics::Reading& reading : readings) {
    std::erase_if(moment.readings,
                  [&](const metrics::Reading& old) { return old.metric == reading.metric; });
    moment.readings.push_back(reading);
  }
  for (metrics::NamedReading& reading : named) {
    const std::string name = reading.metric.name;
    moment.named.insert_or_assign(name, std::move(reading));
  }
}

void SampleQueue::pauses(job::AttemptId attempt, const wire::Pause& quiet,
                         const wire::Fruitless& fruitless) {
  Moment& moment = moment_of(attempt, loop_.now());
  moment.quiet = quiet;
  moment.fruitless = fruitless;
}

uint64_t SampleQueue::told(job::AttemptId attempt) const {
  const auto found = own_.find(attempt);
  return found == own_.end() ? 0 : found->second.told;
}

std::vector<wire::Samples> SampleQueue::take() {
  std::vector<wire::Samples> taken;
  const HostTime now = loop_.now();
  while (!waiting_.empty() && taken.size() < kTakenMax) {
    auto node = waiting_.extract(waiting_.begin());
    Moment& moment = node.mapped();
    wire::Samples& samples = taken.emplace_back();
    samples.attempt = node.key().second;
    samples.age = now - moment.at;
    samples.readings = std::move(moment.readings);
    for (auto& [name, reading] : moment.named) {
      samples.named.push_back(std::move(reading));
    }
    samples.quiet = moment.quiet;
    samples.fruitless = moment.fruitless;
  }
  return taken;
}

}  // namespace muster::agent
