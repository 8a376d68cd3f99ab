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

/// A unix socket to which programs of this user write lines. Lives on the loop's thread; destroying
/// it removes the socket and closes the connections.
class LineSocket {
 public:
  virtual ~LineSocket() = default;
  /// Where it is, for connect().
  [[nodiscard]] virtual const Path& path() const = 0;
  /// Takes what has been written by now, before the writers' end is told.
  virtual void drain() = 0;
};

struct LineSocketOptions {
  size_t line_bytes_max = 16U << 10U;
  size_t connections_max = 64;  ///< A further one is closed at once.
};

/// Gets each line without its end, and what has none when its writer closes. Of a line that is too
/// long it gets the beginning, one byte longer than allowed. Returns what to answer, "" for
/// nothing; an answer that the writer has no room for is dropped: nobody waits for a program that
/// does not read. Must not destroy the socket.
using TakeLine = std::function<std::string(std::string_view line)>;

/// As listen_for_lines() with the loop and options filled in.
using OpenLineSocket =
    std::function<Result<std::unique_ptr<LineSocket>>(const Path& wanted, TakeLine take)>;

/// Listens at `wanted`. The system allows 107 bytes for such a path: where it is longer, the socket
/// lies in a new folder of its own below /tmp, which others cannot enter. Such folders of this user
/// whose makers were killed are removed first. Who connects must be this user or root.
[[nodiscard]] Result<std::unique_ptr<LineSocket>> listen_for_lines(rt::IoLoop& loop,
                                                                   const Path& wanted,
                                                                   LineSocketOptions options,
                                                                   TakeLine take);

}  // namespace muster::os
