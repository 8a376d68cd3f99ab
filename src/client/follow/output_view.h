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

/// What a follower gets of tasks' output, and in which form. A stream whose reader is no terminal
/// comes whole: what did not come live is read from its log. Of a job of one task it comes byte by
/// byte, as if the command had been run by hand; of several, in lines with the task's name. On a
/// terminal what people could not read is left out, up to the start of a line. Lives on its loop's
/// thread; logs, which may have to come from other hosts first, are read beside it.
class OutputView {
 public:
  struct Deps {
    rt::Loop& loop;
    Console& console;
    OutputFiles* files;  ///< Outlives the loop. nullptr: nothing can be read again.
    RunEvents* events;   ///< Takes all output, whole, instead of the console; nullptr for none.
    /// Takes all output, as it comes, instead of the console; empty for nobody.
    std::function<void(const wire::Output&)> take;
    std::function<void()> reader_gone;  ///< Standard output takes no more. Once.
  };

  /// `plan` outlives it.
  OutputView(Deps deps, const job::Plan& plan);
  ~OutputView();
  OutputView(const OutputView&) = delete;
  OutputView& operator=(const OutputView&) = delete;

  /// The job was over before everything came live: finish() shows what else its attempts wrote, on
  /// a terminal, too.
  void missed(const job::State& state);
  /// Takes a piece that came live. Its task is one of the plan.
  void take(const wire::Output& piece);
  /// Shows no more.
  void mute();
  /// Shows what is left: the rest of every log, if `whole`, and lines without a newline. Ends
  /// early when it is muted.
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
  std::set<StreamId> amid_line_;  ///< On a terminal: skipped to where no line begins.
  WholeOutput whole_;
  struct Missing {
    uint64_t bytes = 0;
    std::string why;
  };
  std::map<StreamId, Missing> missing_;  ///< What nobody has; told at the end.
  rt::TimerId line_timer_;  ///< Until when the console's own lines wait for the end of the task's.
  rt::Event behind_;
  rt::Scope catching_up_;  ///< Last: its coroutine uses all of the above.
};

}  // namespace muster::client
