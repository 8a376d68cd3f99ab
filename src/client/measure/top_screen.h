#pragma once

#include "base/result.h"
#include "client/measure/top_view.h"

#include <memory>
#include <string>
#include <vector>

namespace muster::client {

/// The whole terminal, through ncurses. One at a time; destroying it gives the terminal back as it
/// was. Ctrl-C stays a signal.
class TopScreen {
 public:
  /// `term`: the terminal's kind, $TERM. Where the system does not know it, or has no database of
  /// terminals at all, those like xterm and the console of Linux are known to the program itself.
  /// Unsupported, with the reason, for one that cannot move its cursor.
  [[nodiscard]] static Result<std::unique_ptr<TopScreen>> open(const std::string& term, bool utf8);

  virtual ~TopScreen() = default;
  /// Keys that were pressed since the last call. Never waits.
  [[nodiscard]] virtual std::vector<TopKey> keys() = 0;
  virtual void paint(const std::vector<TopLine>& lines) = 0;
  /// Takes in the terminal's size of now, after SIGWINCH.
  virtual void resize() = 0;
  [[nodiscard]] virtual unsigned width() const = 0;
  [[nodiscard]] virtual unsigned height() const = 0;
};

}  // namespace muster::client
