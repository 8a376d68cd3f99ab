#pragma once

#include "base/result.h"
#include "rt/fd.h"
#include "rt/io_loop.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace muster::cluster::spark {

/// Whole lines over a socket that this process was given. Lives on the loop's thread.
class DriverLine {
 public:
  struct Handlers {
    std::function<void(std::string_view line)> line;     ///< Without its newline.
    std::function<void(const std::string& why)> closed;  ///< Called once; nothing follows.
  };

  /// Takes ownership of the descriptor. `handlers` are called from the loop, never inside a call.
  DriverLine(rt::IoLoop& loop, rt::Fd socket, Handlers handlers);
  DriverLine(const DriverLine&) = delete;
  DriverLine& operator=(const DriverLine&) = delete;

  /// Begins to read.
  Status start();
  /// Sends `text`, whole lines, when there is room. Does nothing on a closed line.
  void send(std::string_view text);

 private:
  void read();
  void write();
  void close(const std::string& why);

  rt::IoLoop& loop_;
  rt::Fd socket_;
  Handlers handlers_;
  std::string received_;
  std::string unsent_;
  // Before the descriptor they watch.
  std::unique_ptr<rt::FdWatch> readable_;
  std::unique_ptr<rt::FdWatch> writable_;
};

}  // namespace muster::cluster::spark
