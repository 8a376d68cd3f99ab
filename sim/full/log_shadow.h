#pragma once

#include "eventlog/log_file.h"
#include "job/machine.h"
#include "sim/full/log_disk.h"

#include <functional>
#include <optional>
#include <span>
#include <string>

namespace muster::sim {

/// A machine beside those of the masters, fed from the log alone, record by record as they reach
/// the disk: its state is what any later reader will find. Checkers watch it, and the masters' own
/// machines are compared with it.
class LogShadow {
 public:
  struct Handlers {
    /// Before a record is applied.
    std::function<void(const eventlog::Record&, const job::Machine&)> logged;
    /// After it was.
    std::function<void(const eventlog::Record&, std::span<const job::Action>, const job::Machine&)>
        applied;
    std::function<void(std::string what)> broken;
  };

  LogShadow(const LogDisk& disk, const job::Plan& plan, Handlers handlers);

  /// A new master has made its segment: what older ones write from now on no longer counts.
  void created(job::Epoch epoch);
  void grown(job::Epoch epoch);

  /// `digest` is the hash of what a master knew when it handed over what has now arrived.
  void arrived(job::Epoch epoch, uint64_t digest);

  [[nodiscard]] const job::Machine& machine() const { return machine_; }
  /// Returns how many records were applied.
  [[nodiscard]] uint64_t size() const { return next_; }
  /// Reads the whole log once more, as a later master would, and replays it from its first record.
  void check_replay() const;

 private:
  void take(const eventlog::Record& record);

  const LogDisk& disk_;
  const job::Plan& plan_;
  Handlers handlers_;
  job::Machine machine_;
  job::Epoch epoch_;
  size_t read_ = 0;  ///< Bytes of the current segment.
  bool header_ = false;
  uint64_t next_ = 0;
  std::vector<uint64_t> digests_;
};

}  // namespace muster::sim
