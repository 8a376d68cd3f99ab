#include "job/parts/asks.h"

#include "job/chronicle.h"
#include "job/parts/budget.h"
#include "job/parts/gangs.h"
#include "job/parts/lives.h"
#include "job/parts/places.h"
#include "job/side_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace muster::job {
namespace {

/// How long an ask waits before it takes hosts that earlier jobs speak ill of.
constexpr Duration kPardonAfter = std::chrono::minutes(5);

}  // namespace

Asks::Asks(const Deps& deps, Gangs& gangs, Places& places, std::map<RequestId, Request>& requests)
    : plan_(deps.plan),
      turn_(deps.turn),
      timers_(deps.timers),
      lives_(deps.lives),
      chronicle_(deps.chronicle),
      gangs_(gangs),
      places_(places),
      requests_(requests),
      wishes_(deps.plan),
      refusals_(deps.plan.roles.size()) {
  avoided_.foretell(plan_.hosts_to_avoid);
}

void Asks::want(TaskId id, Placement placement) {
  wishes_[id].wanted = true;
  wishes_[id].placement = placement;
  gangs_.enter_alone(id);
  poke(id);
}

void Asks::placed(TaskId id) {
  wishes_[id].wanted = false;
  wishes_[id].request = {};
}

void Asks::withdraw(TaskId id) {
  wishes_[id].wanted = false;
  wishes_[id].backoff = {};
  cancel(id);
}

void Asks::waited(DeadlineId timer, std::span<const TaskId> tasks) {
  for (const TaskId id : tasks) {
    if (wishes_[id].backoff == timer) {
      wishes_[id].backoff = {};
      poke(id);
    }
  }
}

void Asks::cancel(TaskId id) {
  const auto found = requests_.find(wishes_[id].request);
  if (found == requests_.end()) {
    return;
  }
  Request& request = found->second;
  request.cancelled = true;
  turn_.act(CancelRequest{request.id});
  put_back(request);
}

void Asks::cancel_all() {
  for (auto& [id, request] : requests_) {
    if (!request.cancelled) {
      request.cancelled = true;
      turn_.act(CancelRequest{id});
    }
  }
  wishes_.for_each([](Wish& wish) {
    wish.wanted = false;
    wish.backoff = {};
    wish.request = {};
  });
}

void Asks::poke(std::span<const TaskId> tasks) {
  pokes_.insert(pokes_.end(), tasks.begin(), tasks.end());
}

Asks::Step Asks::next_step(TaskId id) const {
  const Wish& wish = wishes_[id];
  if (!wish.wanted || wish.backoff.value != 0 || wish.request.value != 0 ||
      lives_.live(id) != nullptr) {
    return Step::Nothing;
  }
  const Cohort* cohort = gangs_.cohort_of(id);
  if (cohort != nullptr && cohort->regather.is_set()) {
    return Step::Nothing;
  }
  const bool stays = wish.placement == Placement::SameSlot && places_.of(id).at_home;
  return stays ? Step::Place : Step::AskContainer;
}

bool Asks::waits_for_mates(TaskId id) const {
  return plan_.role(id.role).tasks_per_container > 1 && !lives_.task(id).attempts.empty() &&
         places_.mates_leave(id);
}

void Asks::ask_for(std::vector<TaskId> tasks) {
  const bool first = count_ == 0 && !tasks.empty();
  std::ranges::sort(tasks);
  const auto twice = std::ranges::unique(tasks);
  tasks.erase(twice.begin(), twice.end());
  for (size_t from = 0; from < tasks.size();) {
    const RoleIndex role = tasks[from].role;
    const size_t room = std::max(1U, plan_.role(role).tasks_per_container);
    size_t to = from + 1;
    while (to < tasks.size() && to - from < room && tasks[to].role == role) {
      ++to;
    }
    make(std::span(tasks).subspan(from, to - from));
    from = to;
  }
  if (first) {
    chronicle_.reach("asked", turn_.now);
  }
  if (first && plan_.deadlines.queue) {
    queue_ = timers_.set(QueueTimer{}, turn_.now + *plan_.deadlines.queue, "the first container");
  }
  for (const TaskId id : tasks) {
    gangs_.asked(id);
  }
}

void Asks::make(std::span<const TaskId> tasks) {
  const RequestId id(++count_);
  for (const TaskId asked : tasks) {
    wishes_[asked].request = id;
  }
  const auto [request, inserted] =
      requests_.emplace(id, Request{.id = id,
                                    .role = tasks.front().role,
                                    .tasks = {tasks.begin(), tasks.end()},
                                    .asked = turn_.now});
  turn_.wait_changed = true;
  RequestContainer ask = action_of(request->second);
  watch_for_return(ask, tasks.front());
  watch_for_pardon();
  turn_.act(std::move(ask));
}

