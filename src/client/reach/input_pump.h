#pragma once

#include "os/process/shared_input.h"
#include "rt/io_loop.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

namespace muster::client {

/// Reads a descriptor of this process (a terminal, a pipe, a file) piece by piece, and only as far
/// as there is room for the data. Its mode is left alone, since a shell may share it. Lives on its
/// loop's thread.
class InputPump {
 public:
  struct Handlers {
    /// At most as much as was allowed; the view is valid only during the call.
    std::function<void(std::string_view bytes)> bytes;
    std::function<void()> ended;  ///< Once.
  };

  InputPump(rt::IoLoop& loop, int fd, Handlers handlers);
  ~InputPump();
  InputPump(const InputPump&) = delete;
  InputPump& operator=(const InputPump&) = delete;

  /// Allows that many bytes to be read from now on; replaces the previous allowance.
  void allow(size_t bytes);

 private:
  void arm();
  void read();

  rt::IoLoop& loop_;
  int fd_;
  Handlers handlers_;
  os::SharedInput shared_;
  bool ended_ = false;
  size_t allowed_ = 0;
  rt::TimerId next_;                    ///< For a descriptor that cannot and need not be watched.
  std::unique_ptr<rt::FdWatch> watch_;  ///< Last: it ends before what it watches.
};

}  // namespace muster::client
