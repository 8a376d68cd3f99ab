#pragma once

#include "client/follow/console_stream.h"

#include <cerrno>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::client {

/// What the client knows of its terminal. Filled in by the app: nothing here reads the environment.
struct Screen {
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool colour = false;  ///< Never when NO_COLOR is set or the stream is no terminal.
  unsigned width = 80;  ///< Columns, at least 20.
};

/// Writes to the user: task output and results on standard output, progress and errors on standard
/// error, and a status that is redrawn in place while standard error is a terminal: lines that move
/// (progress bars of tasks) and below them one of our own. Whatever is written as lines goes
/// through console_text(): no name or message of somebody else moves the cursor. A stream that
/// fails is dropped from then on; of standard output out_failed() tells it.
class Console {
 public:
  explicit Console(Screen screen, int out_fd = 1, int err_fd = 2);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  /// Writes whole lines to standard output. `text` ends with a newline.
  void out(std::string_view text);
  /// Writes whole lines to standard error, above the status line. Where a program is amid a line
  /// in that place, they begin with a new line, or wait: see let_lines_end().
  void err(std::string_view text);
  /// Writes what a program wrote, byte by byte, to a stream that is no terminal.
  void pass(std::string_view bytes, bool to_err);
  /// From now on err(), and pass() to the other stream, wait for the end of a line that pass() has
  /// begun in the same place: many programs write a line in pieces, and their two streams do not
  /// come in one order. `waiting` is called when the first text begins to wait;
  /// whoever gave it calls write_waiting() soon, as a prompt's line may never end. An empty one
  /// ends this, and writes what waits.
  void let_lines_end(std::function<void()> waiting);
  /// Writes what waits for the end of a line, on a new line. Nothing where nothing waits.
  void write_waiting();
  /// Replaces the status line, cut to the terminal's width; empty removes it. Nothing without a
  /// terminal.
  void status(std::string_view text);
  /// Replaces the lines above the status line that still move, each cut to the terminal's width and
  /// without escape sequences. Nothing without a terminal.
  void moving(std::vector<std::string> lines);

  /// ConsoleStream::give_way_to() of both streams.
  int give_way_to(int signals);

  [[nodiscard]] const Screen& screen() const { return screen_; }
  /// True once standard output has failed for good (its reader went away, or the disk behind it is
  /// full).
  [[nodiscard]] bool out_failed() const { return out_.failed(); }
  /// Why it failed, as errno; 0 while it has not.
  [[nodiscard]] int out_errno() const { return out_.error(); }
  /// Whether both streams are the same file, pipe or terminal.
  [[nodiscard]] bool one_place() const { return one_place_; }
  /// True if its reader went away.
  [[nodiscard]] bool out_reader_gone() const { return out_errno() == EPIPE; }
  /// True if it failed for another reason than that nobody reads.
  [[nodiscard]] bool out_disk_failed() const {
    return out_failed() && !out_reader_gone() && out_errno() != EAGAIN;
  }

 private:
  /// Whether what goes to this stream waits for the line that the other one has begun.
  [[nodiscard]] bool must_wait(bool to_err) const;
  void hold(std::string_view bytes, bool to_err);
  void write_bytes(std::string_view bytes, bool to_err);
  /// Writes whole lines to standard error now.
  void write_lines(std::string_view text);
  void clear_status();
  void draw_status();
  /// Whether a program is amid a line where err() writes.
  [[nodiscard]] bool amid_line() const { return err_amid_line_ || (one_place_ && out_amid_line_); }
  /// The terminal's columns now: people resize it.
  [[nodiscard]] unsigned width() const;

  Screen screen_;
  ConsoleStream out_;
  ConsoleStream err_;
  bool one_place_;              ///< Both streams are the same file or pipe.
  bool out_amid_line_ = false;  ///< By pass().
  bool err_amid_line_ = false;
  std::function<void()> on_waiting_;  ///< Empty: nothing waits for the end of a line.
  std::string waiting_;               ///< Lines of err() that do.
  std::string held_;                  ///< What pass() holds back.
  bool held_is_err_ = false;
  std::string status_;
  std::vector<std::string> moving_;
  size_t rows_drawn_ = 0;  ///< Of the status, with the lines that move.
};

/// Returns `text` in the colour of `code` ("31", "1;32") if `colour`, else as it is.
[[nodiscard]] std::string paint(std::string_view text, std::string_view code, bool colour);

}  // namespace muster::client