RequestContainer Asks::action_of(const Request& request) const {
  const RolePlan& role = plan_.role(request.role);
  RequestContainer ask;
  ask.request = request.id;
  ask.role = request.role;
  ask.resources = resources_of(plan_, request.role, request.tasks.size());
  if (std::ranges::any_of(request.tasks, [&](TaskId id) { return has_side_program(plan_, id); })) {
    ask.resources.memory_bytes += kSideProgramMemoryBytes;
  }
  ask.node_label = role.node_label;
  ask.avoid = avoided_.list(turn_.now, role.restart.window, plan_.avoid_share_max_percent);
  if (role.membership != spec::Membership::Rejoin) {
    return ask;
  }
  for (const TaskId id : request.tasks) {
    const std::vector<Attempt>& attempts = lives_.task(id).attempts;
    // Only where it was can a task get its address back.
    if (!attempts.empty() &&
        std::ranges::find(ask.avoid, attempts.back().host) == ask.avoid.end() &&
        std::ranges::find(ask.prefer, attempts.back().host) == ask.prefer.end()) {
      ask.prefer.push_back(attempts.back().host);
    }
  }
  return ask;
}

// The host that an ask leaves out may be the only one with room once it is back, and an open ask is
// not looked at again by itself.
void Asks::watch_for_return(const RequestContainer& ask, TaskId asking) {
  const auto back = avoided_.next_return(ask.avoid, turn_.now, plan_.role(ask.role).restart.window);
  if (!back) {
    return;
  }
  if (!host_return_.is_set()) {
    host_return_ = timers_.set(HostReturnTimer{}, *back, "a host that was away to be asked again");
  }
  timers_.purpose_of(host_return_).tasks.push_back(asking);
}

// Those that ask again leave out whoever is still to be avoided.
void Asks::host_return_passed(std::span<const TaskId> asking) {
  host_return_ = {};
  for (const TaskId id : asking) {
    cancel(id);
  }
}

// Only these hosts may have what the job needs, or room for it.
void Asks::watch_for_pardon() {
  if (pardon_.is_set() || !avoided_.has_foretold()) {
    return;
  }
  std::optional<Time> oldest;
  for (const auto& [id, request] : requests_) {
    if (!request.cancelled && (!oldest || request.asked < *oldest)) {
      oldest = request.asked;
    }
  }
  if (oldest) {
    pardon_ = timers_.set(PardonTimer{}, *oldest + kPardonAfter,
                          "a container on a host that did no harm to earlier jobs");
  }
}

void Asks::pardon_passed() {
  pardon_ = {};
  const bool long_since = std::ranges::any_of(requests_, [this](const auto& entry) {
    return !entry.second.cancelled && turn_.now - entry.second.asked >= kPardonAfter;
  });
  if (long_since) {
    avoid_fewer([this] { avoided_.pardon(); });
  }
  watch_for_pardon();
}

void Asks::cluster_has(uint32_t hosts) {
  if (!avoided_.has_foretold()) {
    avoided_.cluster_has(hosts);
    return;
  }
  avoid_fewer([&] { avoided_.cluster_has(hosts); });
}

template <class Change>
void Asks::avoid_fewer(const Change& change) {
  std::vector<std::pair<TaskId, size_t>> open;  // One task of each ask, and how many it leaves out.
  for (const auto& [id, request] : requests_) {
    if (!request.cancelled) {
      open.emplace_back(request.tasks.front(), action_of(request).avoid.size());
    }
  }
  change();
  for (const auto& [task, avoided] : open) {
    const auto request = requests_.find(wishes_[task].request);
    if (request != requests_.end() && action_of(request->second).avoid.size() < avoided) {
      cancel(task);
    }
  }
}

std::optional<Request> Asks::answered(RequestId id) {
  auto found = requests_.extract(id);
  return found.empty() ? std::nullopt : std::optional(std::move(found.mapped()));
}

void Asks::accepted(RoleIndex role) {
  refusals_[role.value] = 0;
  timers_.clear(queue_);
}

void Asks::put_back(const Request& request) {
  for (const TaskId id : request.tasks) {
    wishes_[id].request = {};
    poke(id);
  }
}

void Asks::ask_later(const Request& request, const std::string& reason) {
  const uint32_t nth = ++refusals_[request.role.value];
  const RestartBudget& budget = plan_.role(request.role).restart;
  // Without a back-off for restarts a refusal still waits: the cluster was asked only now.
  const Duration low = std::max<Duration>(budget.backoff_low, std::chrono::seconds(1));
  const Duration wait = backoff_of(low, std::max(low, budget.backoff_high), nth,
                                   jitter_bits(plan_.seed, request.id.value, nth));
  const Timer<AskTimer> timer =
      timers_.set(AskTimer{request.tasks}, turn_.now + wait,
                  fmt::format("asking again for {}: {}", plan_.role(request.role).name, reason));
  for (const TaskId id : request.tasks) {
    wishes_[id].request = {};
    wishes_[id].backoff = timer.id;
  }
}

void Asks::tell_again() const {
  for (const auto& [id, request] : requests_) {
    if (request.cancelled) {
      turn_.act(CancelRequest{id});
    } else {
      turn_.act(action_of(request));
    }
  }
}

void Asks::avoid(const HostName& host, Harm harm) { avoided_.note(host, turn_.now, harm); }

void Asks::report(const HostReported& reported) {
  std::vector<TaskId> elsewhere;  // One task of each open ask that the host is left out of.
  for (const auto& [id, request] : requests_) {
    if (reported.health == HostHealth::Healthy && !request.cancelled &&
        std::ranges::count(action_of(request).avoid, reported.host) > 0) {
      elsewhere.push_back(request.tasks.front());
    }
  }
  avoided_.report(reported.host, reported.health);
  for (const TaskId id : elsewhere) {
    cancel(id);  // They ask again, and this host may be the only one with room.
  }
}

}  // namespace muster::job
