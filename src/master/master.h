#pragma once

#include "base/result.h"
#include "job/machine.h"
#include "master/clients/fact_history.h"
#include "master/deps.h"

#include <functional>
#include <memory>
#include <string>

namespace muster::master {

class SampleBook;
class Term;

/// The master of one job, on one loop. A process that runs one: constructs it, start()s it, and
/// runs the loop until `ended` is called, at most two seconds after the job's end. It may be killed
/// at any moment: the next one goes on from the event log.
class Master {
 public:
  using Ended = std::function<void(const MasterEnd&)>;

  Master(MasterDeps deps, MasterOptions options);
  ~Master();
  Master(const Master&) = delete;
  Master& operator=(const Master&) = delete;

  /// Opens the log (a new job, or a takeover), listens, and takes charge. Errors: AlreadyExists if
  /// another master took over at the same moment; Corrupt or Unsupported if the log cannot be
  /// continued; whatever store, transport and link return. `ended` is called once, on the loop,
  /// only after a success.
  Status start(Ended ended);

  /// Asks the job to stop, as StopJob does; for signals. May be repeated.
  void stop(job::StopAsked asked);

  /// "host:port" where it listens. Only after start().
  [[nodiscard]] const std::string& address() const;
  [[nodiscard]] const job::Machine& machine() const;
  /// All facts so far, including those of earlier masters.
  [[nodiscard]] const FactHistory& history() const;
  /// Sets whether the audience wants tasks' output. When turned on, the last lines of every task
  /// come first, even to those already following (they recognize repeats by their offsets).
  void follow_output(bool on);
  /// The audience has been served: after the job's end that may be the last thing to wait for.
  void audience_served();
  /// What agents measure. Valid only after start(), and until `ended` is called.
  [[nodiscard]] const SampleBook& samples() const;
  /// The status document, schema muster.status/1 (eventlog/status.h).
  [[nodiscard]] std::string status() const;

 private:
  MasterDeps deps_;
  MasterOptions options_;
  std::unique_ptr<Term> term_;
};

}  // namespace muster::master
