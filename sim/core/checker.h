#pragma once

#include "cluster/link.h"
#include "job/machine.h"
#include "sim/core/truth.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::sim {

/// Something that must hold in every run. Sees each step of the machine in charge and what really
/// happened, and says in one sentence what is broken; once is enough.
class Checker {
 public:
  virtual ~Checker() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;

  /// The machine in charge applied `fact` and wants `actions`.
  virtual void applied(Time, const job::Fact&, std::span<const job::Action>, const job::Machine&) {}
  /// A successor has replayed the log: what was applied but did not reach the log is forgotten.
  virtual void recovered(const job::Machine&) {}
  /// An action whose fact is in the log is done.
  virtual void released(const job::Action&) {}
  /// A container is given back, and the cluster is told how its end is to be reported.
  virtual void given_back(const job::ContainerId&, cluster::Confirm) {}
  /// A process has started.
  virtual void started(const TrueAttempt&, const Truth&, const job::Machine&) {}
  /// A commit was granted to a process that was started in `started_in`.
  virtual void committed(job::AttemptId, job::Generation /*started_in*/, const job::Machine&) {}
  /// The run is over, and its log is read once more from the first fact to the last. Like
  /// applied(), for checks that count only what really reached the log.
  virtual void replayed(Time, const job::Fact&, std::span<const job::Action>, const job::Machine&) {
  }
  /// The run is over; `machine` is the last in charge.
  virtual void finished(const job::Machine&, const Truth&) {}

  [[nodiscard]] const std::string& broken() const { return broken_; }

 protected:
  void fail(std::string what) {
    if (broken_.empty()) {
      broken_ = std::move(what);
    }
  }

 private:
  std::string broken_;
};

/// Makes one of each kind. `plan` outlives them.
[[nodiscard]] std::vector<std::unique_ptr<Checker>> make_checkers(const job::Plan& plan);

}  // namespace muster::sim
