#pragma once

#include "client/follow/console.h"
#include "client/follow/line_show.h"
#include "client/follow/output_files.h"
#include "client/follow/run_events.h"
#include "client/follow/whole_output.h"
#include "job/plan.h"
#include "rt/loop.h"
#include "rt/scope.h"
#include "rt/wait.h"
#include "wire/frame.h"
#include "wire/output_gate.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace muster::client {

/// Which of the tasks' output a follower gets, and in which form. If the reader of a stream is not
/// a terminal, it gets everything: what did not arrive live is read from the log. A job with one
/// task is shown byte for byte, as if the command had been run by hand; with several, as lines
/// prefixed with the task's name. On a terminal, output that is too fast to read is left out, up to
/// the start of a line. Lives on its loop's thread; logs, which may have to be fetched from other
/// hosts first, are read in the background.
class OutputView {
 public:
  struct Deps {
    rt::Loop& loop;
    Console& console;
    OutputFiles* files;  ///< Must outlive the loop. nullptr: nothing can be reread.
    RunEvents* events;   ///< Takes all output, whole, instead of the console; nullptr for none.
    /// Takes all output, as it arrives, instead of the console; empty if unused.
    std::function<void(const wire::Output&)> take;
    std::function<void()> reader_gone;  ///< Standard output takes no more. Called once.
  };

  /// `plan` must outlive it.
  OutputView(Deps deps, const job::Plan& plan);
  ~OutputView();
  OutputView(const OutputView&) = delete;
  OutputView& operator=(const OutputView&) = delete;

  /// The job was over before everything arrived live: finish() shows what else its attempts wrote,
  /// even on a terminal.
  void missed(const job::State& state);
  /// Takes a piece that arrived live. Its task must be one of the plan's.
  void take(const wire::Output& piece);
  /// Shows no more.
  void mute();
  /// Shows what is left: the rest of every log, if `whole`, and lines without a newline. Ends early
  /// if it is muted.
  [[nodiscard]] rt::Async<> finish(bool whole);

 private:
  [[nodiscard]] bool wants_whole(wire::OutputStream stream) const;
  [[nodiscard]] bool is_raw(wire::OutputStream stream) const;
  void take_in_parts(const wire::Output& piece);
  void show(const StreamId& stream, std::string_view bytes);
  void look_at_reader();
  [[nodiscard]] rt::Async<> step();
  void take_step(const WholeOutput::Step& step);
  void tell_missing();
  [[nodiscard]] cluster::LogStream log_of(const StreamId& stream) const;
  void stop_waiting_for_lines();
  [[nodiscard]] rt::Async<> catch_up();
  [[nodiscard]] rt::Async<> read_rest();

  Deps deps_;
  const job::Plan& plan_;
  bool alone_;  ///< There is one task.
  bool missed_ = false;
  bool muted_ = false;
  bool told_gone_ = false;
  bool finishing_ = false;
  LineShow lines_;
  wire::OutputGate gate_;         ///< A new master sends the last lines again.
  std::set<StreamId> amid_line_;  ///< On a terminal: output was skipped up to the middle of a line.
  WholeOutput whole_;
  struct Missing {
    uint64_t bytes = 0;
    std::string why;
  };
  std::map<StreamId, Missing> missing_;  ///< Bytes lost for good; reported at the end.
  rt::TimerId line_timer_;  ///< Limits how long console lines wait for the task's line to end.
  rt::Event behind_;
  rt::Scope catching_up_;  ///< Last: its coroutine uses all of the above.
};

}  // namespace muster::client
