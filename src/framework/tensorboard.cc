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

std::string logdir_of(const spec::Tensorboard& tensorboard, std::string_view checkpoint_dir) {
  std::string logdir = tensorboard.logdir;
  constexpr std::string_view kVariable = "$MUSTER_CHECKPOINT_DIR";
  if (const size_t at = logdir.find(kVariable); at != std::string::npos) {
    logdir.replace(at, kVariable.size(), checkpoint_dir);
  }
  return logdir;
}

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
