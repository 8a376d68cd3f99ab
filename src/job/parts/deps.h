#pragma once

#include "job/plan.h"

namespace muster::job {

class Chronicle;
class Lives;
class Timers;
struct Turn;

/// What every part of the machine builds on. All of it must outlive the parts.
struct Deps {
  const Plan& plan;
  Turn& turn;
  Timers& timers;
  Lives& lives;
  Chronicle& chronicle;
};

}  // namespace muster::job
