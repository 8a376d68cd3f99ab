#pragma once

#include "job/ids.h"

#include <vector>

namespace muster::job {

class Barriers;
struct MachineParts;

/// Follows up what a fact led to until nothing more is due: the job's end, roles that may be
/// requested now, barriers, and tasks that want an attempt. Owns nothing.
class Settling {
 public:
  Settling(MachineParts& parts, Barriers& barriers) : parts_(parts), barriers_(barriers) {}

  void settle();

 private:
  void review();
  void serve(const std::vector<TaskId>& pokes);
  void begin_stop();
  void describe_wait();

  MachineParts& parts_;
  Barriers& barriers_;
};

}  // namespace muster::job
