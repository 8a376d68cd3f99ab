#include "agent/attempt/usage_watch.h"

#include "rt/wait_until.h"
#include "spec/spec.h"

#include <algorithm>
#include <utility>

namespace muster::agent {
namespace {

constexpr Duration kFirstLook = std::chrono::milliseconds(200);
constexpr Duration kNormally = std::chrono::seconds(1);
constexpr Duration kClosely = std::chrono::milliseconds(200);

}  // namespace

UsageWatch::UsageWatch(Deps deps)
    : deps_(deps),
      looks_({.share_per_mille = 1}, deps.loop.now()),
      moved_(deps.loop),
      scope_(deps.loop) {
  scope_.spawn(run());
}

void UsageWatch::attempt_started() {
  due_ = deps_.loop.now() + kFirstLook;
  moved_.pulse();
}

std::vector<wire::Sample> UsageWatch::samples() const {
  std::vector<wire::Sample> samples;
  for (const auto& [id, sample] : samples_) {
    samples.push_back(sample);
  }
  return samples;
}

rt::Async<> UsageWatch::run() {
  while (true) {
    if (due_ == HostTime::max()) {
      co_await moved_.wait();
    } else if (!co_await rt::wait_until(deps_.loop, due_, moved_)) {
      due_ = look();
    }
  }
}

HostTime UsageWatch::look() {
  const Duration before = deps_.meter.time_spent() - deps_.attempts.close_looks().paid();
  samples_.clear();
  bool closely = false;
  deps_.attempts.for_each_run([&](TaskRun& run) {
    if (const std::optional<wire::Sample> sample = run.watch_memory()) {
      samples_[sample->attempt] = *sample;
      look_for_stall(run, *sample);
      closely = closely || run.near_limit();
    }
  });
  deps_.attempts.boards().watch_memory();
  const HostTime now = deps_.loop.now();
  looks_.pay(now, deps_.meter.time_spent() - deps_.attempts.close_looks().paid() - before);
  // Many processes make a look dear: then the next one comes later.
  const HostTime next = std::max(now + (closely ? kClosely : kNormally), looks_.free_at());
  return samples_.empty() ? HostTime::max() : next;
}

void UsageWatch::look_for_stall(TaskRun& run, const wire::Sample& sample) {
  const job::AttemptId id = sample.attempt;
  const std::optional<Duration> silent = run.look_for_stall(sample);
  // Servers that nobody waits for are idle by nature.
  if (silent && deps_.job.role_of(id).success == spec::Success::Required) {
    deps_.log.warning("attempt.stalled",
                      {{"attempt", deps_.job.stem_of(id)}, {"for", format_duration(*silent)}});
    deps_.observer.tell(job::AttemptStalled{id, *silent});
  }
}

}  // namespace muster::agent
