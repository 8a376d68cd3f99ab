#pragma once

#include "agent/session/scrollback.h"
#include "os/process/terminal_modes.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::agent {

/// What a shell has written, for whoever joins it with another terminal: the last of its output,
/// the modes that its programs have set, and how much has been seen. A value.
class TerminalHistory {
 public:
  void take(std::string_view bytes);
  /// The position of the next byte that will come.
  [[nodiscard]] uint64_t end() const { return scrollback_.end(); }
  /// As Scrollback::read().
  [[nodiscard]] std::string_view read(uint64_t position, size_t bytes_max) const {
    return scrollback_.read(position, bytes_max);
  }
  /// Whoever had the shell has left, and has got everything before `position` for sure.
  void left_at(uint64_t position) { seen_ = position; }
  [[nodiscard]] bool has_screen() const { return modes_.has_screen(); }

  /// Where somebody who joins goes on.
  struct Resumption {
    uint64_t position = 0;  ///< Of the first byte that they get.
    uint64_t lost = 0;      ///< Bytes before that which nobody has seen and that are not kept.
    std::string modes;      ///< What brings their terminal to the modes of this one.
  };
  /// `known`: all before it is on their terminal. nullopt: nothing is, and they get some of what
  /// was seen before, too.
  [[nodiscard]] Resumption resume(std::optional<uint64_t> known) const;

 private:
  Scrollback scrollback_;
  os::TerminalModes modes_;
  uint64_t seen_ = 0;
};

}  // namespace muster::agent
