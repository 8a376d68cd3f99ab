#include "tony/roles.h"

#include "base/text.h"
#include "spec/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

namespace muster::tony {
namespace {

constexpr std::string_view kInstances = ".instances";
constexpr uint64_t kTonysMemory = uint64_t{2} << 30;

std::string key(std::string_view role, std::string_view rest) {
  return fmt::format("tony.{}.{}", role, rest);
}

std::optional<spec::Docker> docker_of(Reading& reading, const std::string& role, bool enabled) {
  const std::string common = reading.text("tony.docker.containers.image", "");
  const std::string image = reading.text(fmt::format("tony.docker.{}.image", role), common);
  const std::vector<std::string> mounts = reading.list("tony.docker.containers.mount");
  if (!enabled || image.empty()) {
    return std::nullopt;
  }
  spec::Docker docker{.image = image, .mounts = {}};
  for (const std::string& mount : mounts) {
    const std::vector<std::string_view> parts = split(mount, ':');
    if (parts.size() < 2) {
      reading.note("tony.docker.containers.mount",
                   fmt::format("\"{}\" is not SOURCE:TARGET[:ro]", printable(mount)));
      continue;
    }
    if (parts.size() > 2 && parts[2] != "ro" && parts[2] != "rw") {
      reading.note(
          "tony.docker.containers.mount",
          fmt::format(
              "\"{}\" becomes {}:{}: the container does not see what is mounted below it later",
              printable(mount), parts[0], parts[1]));
    }
    docker.mounts.push_back({.source = std::string(parts[0]),
                             .target = std::string(parts[1]),
                             .read_only = parts.size() > 2 && parts[2].starts_with("ro")});
  }
  return docker;
}

/// What of one type is asked, and what it runs.
spec::Role role_of(Reading& reading, const std::string& name, const spec::Spec& spec) {
  spec::Role role;
  role.name = name;
  role.tasks =
      static_cast<uint32_t>(std::max<int64_t>(0, reading.number(key(name, "instances"), 0)));
  role.memory = reading.memory(key(name, "memory"), kTonysMemory);
  role.vcores = static_cast<uint32_t>(reading.number(key(name, "vcores"), 1));
  role.gpus = static_cast<uint32_t>(reading.number(key(name, "gpus"), 0));
  role.node_label = reading.text(key(name, "node-label"), "");
  role.constraint =
      reading.text(key(name, "placement-spec"), reading.text("tony.containers.placement-spec", ""));
  role.allocation_tags = reading.list("tony.containers.allocation-tags");
  if (const auto own = reading.list(key(name, "allocation-tags")); !own.empty()) {
    role.allocation_tags = own;
  }
  if (const std::string command = reading.text(key(name, "command"), ""); !command.empty()) {
    role.command = command;
  }
  if (reading.has(key(name, "resources"))) {
    // A role's own list replaces the common one.
    role.files = spec.files;
    reading.add_resources(key(name, "resources"), *role.files);
  }
  role.docker = docker_of(reading, name, reading.flag("tony.docker.enabled", false));
  return role;
}

/// Without any task TonY ran the command in its master's container.
spec::Role single_node(Reading& reading, spec::Spec& spec) {
  spec.framework = spec::Framework::Standalone;
  spec::Role role;
  role.name = "worker";
  role.memory = reading.memory("tony.am.memory", kTonysMemory);
  role.vcores = spec.master.vcores;
  spec.master.vcores = 1;
  role.gpus = static_cast<uint32_t>(reading.number("tony.am.gpus", 0));
  role.node_label = reading.text("tony.am.node-label", "");
  if (const std::string command = reading.text("tony.am.command", ""); !command.empty()) {
    role.command = command;
  }
  if (reading.has("tony.am.resources")) {
    role.files = spec.files;
    reading.add_resources("tony.am.resources", *role.files);
  }
  reading.note("tony.*.instances",
               "no role has a task: the command, which TonY ran in its master, becomes a role");
  return role;
}

/// What the end of a type means, by TonY's lists.
class Ends {
 public:
  explicit Ends(Reading& reading) {
    const auto types = [&](const char* name, const char* fallback) {
      const std::vector<std::string> parts = Reading::split_list(reading.text(name, fallback));
      return std::set<std::string>(parts.begin(), parts.end());
    };
    untracked_ = types("tony.application.untracked.jobtypes", "ps");
    sidecars_ = types("tony.application.sidecar.jobtypes", "tensorboard");
    stoppers_ = types("tony.application.stop-on-failure-jobtypes", "ps");
    any_failure_ends_ = reading.flag("tony.application.fail-on-worker-failure-enabled", false);
  }

