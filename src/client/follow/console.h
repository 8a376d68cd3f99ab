#pragma once

#include "client/follow/console_stream.h"

#include <cerrno>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::client {

/// What the client knows about its terminal. Filled in by the app: nothing here reads the
/// environment.
struct Screen {
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool colour = false;  ///< Never with NO_COLOR, or if the stream is not a terminal.
  unsigned width = 80;  ///< Columns, at least 20.
};

/// Writes to the user: task output and results on standard output, progress and errors on standard
/// error, and a status that is redrawn in place while standard error is a terminal: moving lines
/// (progress bars of tasks) and below them a status line of our own. Everything written as lines
/// goes through console_text(), so no foreign name or message can move the cursor. A stream that
/// fails is dropped from then on; for standard output, out_failed() reports it.
class Console {
 public:
  explicit Console(Screen screen, int out_fd = 1, int err_fd = 2);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  /// Writes whole lines to standard output. `text` ends with a newline.
  void out(std::string_view text);
  /// Writes whole lines to standard error, above the status line. If a program is in the middle of
  /// a line there, they begin on a new line, or wait: see let_lines_end().
  void err(std::string_view text);
  /// Writes a program's output, byte for byte, to a stream that is not a terminal.
  void pass(std::string_view bytes, bool to_err);
  /// From now on err(), and pass() to the other stream, wait for the end of a line that pass() has
  /// begun in the same place: many programs write a line in pieces, and the order between their two
  /// streams is not fixed. `waiting` is called when the first text begins to wait; the caller must
  /// then call write_waiting() soon, since a prompt's line may never end. An empty function turns
  /// this off and writes what is waiting.
  void let_lines_end(std::function<void()> waiting);
  /// Writes what waits for the end of a line, on a new line. Does nothing if nothing waits.
  void write_waiting();
  /// Replaces the status line, cut to the terminal's width; an empty text removes it. Does nothing
  /// without a terminal.
  void status(std::string_view text);
  /// Replaces the moving lines above the status line, each cut to the terminal's width and without
  /// escape sequences. Does nothing without a terminal.
  void moving(std::vector<std::string> lines);

  /// Calls ConsoleStream::give_way_to() for both streams.
  int give_way_to(int signals);
  /// Calls ConsoleStream::hurry() for both streams. For whoever obeys a signal that asks this
  /// program, or what it shows, to end.
  void hurry();

  [[nodiscard]] const Screen& screen() const { return screen_; }
  /// Returns whether standard output has failed for good (its reader went away, or the disk behind
  /// it is full).
  [[nodiscard]] bool out_failed() const { return out_.failed(); }
  /// Why it failed, as errno; 0 while it has not.
  [[nodiscard]] int out_errno() const { return out_.error(); }
  /// Returns whether both streams are the same file, pipe or terminal.
  [[nodiscard]] bool one_place() const { return one_place_; }
  /// True if its reader went away.
  [[nodiscard]] bool out_reader_gone() const { return out_errno() == EPIPE; }
  /// Returns whether it failed for a reason other than a missing reader.
  [[nodiscard]] bool out_disk_failed() const {
    return out_failed() && !out_reader_gone() && out_errno() != EAGAIN;
  }

 private:
  /// Returns whether output to this stream must wait for a line begun on the other one.
  [[nodiscard]] bool must_wait(bool to_err) const;
  void hold(std::string_view bytes, bool to_err);
  void write_bytes(std::string_view bytes, bool to_err);
  /// Writes whole lines to standard error now.
  void write_lines(std::string_view text);
  void clear_status();
  void draw_status();
  /// Returns whether a program is in the middle of a line where err() writes.
  [[nodiscard]] bool amid_line() const { return err_amid_line_ || (one_place_ && out_amid_line_); }
  /// Returns the terminal's current width, which may change.
  [[nodiscard]] unsigned width() const;

  Screen screen_;
  ConsoleStream out_;
  ConsoleStream err_;
  bool one_place_;              ///< Both streams are the same file or pipe.
  bool out_amid_line_ = false;  ///< By pass().
  bool err_amid_line_ = false;
  std::function<void()> on_waiting_;  ///< Empty: nothing waits for a line to end.
  std::string waiting_;               ///< Lines of err() that are waiting.
  std::string held_;                  ///< Output that pass() holds back.
  bool held_is_err_ = false;
  std::string status_;
  std::vector<std::string> moving_;
  size_t rows_drawn_ = 0;  ///< Of the status, including moving lines.
};

/// Returns `text` in the colour of `code` ("31", "1;32") if `colour`, else as it is.
[[nodiscard]] std::string paint(std::string_view text, std::string_view code, bool colour);

}  // namespace muster::client
