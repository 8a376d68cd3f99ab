#include "spec/keys/cluster_support.h"

#include "base/check.h"
#include "base/text.h"
#include "spec/keys/row.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::spec {
namespace {

constexpr std::string_view kYarnOnly = "they are YARN's own settings";
constexpr std::string_view kLocalOnly = "they describe how one machine is shared";
constexpr std::string_view kSparkChooses = "Spark chooses the hosts of its executors by itself";
constexpr std::string_view kMaster =
    "only YARN starts the master in a container, and restarts it when it ends";
constexpr std::string_view kResources =
    "only YARN grants resources other than memory, vcores and GPUs";
constexpr std::string_view kLabels = "only YARN's nodes have labels";
constexpr std::string_view kConstraints = "only YARN places containers by constraints";
constexpr std::string_view kDocker =
    "only YARN starts tasks in Docker images; elsewhere they run without one";

constexpr KeySupport kSupports[] = {
    {.key = "name"},
    {.key = "framework"},
    {.key = "command"},
    {.key = "files[].src"},
    {.key = "files[].as"},
    {.key = "files[].unpack"},
    {.key = "python.env"},
    {.key = "python.interpreter"},
    {.key = "env.<name>.from_env"},
    {.key = "env.<name>.from_file"},
    {.key = "variables"},
    {.key = "runtime.name"},
    {.key = "runtime.module"},
    {.key = "runtime.program"},
    {.key = "runtime.key"},
    {.key = "barrier"},
    {.key = "restart.process"},
    {.key = "restart.container"},
    {.key = "restart.host"},
    {.key = "restart.job"},
    {.key = "restart.infrastructure"},
    {.key = "restart.window"},
    {.key = "restart.backoff"},
    {.key = "stall.after"},
    {.key = "stall.then"},
    {.key = "hosts.avoid", .spark = false, .reason = kSparkChooses},
    {.key = "hosts.remembered", .spark = false, .reason = kSparkChooses},
    {.key = "stop_on_first_failure"},
    {.key = "chief_failure_fails_job"},
    {.key = "rules[].match.exit_code"},
    {.key = "rules[].match.signal"},
    {.key = "rules[].match.cluster_code"},
    {.key = "rules[].match.pattern"},
    {.key = "rules[].class"},
    {.key = "rules[].retry"},
    {.key = "deadlines.queue"},
    {.key = "deadlines.gather"},
    {.key = "deadlines.join"},
    {.key = "deadlines.run"},
    {.key = "deadlines.stop"},
    {.key = "liveness.beat"},
    {.key = "liveness.suspect"},
    {.key = "liveness.lost"},
    {.key = "liveness.orphan"},
    {.key = "checkpoint.dir"},
    {.key = "checkpoint.to"},
    {.key = "checkpoint.by"},
    {.key = "checkpoint.keep"},
    {.key = "checkpoint.resume"},
    {.key = "tensorboard.logdir"},
    {.key = "endpoints.<name>.role"},
    {.key = "endpoints.<name>.port"},
    {.key = "endpoints.<name>.path"},
    {.key = "master.memory", .local = false, .spark = false, .reason = kMaster},
    {.key = "master.vcores", .local = false, .spark = false, .reason = kMaster},
    {.key = "master.attempts", .local = false, .spark = false, .reason = kMaster},
    {.key = "logs.max"},
    {.key = "logs.keep"},
    {.key = "logs.merged"},
    {.key = "recording.terminals"},
    {.key = "recording.max"},
    {.key = "network.interface"},
    {.key = "network.port_range"},
    {.key = "notify.command"},
    {.key = "notify.hook"},
    {.key = "notify.token"},
    {.key = "notify.mail"},
    {.key = "notify.on"},
    {.key = "yarn.queue", .local = false, .spark = false, .reason = kYarnOnly},
    {.key = "yarn.tags", .local = false, .spark = false, .reason = kYarnOnly},
    {.key = "yarn.type", .local = false, .spark = false, .reason = kYarnOnly},
    {.key = "yarn.node_label", .local = false, .spark = false, .reason = kYarnOnly},
    {.key = "yarn.priority", .local = false, .spark = false, .reason = kYarnOnly},
    {.key = "yarn.staging", .local = false, .spark = false, .reason = kYarnOnly},
    {.key = "yarn.attempt_window", .local = false, .spark = false, .reason = kYarnOnly},
    {.key = "yarn.acl_view", .local = false, .spark = false, .reason = kYarnOnly},
    {.key = "yarn.acl_modify", .local = false, .spark = false, .reason = kYarnOnly},
    {.key = "local.hosts", .yarn = false, .spark = false, .reason = kLocalOnly},
    {.key = "local.strict_vcores", .yarn = false, .spark = false, .reason = kLocalOnly},
    {.key = "local.share_gpus", .yarn = false, .spark = false, .reason = kLocalOnly},
    {.key = "roles.<role>.tasks"},
    {.key = "roles.<role>.min"},
    {.key = "roles.<role>.max"},
    {.key = "roles.<role>.tasks_per_container"},
    {.key = "roles.<role>.memory"},
    {.key = "roles.<role>.vcores"},
    {.key = "roles.<role>.gpus"},
    {.key = "roles.<role>.resources", .local = false, .spark = false, .reason = kResources},
    {.key = "roles.<role>.node_label", .local = false, .spark = false, .reason = kLabels},
    {.key = "roles.<role>.constraint", .local = false, .spark = false, .reason = kConstraints},
    {.key = "roles.<role>.allocation_tags", .local = false, .spark = false, .reason = kConstraints},
    {.key = "roles.<role>.docker.image", .local = false, .spark = false, .reason = kDocker},
    {.key = "roles.<role>.docker.mounts", .local = false, .spark = false, .reason = kDocker},
    {.key = "roles.<role>.success"},
    {.key = "roles.<role>.failure"},
    {.key = "roles.<role>.membership"},
    {.key = "roles.<role>.after"},
    {.key = "roles.<role>.deadline_after.roles"},
    {.key = "roles.<role>.deadline_after.in"},
    {.key = "roles.<role>.deadline_after.then"},
    {.key = "roles.<role>.ports"},
    {.key = "roles.<role>.chief"},
    {.key = "roles.<role>.command"},
    {.key = "roles.<role>.prepare"},
    {.key = "roles.<role>.env"},
    {.key = "roles.<role>.variables"},
    {.key = "roles.<role>.files"},
    {.key = "roles.<role>.python"},
    {.key = "roles.<role>.restart"},
    {.key = "roles.<role>.stall"},
};

constexpr std::string_view kRolePrefix = "roles.<role>.";

/// Returns the value at a dotted key; nullptr if there is none.
const Node* value_at(const Node& map, std::string_view key) {
  const Node* at = &map;
  for (const std::string_view part : split(key, '.')) {
    at = at == nullptr ? nullptr : find(*at, part);
  }
  return at;
}

bool differs(const Node& values, const Node& defaults, std::string_view key) {
  const Node* const value = value_at(values, key);
  const Node* const built_in = value_at(defaults, key);
  if (value == nullptr || value->kind == Node::Kind::Null) {
    return false;
  }
  const bool empty = value->text.empty() && value->items.empty() && value->members.empty();
  return built_in == nullptr ? !empty : !same_value(*value, *built_in);
}

std::string_view place_of(ClusterType cluster) {
  switch (cluster) {
    case ClusterType::Local:
      return "on this machine";
    case ClusterType::Yarn:
      return "on YARN";
    case ClusterType::Spark:
      return "on Spark";
  }
  MUSTER_CHECK(false, "unknown ClusterType");
}

}  // namespace

