#pragma once

#include "base/strong.h"

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

namespace muster::job {

/// "digits-7f3k2q": unique per user and cluster; folder names, environment and pages use it.
using JobId = Strong<struct JobIdTag, std::string>;

/// A container, named by its cluster ("c3" on local, "container_e01_..." on YARN). Never used twice
/// in a job.
using ContainerId = Strong<struct ContainerIdTag, std::string>;

/// A host as its cluster names it ("h1", "node7.example.org").
using HostName = Strong<struct HostNameTag, std::string>;

/// One request for one container, counted from 1 by the machine.
using RequestId = Strong<struct RequestIdTag, uint32_t>;

/// One version of the membership, counted from 1. 0 means none yet.
using Generation = Strong<struct GenerationTag, uint32_t>;

/// One life of the master, counted from 1: a takeover raises it. Agents obey the highest they have
/// seen.
using Epoch = Strong<struct EpochTag, uint32_t>;

/// A timer that the machine set, counted from 1, never used twice.
using DeadlineId = Strong<struct DeadlineIdTag, uint32_t>;

/// A role's position in Plan::roles.
using RoleIndex = Strong<struct RoleIndexTag, uint16_t>;

/// One member of a role, `worker:3`: role by position, index from 0.
struct TaskId {
  RoleIndex role;
  uint32_t index = 0;
  auto operator<=>(const TaskId&) const = default;
};

/// One run of a task, `worker:3#2`: numbers count from 1 and are never used twice for a task.
struct AttemptId {
  TaskId task;
  uint32_t number = 0;
  auto operator<=>(const AttemptId&) const = default;
};

}  // namespace muster::job

template <>
struct std::hash<muster::job::TaskId> {
  size_t operator()(const muster::job::TaskId& task) const noexcept {
    return (static_cast<size_t>(task.role.value) << 32) | task.index;
  }
};

template <>
struct std::hash<muster::job::AttemptId> {
  size_t operator()(const muster::job::AttemptId& attempt) const noexcept {
    return std::hash<muster::job::TaskId>{}(attempt.task) * 0x9E3779B97F4A7C15ULL + attempt.number;
  }
};
