#include "job/parts/container_facts.h"

#include "job/parts/machine_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace muster::job {

void ContainerFacts::take(const ContainerGranted& granted) {
  if (parts_.lives.find(granted.container) != nullptr) {
    return;
  }
  parts_.asks.saw(granted.host);
  const std::optional<Request> request = parts_.asks.answered(granted.request);
  const bool wanted = request && !request->cancelled && !parts_.lives.stopping();
  if (parts_.places.take_ended_unseen(granted.container)) {
    if (wanted) {
      parts_.asks.put_back(*request);
    }
    return;
  }
  if (!wanted) {
    parts_.places.take_in_unwanted(granted);
    return;
  }
  const Container& container = parts_.lives.grant(granted);
  parts_.lives.assign(container, request->role, request->tasks);
  parts_.asks.accepted(request->role);
  parts_.state.chronicle.reach("first container", parts_.turn.now);
  parts_.turn.act(LaunchAgent{granted.container});
  parts_.lives.move(container, ContainerState::Launching);
  for (uint32_t slot = 0; slot < request->tasks.size(); ++slot) {
    parts_.attempts.place(request->tasks[slot], container, slot);
  }
}

void ContainerFacts::take(const RequestRefused& refused) {
  const std::optional<Request> request = parts_.asks.answered(refused.request);
  if (!request || request->cancelled || parts_.lives.stopping()) {
    return;
  }
  if (refused.kind == RefusalKind::Transient) {
    parts_.asks.ask_later(*request, refused.reason);
    return;
  }
  parts_.asks.put_back(*request);
  const bool grows = std::ranges::all_of(request->tasks, [&](TaskId id) {
    const Cohort* cohort = parts_.gangs.cohort_of(id);
    return cohort != nullptr && cohort->grows;
  });
  if (grows) {
    for (const TaskId id : request->tasks) {
      parts_.attempts.abandon(id, TaskState::Stopped);
    }
    return;
  }
  parts_.roles.decide({.result = JobResult::Failed,
                       .reason = OutcomeReason::Refused,
                       .class_name = "cluster.refused",
                       .message = fmt::format("the cluster refused a container for {}: {}",
                                              parts_.plan.role(request->role).name, refused.reason),
                       .first_cause = std::nullopt});
}

void ContainerFacts::take(const LaunchFailed& failed) {
  const Container* container = parts_.lives.find(failed.container);
  if (container != nullptr && container->state == ContainerState::Launching) {
    parts_.failures.lose(*container, false, [&](TaskId id, const Attempt& attempt) {
      return cause_of_launch(id, attempt, failed.reason, parts_.turn.now);
    });
  }
}

void ContainerFacts::take(const AgentJoined& joined) {
  const Container* container = parts_.lives.find(joined.container);
  if (container == nullptr || container->state == ContainerState::Draining ||
      container->state == ContainerState::Gone) {
    parts_.turn.act(ReleaseContainer{joined.container});
    return;
  }
  parts_.attempts.agent_ready(*container, joined.address);
}

void ContainerFacts::take(const AgentSuspected& suspected) {
  const Container* container = parts_.lives.find(suspected.container);
  if (container != nullptr && container->state != ContainerState::Gone) {
    parts_.lives.suspect(*container, true);
  }
}

void ContainerFacts::take(const AgentLost& lost) {
  const Container* container = parts_.lives.find(lost.container);
  if (container != nullptr && container->state != ContainerState::Gone) {
    parts_.failures.lose(*container, false, [&](TaskId id, const Attempt& attempt) {
      return cause_of_loss(id, attempt, lost.reason, parts_.turn.now);
    });
  }
}

void ContainerFacts::take(const ContainerEnded& ended) {
  const Container* container = parts_.lives.find(ended.container);
  if (container == nullptr) {
    parts_.places.ended_unseen(ended.container);
  } else if (container->state != ContainerState::Gone) {
    parts_.failures.lose(*container, true, [&](TaskId id, const Attempt& attempt) {
      return cause_of_end(id, attempt, ended, parts_.turn.now);
    });
  }
}

void ContainerFacts::take(const HostReported& reported) {
  parts_.asks.report(reported);
  if (reported.health != HostHealth::Lost) {
    return;
  }
  for (const auto& [id, container] : parts_.lives.state().containers) {
    if (container.host == reported.host && container.state != ContainerState::Gone) {
      parts_.failures.lose(container, true, [&](TaskId task, const Attempt& attempt) {
        return cause_of_end(task, attempt, {.container = id, .kind = ContainerEndKind::HostLost},
                            parts_.turn.now);
      });
    }
  }
}

}  // namespace muster::job
