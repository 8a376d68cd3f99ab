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

/// A child whose streams somebody far away reads and writes, at their own speed: what nobody has
/// asked for is not read, and stays with the child. Lives on its loop's thread. Destroying it
/// closes the streams (of a terminal the child's session gets SIGHUP); the child lives on, and is
/// reaped at its end without a word.
class InteractiveChild {
 public:
  struct Handlers {
    /// Bytes from a stream; with a terminal all are Stdout. The view is valid during the call only.
    /// Returns how many more may be read, both streams together.
    std::function<size_t(Stream stream, std::string_view bytes)> output;
    /// So many bytes of what was written have gone to the child, or will never: it reads no more.
    std::function<void(size_t bytes)> written;
    /// The child has ended, and what it wrote before has been handed over. Once; none comes after
    /// it, and it does not come inside a call. The only one that may destroy the child.
    std::function<void(const Exit& exit)> exited;
  };

  virtual ~InteractiveChild() = default;
  [[nodiscard]] virtual Pid pid() const = 0;
  /// Queues bytes for the child's input; the caller keeps them in bounds by `written`.
  virtual void write(std::string_view bytes) = 0;
  /// The input ends after what is queued: its pipe is closed, a terminal gets its end-of-file
  /// character.
  virtual void end_input() = 0;
  /// Allows so many bytes of output to be read from now on, as `output` does; at first there are
  /// none. Not to be called by a handler.
  virtual void allow_output(size_t bytes) = 0;
  /// Of a child with a terminal: its programs hear of it, and draw anew, even if the size is the
  /// same.
  virtual void resize(WindowSize size) = 0;
};

}  // namespace muster::os
