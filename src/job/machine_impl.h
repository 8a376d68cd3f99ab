#pragma once

#include "job/avoid.h"
#include "job/intent.h"
#include "job/machine.h"
#include "job/order.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// The inside of Machine, for its own files only. Each file holds one subject: requests,
/// containers, attempts, barrier, restart, blame, success, stopping, deadlines, hold, preemption,
/// elastic, recovery.
namespace muster::job {

struct Machine::Impl {
  explicit Impl(Plan the_plan);

  // What it knows.
  Plan plan;
  State state;
  Time now{};
  bool began = false;
  std::vector<std::vector<Intent>> intents;  ///< As State::tasks.
  std::vector<Standing> standings;           ///< By role.
  std::vector<uint32_t> levels;              ///< By role: the order of stopping.
  std::map<uint32_t, Cohort> cohorts;
  std::map<uint32_t, StopBatch> stop_batches;
  std::map<DeadlineId, Pending> pending;
  std::set<DeadlineId> backoffs;       ///< Those of `pending` that are waits before a restart.
  std::set<ContainerId> ended_unseen;  ///< Ended before their grant was known.
  AvoidedHosts avoided;
  Ledger job_ledger;
  TransitionCounts transitions;
  std::vector<TaskId> provisional;  ///< Succeeded in this generation, not yet latched.
  std::vector<TaskId> departed;     ///< In the view, but ended or told to stop since.
  uint32_t live = 0;                ///< Attempts that have not ended.
  uint32_t live_started = 0;        ///< Those among them that were told to start.
  uint32_t starts_awaited = 0;      ///< Those among them that have not said that they run.
  uint32_t containers_open = 0;     ///< Containers that are not gone.
  uint32_t generation_floor = 0;    ///< An agent has seen this generation.
  uint32_t cohort_count = 0, batch_count = 0, request_count = 0, deadline_count = 0;
  DeadlineId queue, run, stop, start_over_wait, host_return;
  uint32_t stop_level = 0;

  // Blame (blame.cc).
  std::vector<Cause> losses;  ///< Peer losses that wait for an origin.
  DeadlineId blame;
  bool blame_extended = false;
  uint32_t wave = 0;                   ///< Settled so far.
  std::optional<Time> wave_at;         ///< When the last one was settled.
  std::map<HostName, Time> host_lost;  ///< When a loss of the host was last charged.
  bool wave_cured = false;             ///< The last one led to a restart.

  // What this fact has led to so far.
  std::vector<Action> out;
  std::optional<Outcome> decided;  ///< The job is to stop once the fact is taken in.
  std::vector<TaskId> pokes;       ///< Tasks to look at again.
  std::vector<TaskId> asks;        ///< Tasks that need a container.
  std::vector<uint32_t> openings;  ///< Cohorts that may be complete now.
  bool review_due = false, wait_changed = false;

  // One per fact.
  void on(const JobStarted&);
  void on(const ContainerGranted&);
  void on(const RequestRefused&);
  void on(const LaunchFailed&);
  void on(const AgentJoined&);
  void on(const AgentReported&);
  void on(const AgentSuspected&);
  void on(const AgentLost&);
  void on(const AttemptJoined&);
  void on(const AttemptStarted&);
  void on(const AttemptEnded&);
  void on(const AttemptStalled&);
  void on(const ContainerEnded&);
  void on(const CheckpointCommitted&);
  void on(const EndpointPublished&);
  void on(const HostReported&);
  void on(const HeadroomReported&);
  void on(const PreemptionNoticed&);
  void on(const DeadlinePassed&);
  void on(const StopAsked&);
  void on(const MasterRecovered&);

  // machine.cc: the main path and the lives.
  void conclude();
  [[nodiscard]] Task& task(TaskId id) { return state.tasks[id.role.value][id.index]; }
  [[nodiscard]] Intent& intent(TaskId id) { return intents[id.role.value][id.index]; }
  [[nodiscard]] Standing& standing(RoleIndex role) { return standings[role.value]; }
  [[nodiscard]] Attempt* live_attempt(TaskId id);
  [[nodiscard]] Attempt* find_live(AttemptId id);
  [[nodiscard]] Container* find_container(const ContainerId& id);
  [[nodiscard]] bool stopping() const { return state.phase >= JobPhase::Stopping; }
  void move(Container& container, ContainerState to);
  void move(Attempt& attempt, AttemptState to);
  void move(Task& task, TaskState to);
  void move(JobPhase to);
  void step(std::string_view name);
  template <class A>
  void emit(A action) {
    out.emplace_back(std::in_place_type<A>, std::move(action));
  }

  // requests.cc
  void want(TaskId id, Placement placement);
  void poke(TaskId id) { pokes.push_back(id); }
  void run_pokes();
  void ask_for(std::span<const TaskId> tasks);
  [[nodiscard]] RequestContainer ask_of(const Request& request) const;
  void watch_for_return(const RequestContainer& ask, TaskId asking);
  [[nodiscard]] std::vector<TaskId> asking_elsewhere(const HostName& host) const;
  void put_asks();
  [[nodiscard]] bool waits_for_mates(TaskId id);
  void unask(TaskId id);
  [[nodiscard]] Resources resources_of(RoleIndex role, size_t tasks) const;