bool KeySupport::on(ClusterType cluster) const {
  switch (cluster) {
    case ClusterType::Local:
      return local;
    case ClusterType::Yarn:
      return yarn;
    case ClusterType::Spark:
      return spark;
  }
  MUSTER_CHECK(false, "unknown ClusterType");
}

constinit const std::span<const KeySupport> kKeySupports(kSupports);

std::vector<Unheeded> unheeded_keys(const Spec& spec, ClusterType cluster) {
  const Spec plain;
  const Role plain_role;
  const Node values = encode_rows(spec_rows(), &spec);
  const Node defaults = encode_rows(spec_rows(), &plain);
  const Node role_defaults = encode_rows(role_rows(), &plain_role);
  std::vector<Unheeded> found;
  for (const KeySupport& support : kKeySupports) {
    if (support.on(cluster)) {
      continue;
    }
    if (!support.key.starts_with(kRolePrefix)) {
      if (differs(values, defaults, support.key)) {
        found.push_back({std::string(support.key), support.reason});
      }
      continue;
    }
    const std::string_view key = support.key.substr(kRolePrefix.size());
    for (const Role& role : spec.roles) {
      if (differs(encode_rows(role_rows(), &role), role_defaults, key)) {
        found.push_back({fmt::format("roles.{}.{}", role.name, key), support.reason});
      }
    }
  }
  return found;
}

std::vector<std::string> unheeded_warnings(const Spec& spec, ClusterType cluster) {
  std::vector<std::pair<std::string_view, std::vector<std::string>>> by_reason;
  for (Unheeded& one : unheeded_keys(spec, cluster)) {
    auto group =
        std::ranges::find(by_reason, one.reason, [](const auto& each) { return each.first; });
    if (group == by_reason.end()) {
      group = by_reason.insert(group, {one.reason, {}});
    }
    group->second.push_back(std::move(one.key));
  }
  std::vector<std::string> warnings;
  for (const auto& [reason, keys] : by_reason) {
    warnings.push_back(fmt::format("{} {} no effect {}: {}", join(keys, ", "),
                                   keys.size() == 1 ? "has" : "have", place_of(cluster), reason));
  }
  return warnings;
}

}  // namespace muster::spec
