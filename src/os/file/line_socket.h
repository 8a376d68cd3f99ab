#pragma once

#include "base/result.h"
#include "os/file/files.h"
#include "rt/io_loop.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace muster::os {

/// A Unix socket to which programs of this user write lines. Lives on the loop's thread; destroying
/// it removes the socket and closes the connections.
class LineSocket {
 public:
  virtual ~LineSocket() = default;
  /// Returns the socket's path, for connect().
  [[nodiscard]] virtual const Path& path() const = 0;
  /// Takes what has been written so far, before the writers' end is reported.
  virtual void drain() = 0;
};

struct LineSocketOptions {
  size_t line_bytes_max = 16U << 10U;
  size_t connections_max = 64;  ///< Any further one is closed at once.
};

/// Receives each line without its newline, and an unfinished line when its writer closes. Of a line
/// that is too long it receives the beginning, one byte longer than allowed. Returns the answer, ""
/// for none; an answer for which the writer has no room is dropped: nothing waits for a program
/// that does not read. Must not destroy the socket.
using TakeLine = std::function<std::string(std::string_view line)>;

/// As listen_for_lines() with the loop and options filled in.
using OpenLineSocket =
    std::function<Result<std::unique_ptr<LineSocket>>(const Path& wanted, TakeLine take)>;

/// Listens at `wanted`. The system allows 107 bytes for such a path; if it is longer, the socket is
/// put into a new folder of its own below /tmp, which other users cannot enter. Such folders of
/// this user whose makers were killed are removed first. Only this user and root may connect.
[[nodiscard]] Result<std::unique_ptr<LineSocket>> listen_for_lines(rt::IoLoop& loop,
                                                                   const Path& wanted,
                                                                   LineSocketOptions options,
                                                                   TakeLine take);

}  // namespace muster::os
