#pragma once

#include "job/ids.h"
#include "job/parts/attempts.h"
#include "job/view.h"

namespace muster::job {

class Barriers;
struct MachineParts;

/// What it means for several parts that an attempt has joined or ended. Owns nothing.
class AttemptFacts {
 public:
  AttemptFacts(MachineParts& parts, Barriers& barriers) : parts_(parts), barriers_(barriers) {}

  /// The task's attempt has reserved its addresses: its barrier may open.
  void joined(TaskId id, const Address& address);
  /// The task's attempt has ended: acts on what that means.
  void pass_on(TaskId id, Attempts::Meaning meaning);

 private:
  void succeeded(TaskId id);

  MachineParts& parts_;
  Barriers& barriers_;
};

}  // namespace muster::job
