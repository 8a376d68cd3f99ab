#pragma once

#include "rt/fd.h"
#include "rt/io_loop.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace muster::os {

/// Reads a pipe, socket or terminal on the loop as bytes arrive. Destroying it closes the
/// descriptor; it may be destroyed inside its own callbacks.
class PipeReader {
 public:
  struct Handlers {
    /// The view is valid only during the call. At most 64 KiB, or 512 KiB for a batching reader
    /// whose pipe holds that much.
    std::function<void(std::string_view bytes)> bytes;
    /// The other ends are closed (or reading failed). Called once.
    std::function<void()> ended;
  };

  enum class Pace : uint8_t {
    Prompt,   ///< Every byte as soon as it is there.
    Batches,  ///< What arrives within a millisecond of the last piece is read together.
  };

  /// Takes ownership of `fd` and makes it non-blocking. A program that writes many small pieces to
  /// a batching reader neither wakes up nor causes a wake-up for each of them.
  PipeReader(rt::IoLoop& loop, rt::Fd fd, Handlers handlers, Pace pace = Pace::Prompt);
  ~PipeReader();

  /// Stops reading, so that a full pipe blocks its writers; resume() continues.
  void pause();
  void resume();
  /// Reads what is available now, up to `limit_bytes`; returns false if the end was reached.
  bool drain(size_t limit_bytes);

 private:
  struct State;
  static void watch(const std::shared_ptr<State>& state);
  static void look(const std::shared_ptr<State>& state);

  std::shared_ptr<State> state_;
};

}  // namespace muster::os
