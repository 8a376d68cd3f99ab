#pragma once

#include "job/asks.h"
#include "job/attempts.h"
#include "job/blame.h"
#include "job/ending.h"
#include "job/failures.h"
#include "job/fence.h"
#include "job/gangs.h"
#include "job/lives.h"
#include "job/machine.h"
#include "job/places.h"
#include "job/restarts.h"
#include "job/roles.h"
#include "job/timers.h"
#include "job/turn.h"
#include "job/views.h"

#include <cstdint>
#include <vector>

namespace muster::job {

class Digest;

/// The parts, from the bottom up: each knows only those above it here. What a part cannot know it
/// returns, and this class passes it on. `README.md` tells which part owns what.
class Machine::Impl {
 public:
  explicit Impl(Plan plan);
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  [[nodiscard]] std::vector<Action> apply(Time now, const Fact& fact);

  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] const TransitionCounts& transitions() const { return lives_.transitions(); }
  [[nodiscard]] bool tallies_hold() const;
  [[nodiscard]] uint64_t digest() const;

 private:
  [[nodiscard]] Deps deps() { return {plan_, turn_, timers_, lives_}; }

  // machine.cc: the main path.
  void take_in(const Fact& fact);
  void settle();
  void begin();
  void review();
  void open_if_complete(uint32_t cohort);
  [[nodiscard]] bool is_fenced(uint32_t cohort) const;
  [[nodiscard]] std::string wait_of_the_fenced() const;
  void serve(const std::vector<TaskId>& pokes);
  void begin_stop();
  void describe_wait();

  // machine_facts.cc: what one fact means to several parts.
  void granted(const ContainerGranted& granted);
  void refused(const RequestRefused& refused);
  void launch_failed(const LaunchFailed& failed);
  void agent_joined(const AgentJoined& joined);
  void suspected(const AgentSuspected& suspected);
  void agent_lost(const AgentLost& lost);
  void container_ended(const ContainerEnded& ended);
  void host_reported(const HostReported& reported);
  void joined(TaskId id, const Address& address);
  void pass_on(TaskId id, Attempts::Meaning meaning);
  void succeeded(TaskId id);
  void committed(const CheckpointCommitted& commit);
  void stop_asked(const StopAsked& asked);
  void passed(DeadlineId id);
  void gather_passed(uint32_t cohort);

  // recovery.cc: a new master, and what agents report.
  void recovered(const MasterRecovered& recovered);
  void reported(const AgentReported& reported);
  void reconcile(TaskId id, const AttemptReport& report);
  void reconcile_missing(TaskId id);
  void reconcile_unknown(const ContainerId& container, const AttemptReport& report);

  // digest.cc
  void add_intent(Digest& digest, TaskId id) const;

  Plan plan_;
  State state_;
  Turn turn_;
  Timers timers_;
  Lives lives_;
  Roles roles_;
  Blame blame_;
  Views views_;
  Gangs gangs_;
  Places places_;
  Asks asks_;
  Fence fence_;
  Attempts attempts_;
  Restarts restarts_;
  Failures failures_;
  Ending ending_;
};

}  // namespace muster::job
