#pragma once

#include "job/ids.h"
#include "job/parts/deps.h"
#include "job/parts/timers.h"
#include "job/state.h"

#include <cstdint>
#include <string>
#include <vector>

namespace muster::job {

/// How long requests wait: for the job's first container, and after a refusal.
class AskDeadlines {
 public:
  explicit AskDeadlines(const Deps& deps);

  /// The job's first request has been made.
  void begin_queue();
  /// QueueTimer has passed.
  void queue_passed() { queue_ = {}; }
  /// A container of the role was granted and accepted.
  void granted(RoleIndex role);
  /// The cluster has refused the request, and may grant it later. Returns the timer that its tasks
  /// wait for before they ask again: longer with each consecutive refusal of the role.
  [[nodiscard]] Timer<AskTimer> refused(const Request& request, const std::string& reason);

 private:
  const Plan& plan_;
  Turn& turn_;
  Timers& timers_;
  std::vector<uint32_t> refusals_;  ///< By role: consecutive ones.
  Timer<QueueTimer> queue_;
};

}  // namespace muster::job
