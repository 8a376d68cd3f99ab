#include "framework/environment.h"

#include "framework/address_book.h"
#include "framework/framework.h"
#include "framework/tensorboard.h"
#include "framework/view_variables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace muster::framework {
namespace {

/// The kernel's limit for "NAME=value" with its final zero byte.
constexpr size_t kVariableBytesMax = 128 << 10;

void add_own(const Seat& seat, const std::string& view, Variables& variables) {
  variables["MUSTER_JOB_ID"] = seat.plan.job.value;
  variables["MUSTER_ROLE"] = seat.role.name;
  variables["MUSTER_INDEX"] = fmt::to_string(seat.self.task.index);
  variables["MUSTER_ATTEMPT"] = fmt::to_string(seat.self.attempt);
  variables["MUSTER_RESTARTS"] = fmt::to_string(seat.self.attempt - 1);
  variables["MUSTER_GENERATION"] = fmt::to_string(seat.view.generation.value);
  variables["MUSTER_CHECKPOINT_DIR"] = seat.context.checkpoint_dir;
  variables["MUSTER_PORT"] = fmt::to_string(seat.self.address.port);
  for (const auto& [name, port] : seat.self.address.named_ports) {
    variables[port_variable(name)] = fmt::to_string(port);
  }
  variables["MUSTER_VIEW_FILE"] = seat.context.view_file;
  if (view.size() <= kInlineBytesMax) {
    variables["MUSTER_VIEW"] = view;
  }
}

uint32_t tracked_tasks(const job::Plan& plan) {
  uint32_t count = 0;
  for (const job::RolePlan& role : plan.roles) {
    count += role.ranked || role.success != spec::Success::Ignored ? role.tasks : 0;
  }
  return count;
}

/// Adds the variables that programs written for TonY read.
void add_tony(const Seat& seat, Variables& variables) {
  const std::string& application =
      seat.context.application_id.empty() ? seat.plan.job.value : seat.context.application_id;
  const bool gang = seat.plan.barrier == spec::Barrier::Gang;
  variables["JOB_NAME"] = seat.role.name;
  variables["TASK_INDEX"] = fmt::to_string(seat.self.task.index);
  variables["TASK_NUM"] = fmt::to_string(tracked_tasks(seat.plan));
  variables["JOB_ID"] = application;
  variables["appid"] = application;
  variables["SESSION_ID"] = "0";
  // In TonY the attempt number of the master, which never changed.
  variables["ATTEMPT_NUMBER"] = "0";
  variables["DISTRIBUTED_MODE"] = gang ? "GANG" : "FCFS";
  if (seat.is_chief()) {
    variables["IS_CHIEF"] = "true";
  }
  if (seat.view.generation.value > 1) {
    variables["NUM_AM_RETRIES"] = fmt::to_string(seat.view.generation.value - 1);
  }
  if (gang) {
    std::string cluster =
        cluster_json(seat.plan, seat.view, Gaps::Skip, [](const job::RolePlan&) { return true; });
    if (cluster.size() <= kInlineBytesMax) {
      variables["CLUSTER_SPEC"] = std::move(cluster);
    }
  }
}

void add_tensorboard(const Seat& seat, const Framework& row, Variables& variables) {
  if (seat.plan.spec.tensorboard) {
    variables["TB_LOG_DIR"] = logdir_of(*seat.plan.spec.tensorboard, seat.context.checkpoint_dir);
  }
  // If TensorBoard itself runs next to the chief, the port is its own.
  const bool is_taken = seat.plan.spec.tensorboard && !seat.plan.find_role("tensorboard");
  const auto port = seat.self.address.named_ports.find(std::string(kTensorboardPort));
  if (row.has_tensorboard && !is_taken && port != seat.self.address.named_ports.end() &&
      serves_tensorboard(seat.plan, seat.self.task)) {
    variables["TB_PORT"] = fmt::to_string(port->second);
  }
}

void add_devices(const Seat& seat, const Framework& row, EnvironmentMap& environment) {
  const uint32_t vcores = seat.role.resources.vcores;
  environment.defaults["OMP_NUM_THREADS"] = fmt::to_string(
      vcores > 0 ? vcores : job::cores_per_task(seat.plan, seat.role, seat.context.cores));
  if (seat.role.shares_gpus) {
    return;  // As if started by hand: the program's own environment decides.
  }
  if (seat.role.resources.gpus == 0) {
    environment.set["CUDA_VISIBLE_DEVICES"] = "-1";
    environment.set["HIP_VISIBLE_DEVICES"] = "-1";
    return;
  }
  const bool whole = row.gpu_sight == GpuSight::Container && !seat.context.container_gpus.empty();
  const std::vector<uint32_t>& gpus = whole ? seat.context.container_gpus : seat.context.gpus;
  if (!gpus.empty()) {
    environment.set["CUDA_VISIBLE_DEVICES"] = fmt::format("{}", fmt::join(gpus, ","));
  }
}

Status check_sizes(const Variables& variables) {
  for (const auto& [name, value] : variables) {
    const size_t size = name.size() + value.size() + 2;
    if (size > kVariableBytesMax) {
      return user_error(
          fmt::format("{} would be {} bytes long, but the kernel allows at most {}: use fewer "
                      "tasks or shorter host names",
                      name, size, kVariableBytesMax));
    }
  }
  return {};
}

}  // namespace

std::string port_variable(std::string_view port_name) {
  std::string name = "MUSTER_PORT_";
  for (const char c : port_name) {
    const bool lower = c >= 'a' && c <= 'z';
    const bool kept = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += lower ? static_cast<char>(c - 'a' + 'A') : (kept ? c : '_');
  }
  return name;
}

bool is_tony_variable(std::string_view name) {
  constexpr std::array<std::string_view, 11> kNames = {
      "JOB_NAME", "TASK_INDEX",   "TASK_NUM",       "JOB_ID",
      "appid",    "SESSION_ID",   "ATTEMPT_NUMBER", "DISTRIBUTED_MODE",
      "IS_CHIEF", "CLUSTER_SPEC", "NUM_AM_RETRIES"};
  return std::ranges::find(kNames, name) != kNames.end();
}

Result<EnvironmentMap> environment(const job::Plan& plan, const job::View& view,
                                   const TaskContext& context) {
  MUSTER_TRY(const Seat seat, find_seat(plan, view, context));
  const Framework* row = find_framework(plan.spec.framework);
  if (row == nullptr) {
    return bug(fmt::format("no framework {}", plan.framework));
  }
  EnvironmentMap environment;
  MUSTER_TRY_STATUS(add_view_variables(seat, environment.set));
  add_own(seat, view_json(plan, view), environment.set);
  // A single task has no peers to be told about: there, a variable set by the user or by whatever
  // started the client (Jenkins and Grid Engine set JOB_NAME) takes precedence.
  add_tony(seat, plan.task_count() == 1 ? environment.defaults : environment.set);
  add_tensorboard(seat, *row, environment.set);
  add_devices(seat, *row, environment);
  MUSTER_TRY_STATUS(row->add_variables(seat, environment.set));
  if (row->add_defaults != nullptr) {
    row->add_defaults(seat, environment.defaults);
  }
  MUSTER_TRY_STATUS(check_sizes(environment.set));
  return environment;
}

}  // namespace muster::framework
