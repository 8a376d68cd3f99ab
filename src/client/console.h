#pragma once

#include <cerrno>
#include <string>
#include <string_view>

namespace muster::client {

/// What the client knows of its terminal. Filled in by the app: nothing here reads the environment.
struct Screen {
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool colour = false;  ///< Never when NO_COLOR is set or the stream is no terminal.
  unsigned width = 80;  ///< Columns, at least 20.
};

/// Writes to the user: task output and results on standard output, progress and errors on standard
/// error, and one status line that is redrawn in place while standard error is a terminal. A stream
/// whose reader went away (EPIPE) is silently dropped from then on: the job is followed to its end
/// all the same.
class Console {
 public:
  explicit Console(Screen screen, int out_fd = 1, int err_fd = 2);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  /// Writes whole lines to standard output. `text` ends with a newline.
  void out(std::string_view text);
  /// Writes whole lines to standard error, above the status line.
  void err(std::string_view text);
  /// Replaces the status line, cut to the terminal's width; empty removes it. Nothing without a
  /// terminal.
  void status(std::string_view text);

  [[nodiscard]] const Screen& screen() const { return screen_; }
  /// True once standard output has failed for good (its reader went away, or the disk behind it is
  /// full).
  [[nodiscard]] bool out_failed() const { return out_failed_; }
  /// True if it failed for another reason than that nobody reads any more.
  [[nodiscard]] bool out_disk_failed() const { return out_failed_ && out_errno_ != EPIPE; }

 private:
  void write(int fd, std::string_view text, bool& failed);
  void clear_status();
  void draw_status();

  Screen screen_;
  int out_fd_;
  int err_fd_;
  bool out_failed_ = false;
  int out_errno_ = 0;
  bool err_failed_ = false;
  std::string status_;
  bool status_drawn_ = false;
};

/// Returns `text` in the colour of `code` ("31", "1;32") if `colour`, else as it is.
[[nodiscard]] std::string paint(std::string_view text, std::string_view code, bool colour);

}  // namespace muster::client