  // containers.cc
  void take_in_unwanted(const ContainerGranted& granted);
  void take_in_ended(RequestId id);
  void drain(Container& container);
  void leave_home(TaskId id);
  using MakeCause = std::function<Cause(TaskId, const Attempt&)>;
  void lose(Container& container, bool gone, const MakeCause& make);
  void lose_host(const HostName& host);
  void became_ready(Container& container, const std::string& address);

  // attempts.cc
  void place(TaskId id, Container& container, uint32_t slot);
  void prepare(TaskId id, Attempt& attempt);
  void joined(TaskId id, Attempt& attempt, const Address& address);
  void end(TaskId id, Attempt& attempt, std::optional<Exit> exit,
           TaskState to = TaskState::Waiting);
  void take_in_end(TaskId id, Attempt& attempt, const Exit& exit);
  void stopped_as_told(TaskId id, Attempt& attempt);
  void tell_to_stop(std::span<const Move> moves);
  void note_started(TaskId id);

  // barrier.cc
  Cohort& new_cohort(bool gang);
  void enter(Cohort& cohort, TaskId id);
  void leave_cohort(TaskId id);
  void count_granted(TaskId id, bool granted);
  void count_joined(TaskId id, bool joined);
  [[nodiscard]] uint32_t needed(const Cohort& cohort, const Cohort::Share& share) const;
  void watch_gathering(Cohort& cohort);
  void open_if_complete(uint32_t cohort_id);
  void open(Cohort cohort);
  void take_starts_along();
  void form_view(const std::vector<TaskId>& starting);
  void describe_wait();
  struct Tally {
    uint32_t all = 0;  ///< Tasks that it needs.
    uint32_t granted = 0;
    uint32_t joined = 0;
    std::string what;  ///< "worker tasks"
  };
  [[nodiscard]] Tally tally(const Cohort& cohort) const;
  [[nodiscard]] std::string describe_cohort(const Cohort& cohort) const;
  [[nodiscard]] std::string lack_of(const Cohort& cohort) const;

  // restart.cc
  /// Returns how many tasks it brings back, those of `moves` included.
  size_t restart(std::vector<Move> moves, Duration wait);
  void widen_to_gang(std::vector<Move>& moves);
  void absorb_losses(std::vector<Move>& moves);
  void gather_stragglers(Cohort& gang);
  void start_over(const Cause& cause);
  void note_restart(Rung rung, const Cause& cause, Duration wait, size_t others);
  [[nodiscard]] bool charge(Rung rung, TaskId id);
  [[nodiscard]] Duration wait_of(TaskId id);
  void bring_back(const Move& move, Cohort* gang, DeadlineId backoff);
  [[nodiscard]] bool keeps_address(TaskId id, const Address& address) const;
  bool regroup(std::vector<Move> moves, std::optional<TaskId> newcomer = {});

  // blame.cc
  void failed(Cause cause);
  void settle(Cause origin, std::vector<Cause> victims);
  void settle_losses();
  void decide(const Cause& origin, const std::vector<Cause>& victims);
  [[nodiscard]] bool repeats_itself(const Cause& origin) const;
  void set_part(const Cause& cause, Part part);
  void failed_together(std::vector<Cause> causes);

  // success.cc
  void succeeded(TaskId id);
  void give_up(const Cause& origin, const std::vector<Cause>& victims);
  void abandon(TaskId id, TaskState to);
  void fail_job(const Cause& cause, std::string_view why);
  void end_well(uint32_t failed, uint32_t counted);
  [[nodiscard]] bool counts(RoleIndex role) const;
  void review();
  [[nodiscard]] bool review_completion();
  void review_group_deadlines();
  void latch(TaskId id);

  // stages.cc
  void admit_roles();
  [[nodiscard]] bool met(const After& after) const;
  [[nodiscard]] bool never_met(const After& after) const;
  void admit(const std::vector<RoleIndex>& roles);
  void cannot_run(RoleIndex role, const After& after);

  // elastic.cc
  [[nodiscard]] bool can_shrink(RoleIndex role);
  void note_leaving(TaskId id);
  void stop_growing(RoleIndex role);

  // stopping.cc
  void begin_stop();
  void after_the_end(const Fact& fact);
  void stop_next_level();
  [[nodiscard]] uint32_t live_in_level() const;
  void advance_stop();
  void force_stop();
  void finish();

  // deadlines.cc
  DeadlineId set_deadline(Pending what);
  void move_deadline(DeadlineId id, Time at);
  void clear(DeadlineId& id);
  void passed(const Pending& what);
  void fail_by_deadline(std::string_view name, Duration patience, std::string_view what_not);
  void join_passed(const Pending& what);
  void gather_passed(const Pending& what);
  void stop_passed(const Pending& what);
  void backoff_passed(DeadlineId id, const Pending& what);
  void group_passed(const Pending& what);
  void blame_passed();

  // hold.cc
  void watch_hold(Cohort& cohort);
  void give_back(Cohort& cohort);
  void regather(Cohort& cohort);
  [[nodiscard]] bool headroom_suffices(const Cohort& cohort) const;

  // recovery.cc
  void reconcile(TaskId id, Attempt& attempt, const AttemptReport& report);
  void reconcile_missing(TaskId id, Attempt& attempt);
  void reconcile_stranger(const Container& container, const AttemptReport& report);
};

}  // namespace muster::job
