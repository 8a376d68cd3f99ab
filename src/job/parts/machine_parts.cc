#include "job/parts/machine_parts.h"

namespace muster::job {

MachineParts::MachineParts(const Plan& the_plan)
    : plan(the_plan),
      timers(turn),
      lives(plan, turn, state),
      roles(deps()),
      blame(deps()),
      views(deps(), state.view),
      gangs(deps(), views),
      places(deps(), gangs),
      asks(deps(), gangs, places, state.requests),
      fence(deps()),
      attempts(deps(), roles, views, gangs, places, asks, fence),
      restarts(deps(), roles, gangs, places, asks, attempts, blame),
      failures(deps(), roles, asks, attempts, blame, restarts),
      ending(deps(), places, attempts, state.outcome, state.ended) {}

// lint: allow(unused) what the simulator recounts
bool MachineParts::tallies_hold() const {
  return lives.tallies_hold() && roles.tallies_hold() && gangs.tallies_hold() &&
         places.tallies_hold() && fence.tallies_hold();
}

}  // namespace muster::job
