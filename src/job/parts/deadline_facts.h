#pragma once

#include "job/fact.h"

#include <cstdint>

namespace muster::job {

class AttemptFacts;
struct MachineParts;

/// What it means that a deadline has passed, by what its timer was for. Owns nothing.
class DeadlineFacts {
 public:
  DeadlineFacts(MachineParts& parts, AttemptFacts& attempt_facts)
      : parts_(parts), attempt_facts_(attempt_facts) {}

  void take(const DeadlinePassed& passed);

 private:
  void gather_passed(uint32_t cohort);

  MachineParts& parts_;
  AttemptFacts& attempt_facts_;
};

}  // namespace muster::job
