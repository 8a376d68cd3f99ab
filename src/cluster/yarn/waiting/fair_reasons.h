#pragma once

#include "cluster/yarn/waiting/wait_reasons.h"

#include <vector>

namespace muster::cluster::yarn {

/// Adds the reasons that follow from the limits of the Fair Scheduler's queues; nothing for another
/// scheduler.
void add_fair_reasons(const WaitFacts& facts, std::vector<WaitReason>& to);

}  // namespace muster::cluster::yarn
