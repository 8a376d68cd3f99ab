#pragma once

#include "client/follow/console.h"
#include "client/follow/line_folder.h"
#include "rt/loop.h"

#include <string_view>
#include <vector>

namespace muster::client {

/// Shows the output of many tasks as lines prefixed with the task's name, with equal ones folded,
/// and on a terminal also the moving lines. Lives on its loop's thread.
class LineShow {
 public:
  /// All must outlive it.
  LineShow(rt::Loop& loop, Console& console, const job::Plan& plan);
  ~LineShow();
  LineShow(const LineShow&) = delete;
  LineShow& operator=(const LineShow&) = delete;

  void feed(job::TaskId task, bool is_err, std::string_view bytes);
  /// Says that bytes of this task's output are missing here; what follows begins a line.
  void dropped(job::TaskId task, bool is_err, uint64_t bytes);
  /// Shows what is left and forgets the moving lines.
  void finish();

 private:
  void show(const std::vector<ShownLine>& lines);
  void show_moving();
  void arm_flush();

  rt::Loop& loop_;
  Console& console_;
  LineFolder folder_;
  rt::TimerId flush_timer_;
  rt::TimerId moving_timer_;
  bool moving_shown_ = false;
};

}  // namespace muster::client
