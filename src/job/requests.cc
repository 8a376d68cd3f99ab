#include "job/machine_impl.h"
#include "job/side_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

/// Asks for containers: what is wanted becomes requests, and the cluster's refusals.
namespace muster::job {

void Machine::Impl::want(TaskId id, Placement placement) {
  Intent& next = intent(id);
  next.wanted = true;
  next.placement = placement;
  if (next.cohort == 0) {
    enter(new_cohort(false), id);
  }
  poke(id);
}

void Machine::Impl::run_pokes() {
  for (const TaskId id : std::exchange(pokes, {})) {
    Intent& next = intent(id);
    if (!next.wanted || next.backoff.value != 0 || next.request.value != 0 ||
        live_attempt(id) != nullptr) {
      continue;
    }
    const auto cohort = cohorts.find(next.cohort);
    if (cohort != cohorts.end() && cohort->second.regather.value != 0) {
      continue;
    }
    if (next.placement == Placement::SameSlot && next.at_home) {
      const Attempt& last = task(id).attempts.back();
      place(id, *find_container(last.container), last.slot);
      continue;
    }
    leave_home(id);
    if (!waits_for_mates(id)) {
      asks.push_back(id);
    }
  }
  put_asks();
}

// Somebody who shared its container leaves it too, but has not ended yet: they ask together, and
// stay together.
bool Machine::Impl::waits_for_mates(TaskId id) {
  if (plan.role(id.role).tasks_per_container < 2 || task(id).attempts.empty()) {
    return false;
  }
  const Container& before = *find_container(task(id).attempts.back().container);
  return std::ranges::any_of(before.tasks, [&](TaskId mate) {
    const Attempt* attempt = live_attempt(mate);
    return intent(mate).leaves && attempt != nullptr && attempt->container == before.id;
  });
}

// Tasks of one role that need containers at the same moment share them as far as the role allows.
void Machine::Impl::put_asks() {
  const bool first = request_count == 0 && !asks.empty();
  std::ranges::sort(asks);
  const auto twice = std::ranges::unique(asks);
  asks.erase(twice.begin(), twice.end());
  for (size_t from = 0; from < asks.size();) {
    const RoleIndex role = asks[from].role;
    const size_t room = std::max(1U, plan.role(role).tasks_per_container);
    size_t to = from + 1;
    while (to < asks.size() && to - from < room && asks[to].role == role) {
      ++to;
    }
    ask_for(std::span(asks).subspan(from, to - from));
    from = to;
  }
  if (first) {
    step("asked");
  }
  if (first && plan.deadlines.queue) {
    queue = set_deadline({.kind = DeadlineKind::Queue,
                          .at = now + *plan.deadlines.queue,
                          .waits_for = "the first container"});
  }
  for (const TaskId id : std::exchange(asks, {})) {
    if (const auto cohort = cohorts.find(intent(id).cohort); cohort != cohorts.end()) {
      watch_gathering(cohort->second);
    }
  }
}

void Machine::Impl::ask_for(std::span<const TaskId> tasks) {
  const RequestId id(++request_count);
  for (const TaskId asked : tasks) {
    intent(asked).request = id;
  }
  const auto [request, inserted] =
      state.requests.emplace(id, Request{.id = id,
                                         .role = tasks.front().role,
                                         .tasks = {tasks.begin(), tasks.end()},
                                         .asked = now});
  wait_changed = true;
  RequestContainer ask = ask_of(request->second);
  watch_for_return(ask, tasks.front());
  emit(std::move(ask));
}

// The host that an ask leaves out may be the only one with room once it is back, and an ask that is
// out is not looked at again by itself.
void Machine::Impl::watch_for_return(const RequestContainer& ask, TaskId asking) {
  const auto back = avoided.next_return(ask.avoid, now, plan.role(ask.role).restart.window);
  if (!back) {
    return;
  }
  if (host_return.value == 0) {
    host_return = set_deadline({.kind = DeadlineKind::Ask,
                                .at = *back,
                                .waits_for = "a host that was away to be asked again"});
  }
  pending.at(host_return).tasks.push_back(asking);
}

RequestContainer Machine::Impl::ask_of(const Request& request) const {
  const RolePlan& role = plan.role(request.role);
  RequestContainer ask;
  ask.request = request.id;
  ask.role = request.role;
  ask.resources = resources_of(request.role, request.tasks.size());
  if (std::ranges::any_of(request.tasks, [&](TaskId id) { return has_side_program(plan, id); })) {
    ask.resources.memory_bytes += kSideProgramMemoryBytes;
  }
  ask.node_label = role.node_label;
  ask.avoid = avoided.list(now, role.restart.window, plan.avoid_share_max_percent);
  if (role.membership != spec::Membership::Rejoin) {
    return ask;
  }
  for (const TaskId id : request.tasks) {
    const std::vector<Attempt>& attempts = state.task(id).attempts;
    // Only where it was can a task get its address back.
    if (!attempts.empty() &&
        std::ranges::find(ask.avoid, attempts.back().host) == ask.avoid.end() &&
        std::ranges::find(ask.prefer, attempts.back().host) == ask.prefer.end()) {
      ask.prefer.push_back(attempts.back().host);
    }
  }
  return ask;
}

// One task of each open ask that the host is left out of.
std::vector<TaskId> Machine::Impl::asking_elsewhere(const HostName& host) const {
  std::vector<TaskId> tasks;
  for (const auto& [id, request] : state.requests) {
    if (!request.cancelled && std::ranges::count(ask_of(request).avoid, host) > 0) {
      tasks.push_back(request.tasks.front());
    }
  }
  return tasks;
}

Resources Machine::Impl::resources_of(RoleIndex role, size_t tasks) const {
  Resources sum = plan.role(role).resources;
  sum.memory_bytes = sum.memory_bytes * tasks + kAgentMemoryBytes;
  sum.vcores *= static_cast<uint32_t>(tasks);
  sum.gpus *= static_cast<uint32_t>(tasks);
  for (auto& [name, amount] : sum.other) {
    amount *= tasks;
  }
  return sum;
}

void Machine::Impl::unask(TaskId id) {
  const auto found = state.requests.find(intent(id).request);
  if (found == state.requests.end()) {
    return;
  }
  Request& request = found->second;
  request.cancelled = true;
  emit(CancelRequest{request.id});
  for (const TaskId mate : request.tasks) {
    intent(mate).request = {};
    poke(mate);
  }
}

void Machine::Impl::on(const RequestRefused& refused) {
  const auto found = state.requests.find(refused.request);
  if (found == state.requests.end()) {
    return;
  }
  const Request request = std::move(found->second);
  state.requests.erase(found);
  if (request.cancelled || stopping()) {
    return;
  }
  bool grows = true;
  for (const TaskId id : request.tasks) {
    intent(id).request = {};
    const auto cohort = cohorts.find(intent(id).cohort);
    grows = grows && cohort != cohorts.end() && cohort->second.grows;
  }
  const std::string& role_name = plan.role(request.role).name;
  if (refused.kind != RefusalKind::Transient) {
    if (grows) {
      for (const TaskId id : request.tasks) {
        abandon(id, TaskState::Stopped);
      }
      return;
    }
    decided = Outcome{.result = JobResult::Failed,
                      .reason = OutcomeReason::Refused,
                      .class_name = "cluster.refused",
                      .message = fmt::format("the cluster refused a container for {}: {}",
                                             role_name, refused.reason)};
    return;
  }
  const uint32_t nth = ++standing(request.role).refusals;
  const RestartBudget& budget = plan.role(request.role).restart;
  // Without a back-off for restarts a refusal still waits: the cluster was asked only now.
  const Duration low = std::max<Duration>(budget.backoff_low, std::chrono::seconds(1));
  const Duration wait = backoff_of(low, std::max(low, budget.backoff_high), nth,
                                   jitter_bits(plan.seed, request.id.value, nth));
  const DeadlineId backoff =
      set_deadline({.kind = DeadlineKind::Ask,
                    .at = now + wait,
                    .waits_for = fmt::format("asking again for {}: {}", role_name, refused.reason),
                    .tasks = request.tasks});
  for (const TaskId id : request.tasks) {
    intent(id).backoff = backoff;
  }
}

void Machine::Impl::on(const HeadroomReported& headroom) {
  state.headroom = headroom;
  avoided.cluster_has(headroom.hosts);
}

}  // namespace muster::job
