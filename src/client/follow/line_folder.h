#pragma once

#include "base/time.h"
#include "job/ids.h"
#include "job/plan.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace muster::client {

/// One line to show: which task wrote it, on which stream, and the text without its newline.
struct ShownLine {
  std::string prefix;  ///< "worker:3"; of a folded line "worker:1-31".
  job::TaskId task;    ///< Gives the prefix its colour: the first to write it.
  bool to_err = false;
  std::string text;
};

/// Makes lines for people out of pieces of many tasks' output: cuts at newlines, and folds what
/// several tasks say alike.
///
/// The first task that says a line is shown at once. The same line from other tasks within `window`
/// is held back and comes as one line, "worker:1-31 | TEXT", when the window closes or one of these
/// tasks says something else, whichever is first. Nothing is lost, and the lines of one task keep
/// their order: a task joins a fold only behind the last one that it has joined or begun, and what
/// it repeats itself is never folded. Ties go by arrival.
///
/// A carriage return begins the line anew, as on a terminal: of a progress bar the last state
/// before the newline is a line, and each state is an unfinished() line until then.
/// Pure: time comes as a parameter.
class LineFolder {
 public:
  struct Options {
    Duration window{};
    /// Longer lines are cut there, in bytes.
    size_t line_max = 4096;
    /// What is cut off is shown as lines of its own; otherwise the line says how much is missing.
    bool whole = false;
  };

  LineFolder(const job::Plan& plan, Options options);

  /// Takes a piece of output; returns the lines that are ready to show.
  [[nodiscard]] std::vector<ShownLine> feed(job::TaskId task, bool is_err, std::string_view bytes,
                                            HostTime now);
  /// Says that `bytes` of a task's output were dropped on the way (they are in its log file), with
  /// the line that they begin in. What follows begins with a whole line.
  void dropped(job::TaskId task, bool is_err, uint64_t bytes, HostTime now);
  /// Returns what became due: folded lines whose window closed, losses to tell.
  [[nodiscard]] std::vector<ShownLine> flush(HostTime now);
  /// Returns everything that is left, unfinished lines too. At the end.
  [[nodiscard]] std::vector<ShownLine> finish();
  /// When flush() has something to do next; HostTime::max() if nothing waits.
  [[nodiscard]] HostTime due() const;
  /// The lines that have no newline yet, at most `count`: prompts and progress bars.
  [[nodiscard]] std::vector<ShownLine> unfinished(size_t count) const;

 private:
  struct Partial {
    std::string text;
    uint64_t cut = 0;       ///< Bytes of this line beyond its maximum.
    bool returned = false;  ///< The text ends with a carriage return: the next byte starts it anew.
  };
  struct Fold {
    std::string text;
    bool is_err = false;
    std::vector<job::TaskId> others;  ///< Which others wrote it, in order; each once.
    HostTime closes{};
  };
  /// Bytes dropped and not yet reported, by stream; reported at most once a second.
  struct Loss {
    uint64_t bytes = 0;
    HostTime tell_at{};
  };
  /// Of a task: the number of the last fold it began or joined, and of the last it joined and still
  /// waits in (0: none).
  struct Place {
    uint64_t last = 0;
    uint64_t waits_in = 0;
  };
  using StreamKey = std::pair<job::TaskId, bool>;

  void take(Partial& partial, StreamKey from, std::string_view piece, HostTime now,
            std::vector<ShownLine>& ready);
  void line_done(StreamKey from, Partial& partial, HostTime now, std::vector<ShownLine>& ready);
  /// Finds a fold that the task may join; 0 if there is none.
  [[nodiscard]] uint64_t joinable(const std::string& text, bool is_err, uint64_t behind) const;
  [[nodiscard]] Fold& fold(uint64_t number) { return folds_[number - first_]; }
  /// Shows all folds up to this number, in order.
  void close_through(uint64_t number, std::vector<ShownLine>& ready);
  void close_due(HostTime now, std::vector<ShownLine>& ready);
  void tell_losses(HostTime now, std::vector<ShownLine>& ready);

  const job::Plan& plan_;
  Options options_;
  bool alone_;  ///< There is only one task: nothing to fold.
  std::map<StreamKey, Partial> partials_;
  std::map<StreamKey, Loss> losses_;
  /// Open folds by number, from `first_` on: they open and close in this order.
  std::deque<Fold> folds_;
  uint64_t first_ = 1;
  /// Of open folds, by stream and text; ascending.
  std::array<std::unordered_map<std::string, std::deque<uint64_t>>, 2> numbers_;
  std::map<job::TaskId, Place> places_;
};

/// Names a set of tasks briefly: "worker:0-3,7 ps:0". Tasks may come in any order and repeat.
[[nodiscard]] std::string name_tasks(const job::Plan& plan, std::vector<job::TaskId> tasks);

}  // namespace muster::client
