#pragma once

#include "client/reach/detach_keys.h"
#include "client/reach/input_pump.h"
#include "rt/io_loop.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace muster::client {

/// What a command in a task reads from here: the bytes of a descriptor as far as the command has
/// room, up to a limit, and without the keys that detach from the command. Lives on its loop's
/// thread.
class CommandInput {
 public:
  struct Options {
    int fd = 0;
    std::optional<uint64_t> bytes_max = std::nullopt;  ///< So many, and then its end.
    std::string detach_keys = {};                      ///< "": no keys detach.
  };
  struct Handlers {
    /// `bytes_read` bytes were read, and became `typed`.
    std::function<void(const DetachWatch::Typed& typed, size_t bytes_read)> typed;
    std::function<void()> ended;  ///< The descriptor's end. Called once.
  };

  CommandInput(rt::IoLoop& loop, Options options, Handlers handlers);

  /// The command has room for this much from now on; replaces the previous allowance.
  void allow(size_t room);
  /// Returns whether all that the limit lets through was read.
  [[nodiscard]] bool exhausted() const { return bytes_left_ == 0; }
  /// The command is told of the end of input: nothing more is read.
  void end();
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  void on_bytes(std::string_view bytes);

  uint64_t bytes_left_;
  DetachWatch detach_watch_;
  Handlers handlers_;
  bool ended_ = false;
  InputPump pump_;  ///< Last: it calls what uses the others.
};

}  // namespace muster::client
