#pragma once

#include "base/log.h"
#include "base/result.h"
#include "job/ids.h"
#include "rt/loop.h"
#include "stacks/stack_groups.h"
#include "wire/stream.h"
#include "wire/stream_ledger.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace muster::master {

/// Reads the stacks of several attempts at once, over sessions like those of people. Lives on the
/// loop's thread.
class StackReader {
 public:
  struct Deps {
    rt::Loop& loop;
    log::Logger log;
    /// Carries a frame of one of its streams to the task. The answer may arrive inside the call.
    std::function<void(wire::StreamFrame frame)> send;
  };
  struct Wanted {
    job::AttemptId attempt;
    stacks::Subject subject;  ///< Without a report.
  };
  /// Called once for each read(), from the event loop, with the subjects in order. If one did not
  /// answer in time, its report has what had arrived by then.
  using Done = std::function<void(std::vector<stacks::Subject>)>;

  explicit StackReader(Deps deps) : deps_(std::move(deps)) {}
  ~StackReader();
  StackReader(const StackReader&) = delete;
  StackReader& operator=(const StackReader&) = delete;

  struct How {
    bool native = false;  ///< Include frames of the interpreter and of libraries.
    /// How long what tasks read is watched beforehand, at most; in total, if there are so many that
    /// they are read one after another.
    Duration watch{};
  };
  /// Begins to read; the previous reading must be done. At least one must be wanted.
  void read(const std::vector<Wanted>& wanted, const How& how, Done done);
  /// A frame of one of its streams; others are ignored.
  void take(const wire::StreamFrame& frame);

 private:
  /// The reading of one attempt's stacks.
  struct Reading {
    size_t subject = 0;
    wire::StreamLedger ledger;
    stacks::ReportReader reader;
  };

  void open_more();
  [[nodiscard]] Status take_kind(uint64_t id, const wire::StreamFrame::Kind& kind);
  void end(uint64_t id);
  void give_up();
  void go_on_soon();
  void go_on();
  void send(uint64_t id, wire::StreamFrame::Kind kind) const { deps_.send({id, std::move(kind)}); }

  Deps deps_;
  Done done_;
  std::vector<job::AttemptId> attempts_;
  std::vector<stacks::Subject> subjects_;  ///< Of the attempts.
  How how_;
  size_t next_ = 0;                       ///< The first one not being read yet.
  std::map<uint64_t, Reading> readings_;  ///< By stream.
  uint64_t last_stream_ = 0;
  rt::TimerId deadline_{};
  rt::TimerId going_on_{};
};

}  // namespace muster::master
