#pragma once

#include "agent/program/told_series.h"
#include "job/fact.h"
#include "job/failure.h"
#include "job/ids.h"
#include "job/view.h"

#include <cstdint>
#include <vector>

namespace muster::agent {

/// Decides about the attempts of this agent and is told what becomes of them. Calls come on the
/// loop's thread and may immediately lead to the next order.
class AttemptObserver {
 public:
  virtual ~AttemptObserver() = default;
  virtual void prepared(job::AttemptId attempt, job::Address address) = 0;
  virtual void prepare_failed(job::AttemptId attempt, job::Failure failure) = 0;
  virtual void started(job::AttemptId attempt, int32_t pid) = 0;
  virtual void start_failed(job::AttemptId attempt, job::Failure failure) = 0;
  /// The process and everything it left behind are gone, and its last checkpoint is settled.
  virtual void ended(job::AttemptId attempt, job::Exit exit) = 0;
  /// Anything else that the master wants to know.
  virtual void tell(job::Fact fact) = 0;
  /// What the attempt's program has reported about itself since the last call; at most once a
  /// second.
  virtual void told(job::AttemptId attempt, std::vector<Told> values) = 0;
  /// Returns whether the attempt was told to end.
  [[nodiscard]] virtual bool stopping(job::AttemptId attempt) const = 0;
};

}  // namespace muster::agent
