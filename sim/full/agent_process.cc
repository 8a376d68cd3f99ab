#include "sim/full/agent_process.h"

#include "base/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace muster::sim {
namespace {

/// Returns the attempt whose folder or log this is: "worker-1.2" is one part of the path.
std::optional<job::AttemptId> attempt_of(const job::Plan& plan, const os::Path& path) {
  for (const os::Path& part : path) {
    const std::string name = part.string();
    const size_t dash = name.rfind('-');
    const size_t dot = name.find('.', dash == std::string::npos ? 0 : dash);
    if (dash == std::string::npos || dot == std::string::npos) {
      continue;
    }
    const auto role = std::ranges::find(plan.roles, name.substr(0, dash), &job::RolePlan::name);
    uint32_t index = 0;
    uint32_t number = 0;
    std::from_chars(name.data() + dash + 1, name.data() + dot, index);
    std::from_chars(name.data() + dot + 1, name.data() + name.size(), number);
    if (role != plan.roles.end() && number > 0) {
      return job::AttemptId{
          {job::RoleIndex{static_cast<uint16_t>(role - plan.roles.begin())}, index}, number};
    }
  }
  return std::nullopt;
}

}  // namespace

std::string agent_name(const job::ContainerId& container) { return "agent." + container.value; }

AgentProcess::AgentProcess(Around around, const cluster::LaunchOrder& order)
    : around_(std::move(around)),
      container_(order.container),
      host_(order.host),
      name_(agent_name(order.container)),
      loop_(around_.programs.world, around_.pace),
      transport_(around_.network, name_, &loop_),
      files_(around_.tree),
      programs_(around_.programs, loop_, order.container, order.host),
      ports_(around_.programs.faults, around_.ports,
             [this] { around_.programs.truth.origin_containers.insert(container_); }),
      meter_(
          [this](std::span<const os::Pid> processes) { return programs_.memory_of(processes); }) {
  files_.trouble = [this](const os::Path& path, testing::MemoryFiles::Access access) {
    return disk_trouble(path, access);
  };
  agent::AgentIdentity identity;
  identity.launch.order = order;
  identity.launch.job_folder = "/job";
  identity.launch.listen_host = order.host.value;
  identity.inherited = {{"PATH", "/usr/bin:/bin"}};
  identity.host_name = order.host.value;
  identity.version = "sim";
  agent_ = std::make_unique<agent::Agent>(
      agent::AgentDeps{loop_, transport_, files_, programs_, ports_, meter_, leftovers_,
                       around_.sink, around_.starter},
      std::move(identity),
      [](const std::filesystem::path&, const std::filesystem::path&) { return Status{}; },
      [this](const std::string&) {
        around_.programs.world.after({}, [left = around_.left, id = container_] { left(id); });
      });
  const Status started = agent_->start();
  MUSTER_CHECK(started.has_value(), "an agent of the simulator starts");
}

AgentProcess::~AgentProcess() { die(TrueEnd::Stopped); }

void AgentProcess::die(TrueEnd how) {
  if (agent_ == nullptr) {
    return;
  }
  programs_.die(how);
  loop_.kill();
  agent_.reset();
}

Status AgentProcess::disk_trouble(const os::Path& path, testing::MemoryFiles::Access access) {
  Faults& faults = around_.programs.faults;
  const bool work = std::ranges::find(path, os::Path("work")) != path.end();
  const bool placing = work && faults.strikes(Fault::PrepareFails);
  const bool full =
      access == testing::MemoryFiles::Access::Write && faults.strikes(Fault::DiskFull);
  if (!placing && !full) {
    return {};
  }
  Truth& truth = around_.programs.truth;
  if (const auto attempt = attempt_of(around_.programs.plan, path)) {
    truth.origins.insert(*attempt);
  }
  truth.origin_containers.insert(container_);
  return cluster_error(fmt::format("{}: No space left on device", path.string()), Errc::OutOfSpace);
}

}  // namespace muster::sim