  /// `single`: no other role is waited for.
  void apply(spec::Role& role, bool single) const {
    if (sidecars_.contains(role.name)) {
      role.success = spec::Success::Ignored;
      role.failure = spec::Failure::Ignored;
      return;
    }
    if (untracked_.contains(role.name)) {
      role.success = spec::Success::Ignored;
      role.failure = spec::Failure::FailsJob;
      return;
    }
    role.success = spec::Success::Required;
    const bool ends = any_failure_ends_ || role.name == "chief" || stoppers_.contains(role.name) ||
                      (single && role.tasks == 1);
    role.failure = ends ? spec::Failure::FailsJob : spec::Failure::Tolerated;
  }
  [[nodiscard]] bool is_waited_for(const spec::Role& role) const {
    return !sidecars_.contains(role.name) && !untracked_.contains(role.name);
  }

 private:
  std::set<std::string> untracked_;
  std::set<std::string> sidecars_;
  std::set<std::string> stoppers_;
  bool any_failure_ends_ = false;
};

void convert_ends(Reading& reading, spec::Spec& spec) {
  const Ends ends(reading);
  const auto waited = std::ranges::count_if(
      spec.roles, [&](const spec::Role& role) { return ends.is_waited_for(role); });
  bool tolerates_worker = false;
  for (spec::Role& role : spec.roles) {
    ends.apply(role, waited == 1);
    tolerates_worker =
        tolerates_worker || (role.name == "worker" && role.failure == spec::Failure::Tolerated);
  }
  if (tolerates_worker && spec::find_role(spec, "chief") == nullptr) {
    spec.chief_failure_fails_job = true;
    reading.note("failure: tolerated",
                 "as in TonY, the job succeeds even when some workers fail for good, but not "
                 "worker:0, the chief; write `failure: fails_job` if every worker counts");
  }
}

Status convert_stages(Reading& reading, spec::Spec& spec) {
  const std::vector<std::string> prepare = reading.list("tony.application.prepare-stage");
  const std::vector<std::string> training = reading.list("tony.application.training-stage");
  if (prepare.empty() && training.empty()) {
    return {};
  }
  for (const std::vector<std::string>* stage : {&prepare, &training}) {
    for (const std::string& name : *stage) {
      if (spec::find_role(spec, name) == nullptr) {
        return user_error(fmt::format("tony.application.{}-stage names {}, which has no instances",
                                      stage == &prepare ? "prepare" : "training", printable(name)));
      }
    }
  }
  const auto holds = [](const std::vector<std::string>& stage, const std::string& name) {
    return std::ranges::find(stage, name) != stage.end();
  };
  const auto prepares = [&](const std::string& name) {
    return prepare.empty() ? !holds(training, name) : holds(prepare, name);
  };
  for (spec::Role& role : spec.roles) {
    if (prepares(role.name)) {
      continue;
    }
    for (const spec::Role& other : spec.roles) {
      if (prepares(other.name)) {
        role.after.push_back({.role = other.name, .condition = spec::Condition::Ended});
      }
    }
  }
  return {};
}

void convert_dependencies(Reading& reading, spec::Spec& spec) {
  constexpr std::string_view kBegin = "tony.application.dependency.";
  constexpr std::string_view kAfter = ".timeout.after.";
  constexpr std::string_view kIgnored = ".ignored";
  for (const std::string& name : reading.names(kBegin, "")) {
    const size_t after = name.find(kAfter);
    if (after == std::string::npos || name.ends_with(kIgnored)) {
      continue;
    }
    const std::string role_name = name.substr(kBegin.size(), after - kBegin.size());
    const std::string group = name.substr(after + kAfter.size());
    const int64_t seconds = reading.number(name, 0);
    const bool ignored = reading.flag(name + std::string(kIgnored), false);
    const std::vector<std::string> members = reading.list("tony.application.group." + group);
    const auto role = std::ranges::find(spec.roles, role_name, &spec::Role::name);
    if (role == spec.roles.end() || members.empty() || seconds <= 0) {
      reading.note(name, "the type, its group or its time is missing");
      continue;
    }
    role->deadline_after = {
        .roles = members,
        .in = std::chrono::seconds(seconds),
        .then = ignored ? spec::DeadlineAction::Ignore : spec::DeadlineAction::Fail};
  }
}

}  // namespace

Status convert_roles(Reading& reading, spec::Spec& spec) {
  for (const std::string& instances : reading.names("tony.", kInstances)) {
    const std::string name =
        instances.substr(5, instances.size() - 5 - kInstances.size());  // After "tony.".
    if (const std::string wrong = spec::wrong_role_name(name); !wrong.empty()) {
      reading.note(instances, wrong);
      continue;
    }
    spec::Role role = role_of(reading, name, spec);
    if (role.tasks == 0) {
      reading.note(instances, "it has no tasks: the role is left out");
      continue;
    }
    spec.roles.push_back(std::move(role));
  }
  if (spec.roles.empty()) {
    spec.roles.push_back(single_node(reading, spec));
  }
  for (const spec::Role& role : spec.roles) {
    if (!role.command && !spec.command) {
      return user_error(fmt::format(
          "{0} has no command: give -executes, tony.containers.command or tony.{0}.command",
          role.name));
    }
  }
  convert_ends(reading, spec);
  MUSTER_TRY_STATUS(convert_stages(reading, spec));
  convert_dependencies(reading, spec);
  return {};
}

}  // namespace muster::tony
