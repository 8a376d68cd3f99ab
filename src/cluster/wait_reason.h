#pragma once

#include "job/plan.h"

#include <string>
#include <vector>

namespace muster::cluster {

/// One thing that a job waits for.
struct WaitReason {
  std::string text;    ///< With the numbers.
  std::string advice;  ///< What to change; "" if only time helps.

  bool operator==(const WaitReason&) const = default;
};

/// What is known about a waiting job before its cluster is asked.
struct WaitContext {
  const job::Plan& plan;
  std::vector<std::string> refused;  ///< What the cluster last refused, in its words.
  bool complete = false;             ///< Every task is running.
};

}  // namespace muster::cluster
