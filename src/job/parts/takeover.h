#pragma once

#include "job/fact.h"
#include "job/ids.h"

namespace muster::job {

class AttemptFacts;
struct MachineParts;

/// A new master, and agents that report: every pending intent is derived again and compared with
/// reality. Writes the epoch.
class Takeover {
 public:
  Takeover(MachineParts& parts, AttemptFacts& attempt_facts)
      : parts_(parts), attempt_facts_(attempt_facts) {}

  void take(const MasterRecovered& recovered);
  void take(const AgentReported& reported);

 private:
  void reconcile(TaskId id, const AttemptReport& report);
  void reconcile_missing(TaskId id);
  void reconcile_unknown(const ContainerId& container, const AttemptReport& report);

  MachineParts& parts_;
  AttemptFacts& attempt_facts_;
};

}  // namespace muster::job
