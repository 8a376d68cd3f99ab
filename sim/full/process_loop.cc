#include "sim/full/process_loop.h"

#include <algorithm>
#include <utility>

namespace muster::sim {
namespace {

constexpr WallTime kWallStart{std::chrono::days(20'000)};
constexpr Duration kPoolMin = std::chrono::microseconds(50);
constexpr Duration kPoolMax = std::chrono::milliseconds(5);

}  // namespace

ProcessLoop::ProcessLoop(World& world, Pace pace)
    : world_(world),
      random_(world.random().fork()),
      pace_(std::move(pace)),
      queue_(std::make_shared<Queue>(world)) {}

ProcessLoop::~ProcessLoop() { kill(); }

HostTime ProcessLoop::now() const {
  return HostTime{world_.now().time_since_epoch() + pace_.booted};
}

WallTime ProcessLoop::wall_now() const {
  return kWallStart + world_.now().time_since_epoch() + pace_.wall_offset;
}

void ProcessLoop::post(rt::Callback callback) {
  last_post_ =
      std::max(last_post_, world_.now() + random_.between(Duration::zero(), pace_.late_max));
  schedule(last_post_, std::move(callback));
}

rt::TimerId ProcessLoop::call_at(HostTime when, rt::Callback callback) {
  // HostTime::max() and its like lie beyond every run.
  constexpr Duration kFar = std::chrono::days(365);
  const Duration at = std::min(when.time_since_epoch() - pace_.booted, kFar);
  const Time due =
      std::max(Time{at}, world_.now()) + random_.between(Duration::zero(), pace_.late_max);
  return rt::TimerId(schedule(due, std::move(callback)));
}

void ProcessLoop::cancel(rt::TimerId timer) { queue_->callbacks.erase(timer.value); }

void ProcessLoop::run_blocking(rt::Callback work, rt::Callback done) {
  const Duration takes =
      pace_.pool_takes ? pace_.pool_takes(random_) : random_.between(kPoolMin, kPoolMax);
  schedule(world_.now() + takes, [this, work = std::move(work), done = std::move(done)]() mutable {
    work();
    post(std::move(done));
  });
}

void ProcessLoop::stall(Duration lasts) {
  queue_->stalled_until = std::max(queue_->stalled_until, world_.now() + lasts);
}

void ProcessLoop::kill() {
  queue_->dead = true;
  // What they hold may call back into this loop while it goes.
  const std::map<uint64_t, rt::Callback> last = std::exchange(queue_->callbacks, {});
}

uint64_t ProcessLoop::schedule(Time when, rt::Callback callback) {
  const uint64_t id = next_id_++;
  if (queue_->dead) {
    return id;
  }
  queue_->callbacks.emplace(id, std::move(callback));
  world_.at(when, [queue = queue_, id] { fire(queue, id); });
  return id;
}

void ProcessLoop::fire(const std::shared_ptr<Queue>& queue, uint64_t id) {
  if (!queue->callbacks.contains(id)) {
    return;
  }
  // Nobody overtakes those that a stall has held back, however often it was prolonged.
  if (queue->world.now() >= queue->stalled_until && queue->held.empty()) {
    run(*queue, id);
    return;
  }
  queue->held.push_back(id);
  if (queue->held.size() == 1) {
    queue->world.at(queue->stalled_until, [queue] { run_held(queue); });
  }
}

void ProcessLoop::run(Queue& queue, uint64_t id) {
  if (const auto found = queue.callbacks.find(id); found != queue.callbacks.end()) {
    rt::Callback callback = std::move(queue.callbacks.extract(found).mapped());
    callback();
  }
}

void ProcessLoop::run_held(const std::shared_ptr<Queue>& queue) {
  if (queue->world.now() < queue->stalled_until) {
    queue->world.at(queue->stalled_until, [queue] { run_held(queue); });
    return;
  }
  run(*queue, queue->held.front());
  queue->held.pop_front();
  if (!queue->held.empty()) {
    queue->world.after({}, [queue] { run_held(queue); });
  }
}

}  // namespace muster::sim
