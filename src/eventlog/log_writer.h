#pragma once

#include "base/log.h"
#include "base/result.h"
#include "base/time.h"
#include "eventlog/log_file.h"
#include "eventlog/segment_store.h"
#include "rt/loop.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace muster::eventlog {

/// Writes a master's segment with group commit: all records of one turn of the loop, and those that
/// come while a write is under way, go out together. Lives on its loop's thread.
///
/// When a write fails the batch is kept and tried again with growing waits, forever: nothing is
/// lost as long as the process lives, and nothing that waits for its record happens. trouble() then
/// says why.
class LogWriter {
 public:
  /// `committed(n)`: all records with an index below n are in the log; never inside a call into the
  /// writer.
  using Committed = std::function<void(uint64_t next_index)>;
  /// The log cannot be written, for a reason other than before, or can be written again: trouble()
  /// says which. Never called inside a call into the writer.
  using Troubled = std::function<void()>;

  /// The segment must have been created in `store` already.
  LogWriter(rt::Loop& loop, SegmentStore& store, const log::Logger& log, Committed committed,
            Troubled troubled);
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  /// Queues the segment's header; the first call.
  void begin(const Header& header);
  /// Queues a record; indices must rise by one.
  void append(const Record& record);

  /// Retries a failed batch now instead of after its wait; does nothing if none waits.
  void retry_now();

  /// Returns whether nothing is waiting to be written.
  [[nodiscard]] bool idle() const { return buffer_.empty() && !writing_; }
  /// Why the log cannot be written now; "" while it can.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }
  /// Returns how many bytes wait for the log.
  [[nodiscard]] size_t pending_bytes() const { return buffer_.size() + batch_.size(); }

 private:
  void schedule();
  void flush();
  void write_batch();
  void write_again();
  void written(const Status& status);

  rt::Loop& loop_;
  SegmentStore& store_;
  log::Logger log_;
  Committed committed_;
  Troubled troubled_;
  std::string buffer_;       ///< Not yet given to the store.
  uint64_t buffer_end_ = 0;  ///< The index after the last record in `buffer_`.
  std::string batch_;        ///< Under way, or waiting to be tried again.
  uint64_t batch_end_ = 0;
  bool scheduled_ = false;
  bool writing_ = false;
  std::string trouble_;
  Duration retry_wait_{};
  rt::TimerId retry_timer_{};
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster::eventlog
