#pragma once

#include "job/plan.h"

namespace muster::job {

class Chronicle;
class Lives;
class Timers;
struct Turn;

/// What every part of the machine stands on. All of it outlives the parts.
struct Deps {
  const Plan& plan;
  Turn& turn;
  Timers& timers;
  Lives& lives;
  Chronicle& chronicle;
};

}  // namespace muster::job
