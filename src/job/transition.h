#pragma once

#include "job/state.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

/// The tables behind the diagrams in state.h. Every change of a life cycle goes through `allowed`;
/// a test reads the diagrams and compares.
namespace muster::job {

template <class S>
struct Transition {
  uint8_t number;
  S from;
  S to;
};

inline constexpr std::array kContainerTransitions = {
    Transition{1, ContainerState::Granted, ContainerState::Launching},
    Transition{2, ContainerState::Granted, ContainerState::Draining},
    Transition{3, ContainerState::Launching, ContainerState::Ready},
    Transition{4, ContainerState::Launching, ContainerState::Draining},
    Transition{5, ContainerState::Launching, ContainerState::Gone},
    Transition{6, ContainerState::Ready, ContainerState::Draining},
    Transition{7, ContainerState::Ready, ContainerState::Gone},
    Transition{8, ContainerState::Draining, ContainerState::Gone},
};

inline constexpr std::array kAttemptTransitions = {
    Transition{1, AttemptState::Placed, AttemptState::Joined},
    Transition{2, AttemptState::Placed, AttemptState::Stopping},
    Transition{3, AttemptState::Placed, AttemptState::Ended},
    Transition{4, AttemptState::Joined, AttemptState::Running},
    Transition{5, AttemptState::Joined, AttemptState::Stopping},
    Transition{6, AttemptState::Joined, AttemptState::Ended},
    Transition{7, AttemptState::Running, AttemptState::Stopping},
    Transition{8, AttemptState::Running, AttemptState::Ended},
    Transition{9, AttemptState::Stopping, AttemptState::Ended},
};

inline constexpr std::array kTaskTransitions = {
    Transition{1, TaskState::Waiting, TaskState::Active},
    Transition{2, TaskState::Active, TaskState::Waiting},
    Transition{3, TaskState::Active, TaskState::Succeeded},
    Transition{4, TaskState::Active, TaskState::Stopped},
    Transition{5, TaskState::Waiting, TaskState::Failed},
    Transition{6, TaskState::Waiting, TaskState::Stopped},
    Transition{7, TaskState::Succeeded, TaskState::Waiting},
    Transition{8, TaskState::Failed, TaskState::Waiting},
};

inline constexpr std::array kPhaseTransitions = {
    Transition{1, JobPhase::Gathering, JobPhase::Running},
    Transition{2, JobPhase::Running, JobPhase::Gathering},
    Transition{3, JobPhase::Gathering, JobPhase::Stopping},
    Transition{4, JobPhase::Running, JobPhase::Stopping},
    Transition{5, JobPhase::Stopping, JobPhase::Ended},
};

/// Returns the row of `table` that leads from `from` to `to`, or N if there is none.
template <class S, size_t N>
[[nodiscard]] constexpr size_t row_of(const std::array<Transition<S>, N>& table, S from, S to) {
  const auto found = std::ranges::find_if(
      table, [&](const Transition<S>& row) { return row.from == from && row.to == to; });
  return static_cast<size_t>(found - table.begin());
}

/// How often each row was taken: for tests and probes.
struct TransitionCounts {
  std::array<uint32_t, kContainerTransitions.size()> container{};
  std::array<uint32_t, kAttemptTransitions.size()> attempt{};
  std::array<uint32_t, kTaskTransitions.size()> task{};
  std::array<uint32_t, kPhaseTransitions.size()> phase{};
};

}  // namespace muster::job
