#include "base/check.h"
#include "job/machine_impl.h"

#include <algorithm>

/// Containers: granted, launched, ready, given back, lost.
namespace muster::job {

void Machine::Impl::on(const ContainerGranted& granted) {
  if (find_container(granted.container) != nullptr) {
    return;
  }
  avoided.saw(granted.host);
  if (ended_unseen.erase(granted.container) > 0) {
    take_in_ended(granted.request);
    return;
  }
  const auto found = state.requests.find(granted.request);
  if (found == state.requests.end() || found->second.cancelled || stopping()) {
    if (found != state.requests.end() && found->second.cancelled) {
      state.requests.erase(found);
    }
    take_in_unwanted(granted);
    return;
  }
  const Request request = std::move(found->second);
  state.requests.erase(found);
  Container& container = state.containers[granted.container];
  container.id = granted.container;
  container.role = request.role;
  container.host = granted.host;
  container.tasks = request.tasks;
  container.granted = now;
  ++containers_open;
  standing(request.role).refusals = 0;
  clear(queue);
  step("first container");
  emit(LaunchAgent{container.id});
  move(container, ContainerState::Launching);
  for (uint32_t slot = 0; slot < request.tasks.size(); ++slot) {
    intent(request.tasks[slot]).request = {};
    place(request.tasks[slot], container, slot);
  }
}

// Granted late or twice. It is written down all the same: after a takeover it is released again.
void Machine::Impl::take_in_unwanted(const ContainerGranted& granted) {
  Container& container = state.containers[granted.container];
  container.id = granted.container;
  container.host = granted.host;
  container.granted = now;
  ++containers_open;
  drain(container);
}

// The word of its end overtook that of its grant: the ask is used up, and put again.
void Machine::Impl::take_in_ended(RequestId id) {
  const auto found = state.requests.find(id);
  if (found == state.requests.end()) {
    return;
  }
  const Request request = std::move(found->second);
  state.requests.erase(found);
  for (const TaskId asked : request.tasks) {
    if (!request.cancelled && !stopping()) {
      intent(asked).request = {};
      poke(asked);
    }
  }
}

void Machine::Impl::drain(Container& container) {
  if (container.state == ContainerState::Draining || container.state == ContainerState::Gone) {
    return;
  }
  move(container, ContainerState::Draining);
  if (container.live == 0) {
    emit(ReleaseContainer{container.id});
  }
}

void Machine::Impl::leave_home(TaskId id) {
  Intent& next = intent(id);
  next.leaves = false;
  if (!next.at_home) {
    return;
  }
  next.at_home = false;
  note_leaving(id);
  Container* home = find_container(task(id).attempts.back().container);
  MUSTER_CHECK(home != nullptr && home->occupants > 0, "a task's place is a known container");
  if (--home->occupants == 0) {
    drain(*home);
  }
}

void Machine::Impl::on(const AgentJoined& joined) {
  Container* container = find_container(joined.container);
  if (container == nullptr || container->state == ContainerState::Draining ||
      container->state == ContainerState::Gone) {
    emit(ReleaseContainer{joined.container});
    return;
  }
  became_ready(*container, joined.address);
}

void Machine::Impl::became_ready(Container& container, const std::string& address) {
  if (container.state != ContainerState::Launching) {
    return;
  }
  container.agent_address = address;
  container.ready = now;
  move(container, ContainerState::Ready);
  for (const TaskId id : container.tasks) {
    Attempt* attempt = live_attempt(id);
    if (attempt != nullptr && attempt->container == container.id) {
      prepare(id, *attempt);
    }
  }
}

void Machine::Impl::on(const AgentSuspected& suspected) {
  Container* container = find_container(suspected.container);
  if (container != nullptr && container->state != ContainerState::Gone) {
    container->suspected = true;
  }
}

void Machine::Impl::on(const AgentLost& lost) {
  Container* container = find_container(lost.container);
  if (container == nullptr || container->state == ContainerState::Gone) {
    return;
  }
  lose(*container, false, [&](TaskId id, const Attempt& attempt) {
    return cause_of_loss(id, attempt, lost.reason, now);
  });
}

void Machine::Impl::on(const LaunchFailed& failure) {
  Container* container = find_container(failure.container);
  if (container == nullptr || container->state != ContainerState::Launching) {
    return;
  }
  lose(*container, false, [&](TaskId id, const Attempt& attempt) {
    return cause_of_launch(id, attempt, failure.reason, now);
  });
}

void Machine::Impl::on(const ContainerEnded& ended) {
  Container* container = find_container(ended.container);
  if (container == nullptr) {
    ended_unseen.insert(ended.container);
    return;
  }
  if (container->state == ContainerState::Gone) {
    return;
  }
  lose(*container, true,
       [&](TaskId id, const Attempt& attempt) { return cause_of_end(id, attempt, ended, now); });
}

void Machine::Impl::on(const HostReported& reported) {
  std::vector<TaskId> elsewhere;
  if (reported.health == HostHealth::Healthy) {
    elsewhere = asking_elsewhere(reported.host);
  }
  state.hosts[reported.host] = reported.health;
  avoided.report(reported.host, reported.health);
  for (const TaskId id : elsewhere) {
    unask(id);  // They ask again, and this host may be the only one with room.
  }
  if (reported.health == HostHealth::Lost) {
    lose_host(reported.host);
  }
}

void Machine::Impl::lose_host(const HostName& host) {
  for (auto& [id, container] : state.containers) {
    if (container.host == host && container.state != ContainerState::Gone) {
      lose(container, true, [&](TaskId task_id, const Attempt& attempt) {
        return cause_of_end(task_id, attempt,
                            {.container = container.id, .kind = ContainerEndKind::HostLost}, now);
      });
    }
  }
}

// The container is lost to us, `gone` if its cluster says so; else it is given back and may live on
// unseen until that is confirmed. The state changes first, so that nothing is placed there again.
void Machine::Impl::lose(Container& container, bool gone, const MakeCause& make) {
  container.suspected = false;
  if (gone) {
    move(container, ContainerState::Gone);
  } else {
    drain(container);
  }
  std::vector<Cause> causes;
  for (const TaskId id : container.tasks) {
    Intent& next = intent(id);
    std::vector<Attempt>& attempts = task(id).attempts;
    if (attempts.empty() || attempts.back().container != container.id) {
      continue;
    }
    if (next.at_home) {
      next.at_home = false;
      next.leaves = false;
      --container.occupants;
      note_leaving(id);
    }
    Attempt& attempt = attempts.back();
    if (attempt.state == AttemptState::Ended) {
      continue;
    }
    const bool told = attempt.state == AttemptState::Stopping;
    const Cause cause = make(id, attempt);
    end(id, attempt, std::nullopt);
    if (told || stopping()) {
      stopped_as_told(id, attempt);
    } else {
      causes.push_back(cause);
    }
  }
  MUSTER_CHECK(container.live == 0, "a lost container carries nothing");
  pokes.insert(pokes.end(), container.tasks.begin(), container.tasks.end());
  failed_together(std::move(causes));
}

}  // namespace muster::job
