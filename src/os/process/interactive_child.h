#pragma once

#include "base/result.h"
#include "os/process/pid.h"
#include "os/process/spawn.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace muster::os {

enum class Stream : uint8_t { Stdout, Stderr };

/// Rows and columns of a terminal.
struct WindowSize {
  uint16_t rows = 24;
  uint16_t columns = 80;
};

/// A child whose streams are read and written from far away, at the far end's own speed: output
/// that was not asked for is not read, and stays with the child. Lives on its loop's thread.
/// Destroying it closes the streams (with a terminal, the child's session gets SIGHUP); the child
/// lives on, and is reaped silently at its end.
class InteractiveChild {
 public:
  struct Handlers {
    /// Bytes from a stream; with a terminal all are Stdout. The view is valid only during the call.
    /// Returns how many more bytes may be read, from both streams together.
    std::function<size_t(Stream stream, std::string_view bytes)> output;
    /// That many bytes of what was written have gone to the child, or never will because it no
    /// longer reads.
    std::function<void(size_t bytes)> written;
    /// The child has ended, and all it wrote before has been handed over. Called once, as the last
    /// handler, and never inside a call. The only handler that may destroy the child.
    std::function<void(const Exit& exit)> exited;
  };

  virtual ~InteractiveChild() = default;
  [[nodiscard]] virtual Pid pid() const = 0;
  /// Queues bytes for the child's input; the caller bounds the queue by means of `written`.
  virtual void write(std::string_view bytes) = 0;
  /// Ends the input after what is queued: its pipe is closed, a terminal gets its end-of-file
  /// character.
  virtual void end_input() = 0;
  /// Allows that many more bytes of output to be read, as `output` does; at first none may be. Must
  /// not be called by a handler.
  virtual void allow_output(size_t bytes) = 0;
  /// For a child with a terminal: its programs are notified and redraw, even if the size is the
  /// same.
  virtual void resize(WindowSize size) = 0;
};

}  // namespace muster::os
