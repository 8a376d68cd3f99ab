#pragma once

#include "base/result.h"
#include "client/measure/top_view.h"

#include <memory>
#include <string>
#include <vector>

namespace muster::client {

/// The whole terminal, through ncurses. Only one may exist; destroying it restores the terminal.
/// Ctrl-C stays a signal.
class TopScreen {
 public:
  /// `term`: the terminal type, $TERM. If the system does not know it, or has no terminal database
  /// at all, the program itself knows terminals like xterm and the Linux console. Unsupported, with
  /// the reason, for a terminal that cannot move its cursor.
  [[nodiscard]] static Result<std::unique_ptr<TopScreen>> open(const std::string& term, bool utf8);

  virtual ~TopScreen() = default;
  /// Returns the keys pressed since the last call. Never waits.
  [[nodiscard]] virtual std::vector<TopKey> keys() = 0;
  virtual void paint(const std::vector<TopLine>& lines) = 0;
  /// Adopts the terminal's current size, after SIGWINCH.
  virtual void resize() = 0;
  [[nodiscard]] virtual unsigned width() const = 0;
  [[nodiscard]] virtual unsigned height() const = 0;
};

}  // namespace muster::client
