#include "framework/tensorboard.h"

#include <algorithm>

namespace muster::framework {
namespace {

std::optional<job::TaskId> server_of(const job::Plan& plan) {
  if (const auto role = plan.find_role("tensorboard")) {
    return job::TaskId{*role, 0};
  }
  return plan.chief;
}

}  // namespace

bool serves_tensorboard(const job::Plan& plan, job::TaskId task) { return server_of(plan) == task; }

void add_tensorboard_port(job::Plan& plan) {
  const std::optional<job::TaskId> server = server_of(plan);
  if (!server) {
    return;
  }
  std::vector<std::string>& ports = plan.roles[server->role.value].ports;
  if (std::ranges::find(ports, kTensorboardPort) == ports.end()) {
    ports.emplace_back(kTensorboardPort);
  }
}

}  // namespace muster::framework
