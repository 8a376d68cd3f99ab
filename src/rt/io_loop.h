#pragma once

#include "rt/loop.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace muster::rt {

/// What a watch of a descriptor waits for.
enum class Interest : uint8_t { Read, Write };

/// Calls back while a descriptor is ready (again and again, like level-triggered poll), until it is
/// destroyed. May be destroyed inside its own callback. Must be destroyed before its descriptor is
/// closed and before its loop.
class FdWatch {
 public:
  virtual ~FdWatch() = default;
};

/// The real event loop of a process: epoll, one thread, timers in one heap, a blocking pool that
/// starts with its first work. Everything but post() is called on the thread that runs it.
/// Destroying it drops what is queued and waits for work that a pool thread is doing.
class IoLoop final : public Loop {
 public:
  IoLoop();
  ~IoLoop() override;
  IoLoop(const IoLoop&) = delete;
  IoLoop& operator=(const IoLoop&) = delete;

  [[nodiscard]] HostTime now() const override;
  [[nodiscard]] WallTime wall_now() const override;
  /// The one call that is safe from any thread.
  void post(Callback callback) override;
  TimerId call_at(HostTime when, Callback callback) override;
  void cancel(TimerId timer) override;
  void run_blocking(Callback work, Callback done) override;

  /// Runs callbacks until stop(). May be called again after it returned.
  void run();
  /// Makes run() return after the current callback. Callable from callbacks; from other threads by
  /// post().
  void stop();
  /// Like run(), but returns at `until` at the latest; for tests and short tools.
  void run_until(HostTime until);

  /// Watches `fd`, which must be a pollable descriptor (not a regular file) and stay open as long
  /// as the watch. At most one watch for each interest of a descriptor.
  [[nodiscard]] std::unique_ptr<FdWatch> watch(int fd, Interest interest,
                                               std::function<void()> ready);

  /// Owns `object`, whose own owner is gone, until forget(object.get()) or this loop's end: for
  /// objects that still have to see something end, such as a child process.
  void keep(std::shared_ptr<void> object);
  /// Drops what keep() was given, at once. Does nothing with an object that is not kept.
  void forget(const void* object);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace muster::rt
