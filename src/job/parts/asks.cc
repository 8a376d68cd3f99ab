#include "job/parts/asks.h"

#include "job/chronicle.h"
#include "job/parts/gangs.h"
#include "job/parts/lives.h"
#include "job/parts/places.h"
#include "job/side_program.h"

#include <algorithm>

namespace muster::job {

Asks::Asks(const Deps& deps, Gangs& gangs, Places& places, std::map<RequestId, Request>& requests)
    : plan_(deps.plan),
      turn_(deps.turn),
      lives_(deps.lives),
      chronicle_(deps.chronicle),
      gangs_(gangs),
      places_(places),
      requests_(requests),
      wishes_(deps.plan),
      hosts_(deps, requests),
      deadlines_(deps) {}

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
    deadlines_.begin_queue();
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
  hosts_.watch(ask, tasks.front());
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
  hosts_.choose(request, ask);
  return ask;
}

void Asks::make_anew(std::span<const TaskId> asking) {
  for (const TaskId id : asking) {
    cancel(id);
  }
}

void Asks::host_return_passed(std::span<const TaskId> asking) {
  hosts_.return_passed();
  make_anew(asking);
}

void Asks::pardon_passed() { make_anew(hosts_.pardon_passed()); }

void Asks::report(const HostReported& reported) { make_anew(hosts_.report(reported)); }

void Asks::cluster_has(uint32_t hosts) { make_anew(hosts_.cluster_has(hosts)); }

std::optional<Request> Asks::answered(RequestId id) {
  auto found = requests_.extract(id);
  return found.empty() ? std::nullopt : std::optional(std::move(found.mapped()));
}

void Asks::accepted(RoleIndex role) { deadlines_.granted(role); }

void Asks::put_back(const Request& request) {
  for (const TaskId id : request.tasks) {
    wishes_[id].request = {};
    poke(id);
  }
}

void Asks::ask_later(const Request& request, const std::string& reason) {
  const Timer<AskTimer> timer = deadlines_.refused(request, reason);
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

}  // namespace muster::job
