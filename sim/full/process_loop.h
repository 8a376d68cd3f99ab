#pragma once

#include "rt/loop.h"
#include "sim/world.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>

namespace muster::sim {

/// The event loop of one simulated process: a World's time as this host's clocks show it, and
/// callbacks that come a little late, wait while the process stands still, and never run once it is
/// dead. Two callbacks that were posted run in order; work for the pool is done at its own pace.
class ProcessLoop final : public rt::Loop {
 public:
  /// How this host differs from others, and this process from an ideal one.
  struct Pace {
    Duration booted{};       ///< What the host's monotonic clock shows at the world's start.
    Duration wall_offset{};  ///< How far its wall clock is off.
    Duration late_max = std::chrono::microseconds(60);  ///< For any callback.
    /// How long a piece of work in the pool takes; if empty, a few milliseconds at most.
    std::function<Duration(Random&)> pool_takes;
  };

  ProcessLoop(World& world, Pace pace);
  ~ProcessLoop() override;
  ProcessLoop(const ProcessLoop&) = delete;
  ProcessLoop& operator=(const ProcessLoop&) = delete;

  [[nodiscard]] HostTime now() const override;
  [[nodiscard]] WallTime wall_now() const override;
  void post(rt::Callback callback) override;
  rt::TimerId call_at(HostTime when, rt::Callback callback) override;
  void cancel(rt::TimerId timer) override;
  void run_blocking(rt::Callback work, rt::Callback done) override;

  /// Nothing runs for a while, as in a process that was stopped or starved.
  void stall(Duration lasts);
  /// Makes the host's wall clock jump.
  void shift_wall(Duration by) { pace_.wall_offset += by; }
  /// Nothing runs any more, and what was waiting is forgotten. Must not be called from a callback
  /// of this loop.
  void kill();

 private:
  /// Outlives the loop in the events that the world still holds.
  struct Queue {
    explicit Queue(World& of) : world(of) {}
    World& world;
    bool dead = false;
    Time stalled_until{};
    std::map<uint64_t, rt::Callback> callbacks;
    std::deque<uint64_t> held;  ///< Fell due while nothing ran, in that order.
  };
  uint64_t schedule(Time when, rt::Callback callback);
  static void fire(const std::shared_ptr<Queue>& queue, uint64_t id);
  static void run(Queue& queue, uint64_t id);
  static void run_held(const std::shared_ptr<Queue>& queue);

  World& world_;
  Random random_;
  Pace pace_;
  std::shared_ptr<Queue> queue_;
  uint64_t next_id_ = 1;
  Time last_post_{};
};

}  // namespace muster::sim
