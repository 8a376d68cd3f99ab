#pragma once

#include "base/time.h"
#include "job/ids.h"
#include "job/plan.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace muster::client {

/// One finished line to show: who said it, on which stream, and the text without its newline.
struct ShownLine {
  std::string prefix;  ///< "worker:3"; for a folded line "worker:1-31" and alike.
  job::TaskId task;    ///< Whose colour the prefix gets: the first that said it.
  bool to_err = false;
  std::string text;
};

/// Makes lines for people out of pieces of many tasks' output: cuts at newlines, and folds what
/// many say alike.
///
/// The first task that says a line is shown at once. The same line from other tasks within `window`
/// is held back and comes as one line "worker:1-31 | (the same, 31 times)" when the window closes;
/// a line that one task repeats without anything else between is counted the same way. Carriage
/// returns (progress bars) end a line too: of a bar only the last state before a newline or the
/// window is kept. Lines longer than kLineMax are cut and say so. Pure: time comes as a parameter.
class LineFolder {
 public:
  static constexpr size_t kLineMax = 4096;

  LineFolder(const job::Plan& plan, Duration window);

  /// Takes a piece of output; returns the lines that are ready to show.
  [[nodiscard]] std::vector<ShownLine> feed(job::TaskId task, bool is_err, std::string_view bytes,
                                            HostTime now);
  /// Says that `bytes` of a task's output were dropped on the way (they are in its log file).
  [[nodiscard]] std::vector<ShownLine> dropped(job::TaskId task, bool is_err, uint64_t bytes,
                                               HostTime now);
  /// Returns what became due: folded lines whose window closed, unfinished lines that are older
  /// than the window.
  [[nodiscard]] std::vector<ShownLine> flush(HostTime now);
  /// Returns everything that is left, unfinished lines too. At the end.
  [[nodiscard]] std::vector<ShownLine> finish();
  /// When flush() has something to do next; HostTime::max() if nothing waits.
  [[nodiscard]] HostTime due() const;

 private:
  struct Partial {
    std::string text;
    uint64_t cut = 0;       ///< Bytes of this line beyond kLineMax.
    bool returned = false;  ///< The text ends with a carriage return: the next byte starts it anew.
    HostTime since{};
  };
  struct Fold {
    job::TaskId first;
    bool is_err = false;
    std::vector<job::TaskId> others;  ///< Who else said it, in order, with repeats.
    HostTime closes{};
  };
  using PartialKey = std::pair<job::TaskId, bool>;

  void line_done(job::TaskId task, bool is_err, Partial& partial, HostTime now,
                 std::vector<ShownLine>& ready);
  [[nodiscard]] ShownLine show_fold(const std::string& text, const Fold& fold) const;
  void close_due(HostTime now, std::vector<ShownLine>& ready);
  void tell_losses(HostTime now, std::vector<ShownLine>& ready);

  const job::Plan& plan_;
  Duration window_;
  std::map<PartialKey, Partial> partials_;
  std::unordered_map<std::string, Fold> folds_;
  /// Bytes dropped and not yet told, by stream: told at most once a second.
  struct Loss {
    uint64_t bytes = 0;
    HostTime tell_at{};
  };
  std::map<PartialKey, Loss> losses_;
};

/// Names a set of tasks briefly: "worker:0-3,7 ps:0". Tasks may come in any order and repeat.
[[nodiscard]] std::string name_tasks(const job::Plan& plan, std::vector<job::TaskId> tasks);

}  // namespace muster::client
